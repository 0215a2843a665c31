//! Small matrices, all entries stored: L U, with partial pivoting for any matrices.
//!
//! Implicit methods and penalties of a few unknowns use it, as a pendulum or a four-bar linkage: the
//! factors of six unknowns with pivoting take 2.4 times as long in a band.

use super::kernel::{Elimination, Entries, Factor, FactorError, Factored, is_pivot, largest_magnitude};
use crate::lanes::Real;
use crate::sparse::order::bandwidth;
use crate::sparse::pattern::SymmetricPattern;

/// A small square matrix and its factors, by rows.
#[derive(Debug)]
pub(super) struct Dense {
    dimension: usize,
    elimination: Elimination,
    /// Where each entry of the lower triangle stands, and its mirror image.
    places: Vec<[u32; 2]>,
    matrix: Vec<f64>,
    /// L and U, with the reciprocal pivots on the diagonal.
    factors: Vec<f64>,
    /// The row that was exchanged with each row when it was eliminated, of a matrix that needs that.
    exchanged: Vec<u32>,
}

/// Calls a function with a dimension that the compiler knows where it is small.
macro_rules! of_dimension {
    ($dimension:expr, $function:ident($($argument:expr),*)) => {
        match $dimension {
            2 => $function(2, $($argument),*),
            3 => $function(3, $($argument),*),
            4 => $function(4, $($argument),*),
            5 => $function(5, $($argument),*),
            6 => $function(6, $($argument),*),
            n => $function(n, $($argument),*),
        }
    };
}

pub(in crate::sparse) use of_dimension;

/// Runs a block for each unknown; up to six of them one after the other, since the compiler leaves inner
/// loops as they are where their bounds depend on an outer one.
macro_rules! each_unknown {
    ($n:expr, $k:ident, $block:block) => {
        match $n {
            0..=6 => each_unknown!(@ $n, $k, $block, 0, 1, 2, 3, 4, 5),
            _ => for $k in 0..$n $block
        }
    };
    (@ $n:expr, $k:ident, $block:block, $($unknown:literal),*) => {{
        $(if $unknown < $n {
            let $k = $unknown;
            $block
        })*
    }};
}

impl Dense {
    /// For matrices that may be anything.
    pub(super) fn pivoted(pattern: &SymmetricPattern) -> Self {
        let exchanged = vec![0; pattern.dimension()];
        Self { elimination: Elimination::General, exchanged, ..Self::new(pattern) }
    }

    /// For matrices that need no pivoting.
    pub(super) fn new(pattern: &SymmetricPattern) -> Self {
        let dimension = pattern.dimension();
        let place = |row: usize, column: usize| (row * dimension + column) as u32;
        Self {
            elimination: Elimination::Banded { bandwidth: bandwidth(pattern), renumbered: false },
            places: pattern.entries().map(|(i, j)| [place(i, j), place(j, i)]).collect(),
            matrix: vec![0.0; dimension * dimension],
            factors: vec![0.0; dimension * dimension],
            exchanged: Vec::new(),
            dimension,
        }
    }
}

impl Factor for Dense {
    fn factor(&mut self, entries: &Entries<'_>) -> Factored {
        let Self { dimension, places, matrix, factors, exchanged, .. } = self;
        let upper = entries.upper.unwrap_or(entries.lower);
        // The other entries stay zero.
        for (&[place, mirror], (&lower, &upper)) in places.iter().zip(entries.lower.iter().zip(upper)) {
            matrix[mirror as usize] = upper;
            matrix[place as usize] = lower;
        }
        let least = entries.smallest_pivot;
        if exchanged.is_empty() {
            return of_dimension!(*dimension, eliminate(matrix, factors, least));
        }
        of_dimension!(*dimension, eliminate_with_exchanges(matrix, factors, exchanged, least))
    }

    fn solve(&mut self, x: &mut [f64]) {
        for (k, &other) in self.exchanged.iter().enumerate() {
            x.swap(k, other as usize);
        }
        of_dimension!(self.dimension, substitute(&self.factors, x));
    }

    fn elimination(&self) -> Elimination {
        self.elimination
    }

    fn residual(&self, _: &Entries<'_>, x: &[f64], b: &[f64], residual: &mut [f64]) {
        of_dimension!(self.dimension, leave(&self.matrix, x, b, residual));
    }
}

