//! The trait of all kernels for linear systems: a kernel factors a matrix and solves with the factors.

use crate::sparse::pattern::SymmetricPattern;
use std::fmt::Debug;
use thiserror::Error;

/// A matrix that could not be factored.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[error("singular: the pivot of row {index} is {pivot:.3e}")]
pub struct FactorError {
    /// The pivot; not a number where the matrix was not finite.
    pub pivot: f64,
    /// The row of the pivot, in the numbering of the matrix (in the general form, a row close to it).
    pub index: usize,
}

/// What comes of a factorization.
pub(crate) type Factored<T = ()> = Result<T, FactorError>;

/// A solution that does not satisfy its equation, even after a step of iterative refinement.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[error("the solution leaves the relative residual {residual:.3e}, worst in row {index}")]
pub struct SolveError {
    /// ‖b − A x‖∞ / (‖A‖∞ ‖x‖∞ + ‖b‖∞).
    pub residual: f64,
    /// The row where |b − A x| is largest.
    pub index: usize,
}

/// The elimination that a pattern leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Elimination {
    /// Nothing beside the diagonal.
    Diagonal,
    /// Independent dense blocks.
    Blocks {
        /// How many.
        count: usize,
        /// The number of unknowns of the largest.
        largest: usize,
    },
    /// A band.
    Banded {
        /// The largest |i − j| of an entry.
        bandwidth: usize,
        /// True if the unknowns were renumbered to make it small.
        renumbered: bool,
    },
    /// General sparse.
    General,
}

/// The entries of a matrix, in the order of a pattern.
pub struct Entries<'a> {
    /// The places of the entries.
    pub pattern: &'a SymmetricPattern,
    /// The entries of the lower triangle.
    pub lower: &'a [f64],
    /// A(j, i) where `lower` has A(i, j), and anything on the diagonal; none of a symmetric matrix.
    pub upper: Option<&'a [f64]>,
    /// A pivot below this part of the largest entry of its column is no pivot.
    pub smallest_pivot: f64,
}

impl Entries<'_> {
    /// True if `pivot` is large enough, in a column whose largest entry was `scale`.
    pub(super) fn acceptable(&self, pivot: f64, scale: f64) -> bool {
        is_pivot(pivot, scale, self.smallest_pivot)
    }

    /// y ← y + A x.
    pub(super) fn multiply_add(&self, x: &[f64], y: &mut [f64]) {
        let Some(upper) = self.upper else { return self.pattern.multiply_add(self.lower, x, y) };
        for (((row, column), lower), upper) in self.pattern.entries().zip(self.lower).zip(upper) {
            y[row] += lower * x[column];
            if row != column {
                y[column] += upper * x[row];
            }
        }
    }
}

/// True if `pivot` is larger than the part `least` of the largest entry of its column, `scale`.
pub(super) fn is_pivot(pivot: f64, scale: f64, least: f64) -> bool {
    pivot.is_finite() && pivot.abs() > least * scale
}

/// A way of factoring the matrices of one pattern.
pub trait Factor: Debug + Send + Sync {
    /// Finds the factors.
    ///
    /// # Errors
    /// An entry that is no finite number, or a pivot too small beside its column.
    fn factor(&mut self, entries: &Entries<'_>) -> Factored;
    /// x ← A⁻¹ x with the last factors.
    fn solve(&mut self, x: &mut [f64]);
    /// The elimination that a pattern leads to.
    fn elimination(&self) -> Elimination;

    /// b − A x, written over `residual`.
    fn residual(&self, entries: &Entries<'_>, x: &[f64], b: &[f64], residual: &mut [f64]) {
        for (out, value) in residual.iter_mut().zip(b) {
            *out = -value;
        }
        entries.multiply_add(x, residual);
        for out in residual {
            *out = -*out;
        }
    }
}

/// The larger of two numbers, or the first where one is NaN.
#[inline(always)]
pub(super) fn larger(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

/// The largest magnitude, without NaN.
#[inline]
pub(in crate::sparse) fn largest_magnitude(values: &[f64]) -> f64 {
    let (chunks, rest) = values.as_chunks::<8>();
    let of_rest = rest.iter().map(|value| value.abs()).fold(0.0, larger);
    if chunks.is_empty() {
        return of_rest;
    }
    // Several at once, so that the loop is vectorized.
    let mut largest = [0.0; 8];
    for chunk in chunks {
        for lane in 0..8 {
            largest[lane] = larger(largest[lane], chunk[lane].abs());
        }
    }
    largest.into_iter().fold(of_rest, larger)
}
