//! Diagonal matrices: the masses of points, in every method.

use super::kernel::{Elimination, Entries, Factor, FactorError, Factored};

/// A matrix with nothing beside the diagonal.
#[derive(Debug)]
pub(super) struct Diagonal {
    values: Vec<f64>,
}

impl Diagonal {
    pub(super) fn new(dimension: usize) -> Self {
        Self { values: vec![0.0; dimension] }
    }
}

impl Factor for Diagonal {
    fn factor(&mut self, entries: &Entries<'_>) -> Factored {
        self.values.copy_from_slice(entries.lower);
        let zero = self.values.iter().position(|value| !entries.acceptable(*value, value.abs()));
        zero.map_or(Ok(()), |index| Err(FactorError { pivot: self.values[index], index }))
    }

    fn solve(&mut self, x: &mut [f64]) {
        for (x, value) in x.iter_mut().zip(&self.values) {
            *x /= value;
        }
    }

    fn elimination(&self) -> Elimination {
        Elimination::Diagonal
    }
}