/// The factors of a matrix by rows that needs no pivoting. A pivot is refused below the part `least` of
/// the largest entry of its row and column.
#[inline(always)]
pub(in crate::sparse) fn eliminate(n: usize, matrix: &[f64], factors: &mut [f64], least: f64) -> Factored {
    let (matrix, factors) = (&matrix[..n * n], &mut factors[..n * n]);
    factors.copy_from_slice(matrix);
    let norm = largest_magnitude(matrix);
    each_unknown!(n, k, {
        let pivot = factors[k * n + k];
        // A pivot beside all entries is one beside some of them.
        if !is_pivot(pivot, norm, least) && !is_pivot(pivot, scale(n, k, matrix), least) {
            return Err(FactorError { pivot, index: k });
        }
        pass(n, k, factors);
    });
    Ok(())
}

#[cold]
fn scale(n: usize, k: usize, matrix: &[f64]) -> f64 {
    scale_of(n, k, matrix)
}

/// The largest entry of a row and column, from the diagonal on.
// Plain loops here and below: closures lose the instructions of registers.
#[inline(always)]
pub(crate) fn scale_of<T: Real>(n: usize, k: usize, matrix: &[T]) -> T {
    let mut scale = matrix[k * n + k].abs();
    for i in k..n {
        let (below, beside) = (matrix[i * n + k].abs(), matrix[k * n + i].abs());
        scale = T::select(scale.lt(below), below, scale);
        scale = T::select(scale.lt(beside), beside, scale);
    }
    scale
}

#[inline(always)]
fn eliminate_with_exchanges(
    n: usize,
    matrix: &[f64],
    factors: &mut [f64],
    exchanged: &mut [u32],
    least: f64,
) -> Factored {
    let (matrix, factors, exchanged) = (&matrix[..n * n], &mut factors[..n * n], &mut exchanged[..n]);
    factors.copy_from_slice(matrix);
    let norm = largest_magnitude(matrix);
    for k in 0..n {
        let size = |factors: &[f64], row: usize| factors[row * n + k].abs();
        // NaN is no pivot: the test below finds it where nothing else is left.
        let row =
            (k..n).fold(k, |best, row| if size(factors, row) > size(factors, best) { row } else { best });
        exchanged[k] = row as u32;
        if row != k {
            (0..n).for_each(|j| factors.swap(k * n + j, row * n + j));
        }
        let pivot = factors[k * n + k];
        if !is_pivot(pivot, norm, least) {
            return Err(FactorError { pivot, index: k });
        }
        pass(n, k, factors);
    }
    Ok(())
}

/// Eliminates unknown k from the rows below it.
#[inline(always)]
pub(crate) fn pass<T: Real>(n: usize, k: usize, factors: &mut [T]) {
    let (done, rest) = factors.split_at_mut((k + 1) * n);
    let row = &mut done[k * n..];
    row[k] = row[k].recip();
    let zero = row[k].number(0.0);
    for i in 0..n - 1 - k {
        let other = &mut rest[i * n..(i + 1) * n];
        let factor = other[k] * row[k];
        other[k] = factor;
        // Unless it is zero, to the sign of zeros.
        let is_zero = T::both(factor.le(zero), zero.le(factor));
        for j in k + 1..n {
            other[j] = T::select(is_zero, other[j], other[j] - factor * row[j]);
        }
    }
}

/// x ← −A⁻¹ r with the factors of A.
#[inline(always)]
pub(crate) fn solve<T: Real>(n: usize, factors: &[T], residual: &[T], x: &mut [T]) {
    let (residual, x) = (&residual[..n], &mut x[..n]);
    for row in 0..n {
        x[row] = -residual[row];
    }
    substitute(n, factors, x);
}

/// x ← A⁻¹ x with its factors.
#[inline(always)]
fn substitute<T: Real>(n: usize, factors: &[T], x: &mut [T]) {
    let (factors, x) = (&factors[..n * n], &mut x[..n]);
    each_unknown!(n, k, {
        for j in 0..k {
            x[k] = x[k] - factors[k * n + j] * x[j];
        }
    });
    each_unknown!(n, before, {
        let k = n - 1 - before;
        for j in k + 1..n {
            x[k] = x[k] - factors[k * n + j] * x[j];
        }
        x[k] = x[k] * factors[k * n + k];
    });
}

/// b − A x, written over `residual`.
#[inline(always)]
fn leave(n: usize, matrix: &[f64], x: &[f64], b: &[f64], residual: &mut [f64]) {
    let (matrix, x, b, residual) = (&matrix[..n * n], &x[..n], &b[..n], &mut residual[..n]);
    for i in 0..n {
        residual[i] = (0..n).fold(b[i], |rest, j| rest - matrix[i * n + j] * x[j]);
    }
}
