//! The columns of ends and of entries.

use super::{Ends, NearCode, Role, Sort, Source};

/// The columns of the record of an end, and of an entry.
///
/// A record has the point, the numbers that it supplies as a second end, its number or its weight, and
/// the numbers that it supplies as a first end. An entry has the columns of the other end, with d
/// instead of the point, the coefficients of the pair, and the columns of the direction.
#[derive(Debug, Clone, Copy)]
pub(in crate::binding) struct RecordColumns {
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
    pub(in crate::binding) const fn new(
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

    pub(in crate::binding) const fn second(&self) -> usize {
        self.dimension + self.second_inputs + self.second_coefficients
    }

    /// The column of the number of an end, or of the weight of its row.
    pub(in crate::binding) const fn extra(&self) -> Option<usize> {
        if self.both_ways { Some(self.second()) } else { None }
    }

    const fn first(&self) -> usize {
        self.second() + self.both_ways as usize
    }

    /// The number of columns of a record.
    pub(in crate::binding) const fn record(&self) -> usize {
        self.first() + self.first_inputs + self.first_coefficients
    }

    /// The number of these columns in an entry.
    pub(in crate::binding) const fn gathered(&self) -> usize {
        if self.both_ways { self.record() } else { self.second() }
    }

    /// The number of columns of a record of the direction.
    pub(in crate::binding) const fn direction(&self) -> usize {
        self.dimension + self.second_inputs + self.first_inputs
    }

    /// The number of these columns in an entry.
    pub(in crate::binding) const fn gathered_direction(&self) -> usize {
        if self.both_ways { self.direction() } else { self.dimension + self.second_inputs }
    }

    /// The first column of the coefficients of the pair in an entry, and their number.
    /// Rows have them twice, the second time with the ends exchanged.
    pub(in crate::binding) const fn pairs(&self) -> (usize, usize) {
        (self.gathered(), self.pairs)
    }

    /// The number of orders of the ends with coefficients in an entry.
    pub(in crate::binding) const fn orders(&self) -> usize {
        if self.rows { 2 } else { 1 }
    }

    /// The number of columns of an entry without the direction.
    pub(in crate::binding) const fn undirected(&self) -> usize {
        self.gathered() + self.orders() * self.pairs
    }

    /// The number of columns of an entry.
    pub(in crate::binding) const fn entry(&self, directed: bool) -> usize {
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
pub(in crate::binding) struct InputPlace {
    pub(in crate::binding) role: Role,
    /// The column in a record, or the component of d.
    pub(in crate::binding) column: usize,
    /// The column in a record of the direction.
    pub(in crate::binding) direction: usize,
}

impl RecordColumns {
    /// The place of input k.
    pub(in crate::binding) const fn input(
        &self,
        inputs: &[(usize, usize)],
        roles: &[Role],
        k: usize,
    ) -> InputPlace {
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
    pub(in crate::binding) const fn coefficient(&self, sources: &[Source], k: usize) -> usize {
        let rank = coefficients_of(sources, k, sources[k]);
        match sources[k] {
            Source::Shared | Source::Pair => rank,
            Source::Second => self.dimension + self.second_inputs + rank,
            Source::First => self.first() + self.first_inputs + rank,
        }
    }
}

pub(super) const fn columns<K, const G: usize, const X: usize, const C: usize>() -> RecordColumns
where
    K: NearCode<G, X, C>,
{
    let Ends { dimension, sort, exchangeable, .. } = K::ENDS;
    RecordColumns::new(&K::INPUTS, &K::ENDS.roles, &K::ENDS.sources, dimension, sort, exchangeable)
}

pub(super) const fn places<K, const G: usize, const X: usize, const C: usize>() -> [InputPlace; X]
where
    K: NearCode<G, X, C>,
{
    let columns = columns::<K, G, X, C>();
    let mut places = [InputPlace { role: Role::Separation, column: 0, direction: 0 }; X];
    let mut k = 0;
    while k < X {
        places[k] = columns.input(&K::INPUTS, &K::ENDS.roles, k);
        k += 1;
    }
    places
}

pub(super) const fn coefficients<K, const G: usize, const X: usize, const C: usize>() -> [(Source, usize); C]
where
    K: NearCode<G, X, C>,
{
    let columns = columns::<K, G, X, C>();
    let mut found = [(Source::Shared, 0); C];
    let mut k = 0;
    while k < C {
        found[k] = (K::ENDS.sources[k], columns.coefficient(&K::ENDS.sources, k));
        k += 1;
    }
    found
}
