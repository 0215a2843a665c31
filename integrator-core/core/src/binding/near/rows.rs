//! Sums over near pairs that belong to rows: those of a stage.
//!
//! A row is a sum over the neighbours of a point, or one over all pairs. Backwards, the row of a point
//! meets the weight of that point and of each neighbour: both stand in the records of the ends, and
//! nothing is scattered. What is not near adds nothing whatever its weight is, also an infinite one: the
//! root of a density has that where a point has no neighbours.

use super::family::{NO_ROW, NearFamily};
use super::memory::Ends;
use crate::binding::at::{At, Weights};
use crate::binding::derivative::Scalar;
use crate::sparse::RowPattern;

impl NearFamily {
    /// Adds a number of each element to its row.
    pub fn add_to_rows(&self, scalar: Scalar, at: At<'_>, values: &mut [f64]) {
        if let Some(row) = self.row_of_pairs {
            values[row as usize] += self.sum(scalar, at);
            return;
        }
        let Some(operation) = scalar.of_near(self.kernel) else { return };
        for layer in &self.layers {
            self.run(layer, operation, at, Weights::Ones, |list, found| {
                for (row, place) in layer.rows.iter().zip(&list.place_of) {
                    if *row != NO_ROW {
                        values[*row as usize] += found.number(*place as usize, 0);
                    }
                }
            });
        }
    }

    /// The factor of all that an operation finds: the weight of the row of all pairs.
    pub(super) fn factor(&self, weights: Weights<'_>) -> f64 {
        match (self.row_of_pairs, weights) {
            (Some(row), Weights::Of(weights)) => weights[row as usize],
            _ => 1.0,
        }
    }

    /// The row of an element.
    pub(super) fn row_of(&self, ends: Ends) -> Option<u32> {
        self.row_of_pairs.or_else(|| self.layers[ends.layer].rows.get(ends.first).copied())
    }

    /// Shows rows with the places that their elements may read, each at least once.
    pub(in crate::binding) fn visit_rows(&self, visit: &mut dyn FnMut(usize, &[u32])) {
        if let Some(row) = self.row_of_pairs {
            return self.visit_ends(&mut |reads| visit(row as usize, reads));
        }
        self.visit_reads(&mut |ends, reads| {
            if let Some(row) = self.row_of(ends) {
                visit(row as usize, reads);
            }
        });
    }

    /// Adds the gradients of near elements to a matrix whose row `first` is the first of these rows.
    pub(in crate::binding) fn add_rows(
        &self,
        At { z, now, .. }: At<'_>,
        (pattern, first): (&RowPattern, usize),
        jacobian: &mut [f64],
    ) {
        self.each_slope(z, now, &mut |ends, column, slope| {
            let at = self.row_of(ends).and_then(|row| pattern.position(first + row as usize, column));
            if let Some(at) = at {
                jacobian[at] += slope;
            }
        });
    }
}
