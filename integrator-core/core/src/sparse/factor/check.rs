//! The check of a solution by its residual.

use super::kernel::{Entries, Factor, SolveError, larger, largest_magnitude};
use crate::sparse::pattern::SymmetricPattern;

/// A normwise backward error above this is worth a step of refinement: a few rounding errors.
pub(in crate::sparse) const REFINE_ABOVE: f64 = 1e-14;
/// A normwise backward error above this after refinement is no solution.
pub(in crate::sparse) const REFUSE_ABOVE: f64 = 1e-10;

/// Vectors shorter than this are not worth a vectorized loop.
const FEW: usize = 8;

/// The memory with which a solution is checked.
#[derive(Debug)]
pub(super) struct Check {
    /// An estimate of ‖A‖∞ of the last factored matrix: its
    /// largest entry times the length of its longest column.
    /// `None` before the first use.
    norm: Option<f64>,
    /// The length of the longest column.
    longest: f64,
    right_hand_side: Vec<f64>,
    residual: Vec<f64>,
}

impl Check {
    pub(super) fn new(pattern: &SymmetricPattern) -> Self {
        let columns = pattern.starts().windows(2);
        let longest = columns.map(|pair| pair[1] - pair[0]).max().unwrap_or(0) as f64;
        let [right_hand_side, residual] = [(); 2].map(|()| vec![0.0; pattern.dimension()]);
        Self { norm: None, longest, right_hand_side, residual }
    }

    /// Forgets the norm of the matrix, which is another one.
    pub(super) fn renew(&mut self) {
        self.norm = None;
    }

    /// Solves, and refines where the residual is poor.
    pub(super) fn solve(
        &mut self,
        kernel: &mut dyn Factor,
        entries: &Entries<'_>,
        rhs: &mut [f64],
    ) -> Result<(), SolveError> {
        self.right_hand_side.copy_from_slice(rhs);
        kernel.solve(rhs);
        if self.backward_error(kernel, entries, rhs) <= REFINE_ABOVE {
            return Ok(());
        }
        kernel.solve(&mut self.residual);
        for (x, correction) in rhs.iter_mut().zip(&self.residual) {
            *x += correction;
        }
        let residual = self.backward_error(kernel, entries, rhs);
        // Written so that a residual that is not a number is refused.
        if residual <= REFUSE_ABOVE {
            Ok(())
        } else {
            Err(SolveError { residual, index: worst_row(&self.residual) })
        }
    }

    /// ‖b − A x‖∞ / (‖A‖∞ ‖x‖∞ + ‖b‖∞); leaves b − A x in `self.residual`.
    fn backward_error(&mut self, kernel: &dyn Factor, entries: &Entries<'_>, x: &[f64]) -> f64 {
        let Self { right_hand_side, residual, norm, longest } = self;
        kernel.residual(entries, x, right_hand_side, residual);
        // A comparison skips NaN, and a sum does not.
        let sum = residual.iter().fold(0.0, |sum, entry| sum + entry.abs());
        if !sum.is_finite() {
            return f64::NAN;
        }
        let norm = *norm.get_or_insert_with(|| {
            let upper = entries.upper.map_or(0.0, largest_magnitude);
            *longest * largest_magnitude(entries.lower).max(upper)
        });
        let [largest, of_x, of_b] = if x.len() < FEW {
            let magnitude = |values: &[f64]| values.iter().fold(0.0, |most, value| larger(most, value.abs()));
            [magnitude(residual), magnitude(x), magnitude(right_hand_side)]
        } else {
            [largest_magnitude(residual), largest_magnitude(x), largest_magnitude(right_hand_side)]
        };
        let scale = norm * of_x + of_b;
        if largest == 0.0 { 0.0 } else { largest / scale }
    }
}

/// The row where a residual is largest, or the first where it is not a number.
pub(in crate::sparse) fn worst_row(residual: &[f64]) -> usize {
    let (mut index, mut largest) = (0, 0.0_f64);
    for (row, entry) in residual.iter().enumerate() {
        let magnitude = entry.abs();
        if magnitude > largest || (magnitude.is_nan() && !largest.is_nan()) {
            (index, largest) = (row, magnitude);
        }
    }
    index
}
