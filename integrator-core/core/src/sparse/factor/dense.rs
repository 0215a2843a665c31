//! Small matrices of any kind: L U with partial pivoting, all entries stored.

use super::kernel::{Elimination, Entries, Factor, FactorError};
use crate::sparse::pattern::SymmetricPattern;

/// A small square matrix and its factors, by rows.
#[derive(Debug)]
pub(super) struct Dense {
    dimension: usize,
    /// Where each entry of the lower triangle stands, and its mirror image.
    places: Vec<[u32; 2]>,
    factors: Vec<f64>,
    /// The row that was exchanged with each row, when it was eliminated.
    exchanged: Vec<u32>,
}

impl Dense {
    pub(super) fn new(pattern: &SymmetricPattern) -> Self {
        let dimension = pattern.dimension();
        let place = |row: usize, column: usize| (row * dimension + column) as u32;
        Self {
            places: pattern.entries().map(|(i, j)| [place(i, j), place(j, i)]).collect(),
            factors: vec![0.0; dimension * dimension],
            exchanged: vec![0; dimension],
            dimension,
        }
    }
}

impl Factor for Dense {
    fn factor(&mut self, entries: &Entries<'_>) -> Result<(), FactorError> {
        let n = self.dimension;
        self.factors.fill(0.0);
        let upper = entries.upper.unwrap_or(entries.lower);
        let mut norm = 0.0_f64;
        for (&[place, mirror], (&lower, &upper)) in self.places.iter().zip(entries.lower.iter().zip(upper)) {
            self.factors[mirror as usize] = upper;
            self.factors[place as usize] = lower;
            norm = norm.max(lower.abs()).max(upper.abs());
        }
        for k in 0..n {
            let size = |row: usize| self.factors[row * n + k].abs();
            // What is not a number is no pivot, and is found below where nothing else is left.
            let pivot = (k..n).fold(k, |best, row| if size(row) > size(best) { row } else { best });
            self.exchanged[k] = pivot as u32;
            if pivot != k {
                let (above, below) = self.factors.split_at_mut(pivot * n);
                above[k * n..k * n + n].swap_with_slice(&mut below[..n]);
            }
            let value = self.factors[k * n + k];
            if !entries.acceptable(value, norm) {
                return Err(FactorError { pivot: value, index: k });
            }
            let (done, rest) = self.factors.split_at_mut((k + 1) * n);
            let row = &done[k * n..];
            let reciprocal = 1.0 / value;
            for other in rest.chunks_exact_mut(n) {
                if other[k] != 0.0 {
                    let factor = other[k] * reciprocal;
                    other[k] = factor;
                    for (entry, above) in other[k + 1..].iter_mut().zip(&row[k + 1..]) {
                        *entry -= factor * above;
                    }
                }
            }
        }
        Ok(())
    }

    fn solve(&mut self, x: &mut [f64]) {
        let n = self.dimension;
        for (k, &other) in self.exchanged.iter().enumerate() {
            x.swap(k, other as usize);
        }
        for k in 1..n {
            let row = &self.factors[k * n..k * n + k];
            let known: f64 = row.iter().zip(&*x).map(|(factor, x)| factor * x).sum();
            x[k] -= known;
        }
        for k in (0..n).rev() {
            let row = &self.factors[k * n + k..(k + 1) * n];
            let known: f64 = row[1..].iter().zip(&x[k + 1..]).map(|(factor, x)| factor * x).sum();
            x[k] = (x[k] - known) / row[0];
        }
    }

    fn elimination(&self) -> Elimination {
        Elimination::General
    }
}
