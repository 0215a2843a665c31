//! Bands: A = L D U in contiguous columns of one width; U = Lᵀ of a symmetric matrix is not stored.
//!
//! Chains under implicit methods and penalties use it,
//! and chains under RATTLE with drag between neighbours.
//!
//! Column j of the lower triangle holds A(j, j), A(j + 1, j), …, A(j + b, j), row j of the upper one
//! A(j, j), …, A(j, j + b); after the factorization 1/D(j) and L below it, and U behind it.
//! Eliminating unknown j changes only the b columns and rows behind it, so the whole work happens in a
//! window that moves through memory once.
//! For the widths of chains (b ≤ 8) the window has a length known to the compiler, which unrolls it.
//! The last b columns are padding, so that the window never meets the end.

use super::kernel::{Elimination, Entries, Factor, FactorError, Factored, larger};

/// A band and its factors.
#[derive(Debug)]
pub(super) struct Banded {
    /// b + 1.
    width: usize,
    /// (dimension + b) columns of `width` values.
    lower: Vec<f64>,
    /// The upper triangle by rows, for unsymmetric matrices.
    upper: Vec<f64>,
    /// True if the last matrix was symmetric.
    symmetric: bool,
    /// The largest entry of each column and row before the factorization.
    scales: Vec<f64>,
    /// A right-hand side, and b zeros.
    x: Vec<f64>,
}

/// Calls a function with a width known to the compiler, for the widths of chains.
macro_rules! of_width {
    ($width:expr, $function:ident($($argument:expr),*)) => {
        match $width {
            3 => $function(3, $($argument),*),
            4 => $function(4, $($argument),*),
            5 => $function(5, $($argument),*),
            6 => $function(6, $($argument),*),
            7 => $function(7, $($argument),*),
            8 => $function(8, $($argument),*),
            9 => $function(9, $($argument),*),
            width => $function(width, $($argument),*),
        }
    };
}

impl Banded {
    pub(super) fn new(dimension: usize, bandwidth: usize, square: bool) -> Self {
        let width = bandwidth + 1;
        let length = (dimension + bandwidth) * width;
        Self {
            width,
            lower: vec![0.0; length],
            upper: vec![0.0; if square { length } else { 0 }],
            symmetric: true,
            scales: vec![0.0; dimension],
            x: vec![0.0; dimension + bandwidth],
        }
    }
}

impl Factor for Banded {
    fn factor(&mut self, entries: &Entries<'_>) -> Factored {
        let Self { width, lower, upper, scales, .. } = self;
        self.symmetric = entries.upper.is_none();
        scales.fill(0.0);
        of_width!(*width, scatter(entries, entries.lower, lower, scales));
        let upper = entries.upper.map(|values| {
            of_width!(*width, scatter(entries, values, upper, scales));
            &mut upper[..]
        });
        of_width!(*width, eliminate(entries, lower, upper, scales))
    }

    fn solve(&mut self, x: &mut [f64]) {
        let Self { width, lower, upper, symmetric, x: padded, .. } = self;
        padded[..x.len()].copy_from_slice(x);
        padded[x.len()..].fill(0.0);
        let (lower, upper) = (&*lower, if *symmetric { &*lower } else { &*upper });
        of_width!(*width, substitute(x.len(), lower, upper, padded));
        x.copy_from_slice(&padded[..x.len()]);
    }

    fn elimination(&self) -> Elimination {
        Elimination::Banded { bandwidth: self.width - 1, renumbered: false }
    }
}

/// Writes the values into the band and finds the largest of each column, in one pass, since long bands
/// are limited by memory.
#[inline(always)]
fn scatter(width: usize, entries: &Entries<'_>, values: &[f64], band: &mut [f64], scales: &mut [f64]) {
    let (pattern, mut at) = (entries.pattern, 0);
    let columns = band.chunks_exact_mut(width).zip(scales).zip(&pattern.starts()[1..]);
    for (j, ((column, scale), &end)) in columns.enumerate() {
        column.fill(0.0);
        for (&row, &value) in pattern.rows()[at..end].iter().zip(&values[at..end]) {
            column[row as usize - j] = value;
            *scale = larger(*scale, value.abs());
        }
        at = end;
    }
    band[pattern.dimension() * width..].fill(0.0);
}

#[inline(always)]
fn eliminate(
    width: usize,
    entries: &Entries<'_>,
    lower: &mut [f64],
    mut upper: Option<&mut [f64]>,
    scales: &[f64],
) -> Factored {
    for (index, &scale) in scales.iter().enumerate() {
        let window = index * width..(index + width) * width;
        let (column, columns) = lower[window.clone()].split_at_mut(width);
        let pivot = column[0];
        if !entries.acceptable(pivot, scale) {
            return Err(FactorError { pivot, index });
        }
        let inverse = 1.0 / pivot;
        let columns = (1..width).zip(columns.chunks_exact_mut(width));
        if let Some(upper) = &mut upper {
            let (row, rows) = upper[window].split_at_mut(width);
            for ((k, next_column), next_row) in columns.zip(rows.chunks_exact_mut(width)) {
                subtract(next_column, row[k] * inverse, &column[k..]);
                // With its diagonal entry, which is not used.
                subtract(next_row, column[k] * inverse, &row[k..]);
            }
            scale_by(inverse, row);
        } else {
            for (k, next) in columns {
                subtract(next, column[k] * inverse, &column[k..]);
            }
        }
        scale_by(inverse, column);
        column[0] = inverse;
    }
    Ok(())
}

/// y ← y − c x, where y may be longer.
#[inline(always)]
fn subtract(y: &mut [f64], factor: f64, x: &[f64]) {
    for (y, &x) in y.iter_mut().zip(x) {
        *y -= factor * x;
    }
}

#[inline(always)]
fn scale_by(factor: f64, x: &mut [f64]) {
    x.iter_mut().for_each(|x| *x *= factor);
}

/// x ← U⁻¹ D⁻¹ L⁻¹ x, where x is followed by zeros.
#[inline(always)]
fn substitute(width: usize, dimension: usize, lower: &[f64], upper: &[f64], x: &mut [f64]) {
    for (place, column) in lower.chunks_exact(width).take(dimension).enumerate() {
        let (known, window) = x[place..place + width].split_at_mut(1);
        subtract(window, known[0], &column[1..]);
        known[0] *= column[0];
    }
    for (place, row) in upper.chunks_exact(width).take(dimension).enumerate().rev() {
        let (unknown, window) = x[place..place + width].split_at_mut(1);
        // The nearest neighbour, which is known last, comes
        // last: the chain of dependent operations stays short.
        for k in (1..width).rev() {
            unknown[0] -= row[k] * window[k - 1];
        }
    }
}
