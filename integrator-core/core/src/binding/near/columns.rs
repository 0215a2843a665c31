//! The columns of ends and of entries.

use least_action_kernel::{Role, Sort, Source};

/// The columns of the record of an end, and of an entry.
///
/// A record has the point, the numbers that it supplies as a second end, its number or its weight, and
/// the numbers that it supplies as a first end. An entry has the columns of the other end, with d
/// instead of the point, the coefficients of the pair, and the columns of the direction.
#[derive(Debug, Clone, Copy)]
pub(super) struct RecordColumns {
    dimension: usize,
    second_inputs: usize,
    second_coefficients: usize,
    first_inputs: usize,
    first_coefficients: usize,
    pairs: usize,
    rows: bool,
    both_ways: bool,
}

impl RecordColumns {
    pub(super) const fn new(
        inputs: &[(usize, usize)],
        roles: &[Role],
        sources: &[Source],
        dimension: usize,
        sort: Sort,
        exchangeable: bool,
    ) -> Self {
        let rows = matches!(sort, Sort::Rows);
        Self {
            dimension,
            second_inputs: inputs_of(inputs, roles, inputs.len(), false),
            second_coefficients: coefficients_of(sources, sources.len(), Source::Second),
            first_inputs: inputs_of(inputs, roles, inputs.len(), true),
            first_coefficients: coefficients_of(sources, sources.len(), Source::First),
            pairs: coefficients_of(sources, sources.len(), Source::Pair),
            rows,
            both_ways: rows || !exchangeable,
        }
    }

    pub(super) const fn second(&self) -> usize {
        self.dimension + self.second_inputs + self.second_coefficients
    }

    /// The column of the number of an end, or of the weight of its row.
    pub(super) const fn extra(&self) -> Option<usize> {
        if self.both_ways { Some(self.second()) } else { None }
    }

    const fn first(&self) -> usize {
        self.second() + self.both_ways as usize
    }

    /// The number of columns of a record.
    pub(super) const fn record(&self) -> usize {
        self.first() + self.first_inputs + self.first_coefficients
    }

    /// The number of these columns in an entry.
    pub(super) const fn gathered(&self) -> usize {
        if self.both_ways { self.record() } else { self.second() }
    }

    /// The number of columns of a record of the direction.
    pub(super) const fn direction(&self) -> usize {
        self.dimension + self.second_inputs + self.first_inputs
    }

    /// The number of these columns in an entry.
    pub(super) const fn gathered_direction(&self) -> usize {
        if self.both_ways { self.direction() } else { self.dimension + self.second_inputs }
    }

    /// The first column of the coefficients of the pair in an entry, and their number.
    /// Rows have them twice, the second time with the ends exchanged.
    pub(super) const fn pairs(&self) -> (usize, usize) {
        (self.gathered(), self.pairs)
    }

    /// The number of orders of the ends with coefficients in an entry.
    pub(super) const fn orders(&self) -> usize {
        if self.rows { 2 } else { 1 }
    }

    /// The number of columns of an entry without the direction.
    pub(super) const fn undirected(&self) -> usize {
        self.gathered() + self.orders() * self.pairs
    }

    /// The number of columns of an entry.
    pub(super) const fn entry(&self, directed: bool) -> usize {
        self.undirected() + if directed { self.gathered_direction() } else { 0 }
    }
}

/// Counts the inputs of an end among the first `before`.
const fn inputs_of(inputs: &[(usize, usize)], roles: &[Role], before: usize, first: bool) -> usize {
    let (mut count, mut k) = (0, 0);
    while k < before {
        let belongs = match roles[inputs[k].0] {
            Role::Separation => false,
            Role::First => first,
            Role::Second => !first,
        };
        count += belongs as usize;
        k += 1;
    }
    count
}

/// Counts the coefficients of a source among the first `before`.
const fn coefficients_of(sources: &[Source], before: usize, source: Source) -> usize {
    let (mut count, mut k) = (0, 0);
    while k < before {
        count += (sources[k] as usize == source as usize) as usize;
        k += 1;
    }
    count
}

/// The place of an input: a component of d, or columns of the record and of the record of the direction.
#[derive(Debug, Clone, Copy)]
pub(super) struct InputPlace {
    pub(super) role: Role,
    /// The column in a record, or the component of d.
    pub(super) column: usize,
    /// The column in a record of the direction.
    pub(super) direction: usize,
}

impl RecordColumns {
    /// The place of input k.
    pub(super) const fn input(&self, inputs: &[(usize, usize)], roles: &[Role], k: usize) -> InputPlace {
        let (slot, component) = inputs[k];
        let role = roles[slot];
        match role {
            Role::Separation => InputPlace { role, column: component, direction: component },
            Role::Second => {
                let column = self.dimension + inputs_of(inputs, roles, k, false);
                InputPlace { role, column, direction: column }
            }
            Role::First => {
                let rank = inputs_of(inputs, roles, k, true);
                let direction = self.dimension + self.second_inputs + rank;
                InputPlace { role, column: self.first() + rank, direction }
            }
        }
    }

    /// The index of coefficient k: among the shared ones,
    /// in a record, or in the coefficients of the pair.
    pub(super) const fn coefficient(&self, sources: &[Source], k: usize) -> usize {
        let rank = coefficients_of(sources, k, sources[k]);
        match sources[k] {
            Source::Shared | Source::Pair => rank,
            Source::Second => self.dimension + self.second_inputs + rank,
            Source::First => self.first() + self.first_inputs + rank,
        }
    }
}
