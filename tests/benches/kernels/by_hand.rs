//! The operations of a contender, and the code that all of them share.

use least_action::advanced::sparse::SymmetricPattern;
use least_action::system::Natural;

/// A potential and its derivatives, written over the memory that is given.
pub(crate) trait Potential {
    /// V(q).
    fn value(&mut self, q: &[f64]) -> f64;

    /// ∇V(q).
    fn gradient(&mut self, q: &[f64], gradient: &mut [f64]);

    /// ∇V(q) and the lower triangle of Hess V(q), by columns.
    fn second(&mut self, q: &[f64], gradient: &mut [f64], hessian: &mut [f64]);

    /// a·V‴(q)·a.
    fn third(&mut self, q: &[f64], a: &[f64], contraction: &mut [f64]);
}

/// The compiled kernels, through the face that every engine sees.
impl Potential for Box<dyn Natural> {
    fn value(&mut self, q: &[f64]) -> f64 {
        self.potential(q, 0.0)
    }

    fn gradient(&mut self, q: &[f64], gradient: &mut [f64]) {
        self.potential_gradient(q, 0.0, gradient);
    }

    fn second(&mut self, q: &[f64], gradient: &mut [f64], hessian: &mut [f64]) {
        self.potential_second(q, 0.0, gradient, hessian);
    }

    fn third(&mut self, q: &[f64], a: &[f64], contraction: &mut [f64]) {
        self.potential_third(q, 0.0, a, contraction);
    }
}

/// Adds the lower triangle of the Hessian of consecutive coordinates from `first` on in a banded matrix:
/// there the rows of a column follow each other.
#[inline(always)]
pub(crate) fn add_band<const N: usize>(
    starts: &[usize],
    first: usize,
    block: &[[f64; N]; N],
    hessian: &mut [f64],
) {
    let starts = &starts[first..first + N];
    for (column, &start) in starts.iter().enumerate() {
        let values = &block[column][column..];
        for (to, value) in hessian[start..start + N - column].iter_mut().zip(values) {
            *to += value;
        }
    }
}

/// True if the rows of each column follow each other, as [`add_band`] needs.
pub(crate) fn is_band(pattern: &SymmetricPattern, width: usize) -> bool {
    let n = pattern.dimension();
    // The last row that shares a node of three coordinates or an element with the column.
    let last = |column: usize| n.min(column / 3 * 3 + width);
    pattern.entries().count() == (0..n).map(|column| last(column) - column).sum::<usize>()
        && pattern.entries().all(|(row, column)| row < last(column))
}
