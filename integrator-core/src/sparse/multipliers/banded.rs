//! LU without pivoting of tridiagonal and banded matrices.
//!
//! G₁ M⁻¹ G₂ᵀ is positive definite for G₁ = G₂ of full rank, and remains near that for the positions of one step, so
//! that pivoting would only cost. A pivot that is small against its row is an error instead.

use super::ZeroPivot;

/// A pivot below this part of the largest entry of its row is taken for zero: the equation depends on the others.
const NEGLIGIBLE: f64 = 1e-13;

/// Rows (lower, diagonal, upper); after factoring (multiplier, reciprocal pivot, upper).
#[derive(Debug, Clone)]
pub(super) struct Tridiagonal {
    pub(super) values: Vec<f64>,
}

impl Tridiagonal {
    pub(super) fn new(dimension: usize) -> Self {
        Self { values: vec![0.0; 3 * dimension] }
    }

    pub(super) fn position(row: usize, column: usize) -> usize {
        3 * row + column + 1 - row
    }

    pub(super) fn factor(&mut self) -> Result<(), ZeroPivot> {
        let (mut reciprocal, mut upper) = (0.0, 0.0);
        for (row, entries) in self.values.as_chunks_mut::<3>().0.iter_mut().enumerate() {
            let scale = entries[1].abs().max(entries[0].abs());
            // The product stands apart so that only one multiplication and the division are on the critical path.
            let pivot = entries[1] - entries[0] * upper * reciprocal;
            if !(pivot.abs() > NEGLIGIBLE * scale) {
                return Err(ZeroPivot { row, pivot });
            }
            entries[0] *= reciprocal;
            reciprocal = 1.0 / pivot;
            entries[1] = reciprocal;
            upper = entries[2];
        }
        Ok(())
    }

    pub(super) fn solve(&self, x: &mut [f64]) {
        let rows = self.values.as_chunks::<3>().0;
        let mut previous = 0.0;
        for (entry, row) in x.iter_mut().zip(rows) {
            previous = *entry - row[0] * previous;
            *entry = previous;
        }
        let mut next = 0.0;
        for (entry, row) in x.iter_mut().zip(rows).rev() {
            // (x − u next) / d, with the division by the pivot taken off the critical path.
            next = *entry * row[1] - (row[2] * row[1]) * next;
            *entry = next;
        }
    }
}

/// Rows of 2 b + 1 entries; after factoring multipliers, reciprocal pivot, upper entries.
#[derive(Debug, Clone)]
pub(super) struct Banded {
    half: usize,
    pub(super) values: Vec<f64>,
}

impl Banded {
    pub(super) fn new(dimension: usize, half: usize) -> Self {
        Self { half, values: vec![0.0; (2 * half + 1) * dimension] }
    }

    pub(super) fn position(&self, row: usize, column: usize) -> usize {
        row * (2 * self.half + 1) + column + self.half - row
    }

    pub(super) fn factor(&mut self) -> Result<(), ZeroPivot> {
        let half = self.half;
        let width = 2 * half + 1;
        let rows = self.values.len() / width;
        for row in 0..rows {
            let (done, rest) = self.values.split_at_mut(row * width);
            let current = &mut rest[..width];
            let scale = current.iter().fold(0.0_f64, |largest, entry| largest.max(entry.abs()));
            for distance in (1..=half.min(row)).rev() {
                let factor = current[half - distance];
                if factor == 0.0 {
                    continue;
                }
                let above = &done[(row - distance) * width..(row - distance + 1) * width];
                let factor = factor * above[half];
                current[half - distance] = factor;
                let target = &mut current[half - distance + 1..=2 * half - distance];
                for (entry, &upper) in target.iter_mut().zip(&above[half + 1..]) {
                    *entry -= factor * upper;
                }
            }
            let pivot = current[half];
            if !(pivot.abs() > NEGLIGIBLE * scale) {
                return Err(ZeroPivot { row, pivot });
            }
            current[half] = 1.0 / pivot;
        }
        Ok(())
    }

    pub(super) fn solve(&self, x: &mut [f64]) {
        let half = self.half;
        let width = 2 * half + 1;
        for row in 0..x.len() {
            let reach = half.min(row);
            let entries = &self.values[row * width + half - reach..row * width + half];
            let known: f64 = entries.iter().zip(&x[row - reach..row]).map(|(a, b)| a * b).sum();
            x[row] -= known;
        }
        for row in (0..x.len()).rev() {
            let reach = half.min(x.len() - 1 - row);
            let entries = &self.values[row * width + half..];
            let known: f64 =
                entries[1..=reach].iter().zip(&x[row + 1..=row + reach]).map(|(a, b)| a * b).sum();
            x[row] = (x[row] - known) * entries[0];
        }
    }
}
