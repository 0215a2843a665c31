//! The columns of ends and of entries.

use least_action_kernel::{ElementFacts, NearFacts, Role, Sort, Source};

/// The columns of the record of an end, and of an entry.
///
/// A record has the point, the numbers that it supplies as a second end, its number or its weight, and
/// the numbers that it supplies as a first end. An entry has the columns of the other end, with d
/// instead of the point, the coefficients of the pair, and the columns of the direction.
#[derive(Debug, Clone)]
pub(super) struct RecordColumns {
    /// The place of each input.
    pub(super) inputs: Vec<InputPlace>,
    /// The source of each coefficient, and its index: among the shared ones, in a record, or in the
    /// coefficients of the pair.
    pub(super) coefficients: Vec<(Source, usize)>,
    pub(super) dimension: usize,
    /// The column of the number of an end, or of the weight of its row.
    pub(super) extra: Option<usize>,
    /// The number of columns of a record, and of the record of a direction.
    pub(super) record: usize,
    pub(super) direction: usize,
    /// The number of these columns in an entry.
    pub(super) gathered: usize,
    pub(super) gathered_direction: usize,
    /// The number of coefficients of the pair. Rows have them twice in an entry, the second time with
    /// the ends exchanged.
    pub(super) pairs: usize,
    pub(super) orders: usize,
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
    pub(super) fn new(facts: &ElementFacts, near: &NearFacts) -> Self {
        let NearFacts { ref roles, ref sources, dimension, sort, exchangeable, .. } = *near;
        let role = |k: usize| roles[facts.inputs[k].0];
        let of_role = |of: Role, before: usize| (0..before).filter(|k| role(*k) == of).count();
        let of_source =
            |of: Source, before: usize| sources[..before].iter().filter(|source| **source == of).count();
        let (inputs, coefficients) = (facts.inputs.len(), sources.len());
        let both_ways = sort == Sort::Rows || !exchangeable;
        let second_inputs = dimension + of_role(Role::Second, inputs);
        let second = second_inputs + of_source(Source::Second, coefficients);
        let first = second + usize::from(both_ways);
        let first_inputs = first + of_role(Role::First, inputs);
        let record = first_inputs + of_source(Source::First, coefficients);
        let direction = second_inputs + of_role(Role::First, inputs);
        let place = |k: usize| {
            let (role, rank) = (role(k), of_role(role(k), k));
            let [column, direction] = match role {
                Role::Separation => [facts.inputs[k].1; 2],
                Role::Second => [dimension + rank; 2],
                Role::First => [first + rank, second_inputs + rank],
            };
            InputPlace { role, column, direction }
        };
        let index = |k: usize| match sources[k] {
            Source::Shared | Source::Pair => 0,
            Source::Second => second_inputs,
            Source::First => first_inputs,
        };
        Self {
            inputs: (0..inputs).map(place).collect(),
            coefficients: (0..coefficients)
                .map(|k| (sources[k], index(k) + of_source(sources[k], k)))
                .collect(),
            dimension,
            extra: both_ways.then_some(second),
            record,
            direction,
            gathered: if both_ways { record } else { second },
            gathered_direction: if both_ways { direction } else { second_inputs },
            pairs: of_source(Source::Pair, coefficients),
            orders: if sort == Sort::Rows { 2 } else { 1 },
        }
    }

    /// The number of columns of an entry without the direction.
    pub(super) fn undirected(&self) -> usize {
        self.gathered + self.orders * self.pairs
    }

    /// The number of columns of an entry.
    pub(super) fn entry(&self) -> usize {
        self.undirected() + self.gathered_direction
    }

    /// The number of shared coefficients.
    pub(super) fn shared(&self) -> usize {
        self.coefficients.iter().filter(|(source, _)| *source == Source::Shared).count()
    }
}
