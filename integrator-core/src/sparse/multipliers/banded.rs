//! LU without pivoting of tridiagonal and banded matrices.
//!
//! G₁ M⁻¹ G₂ᵀ is positive definite for G₁ = G₂ of full rank, and remains near that for the positions of one step, so
//! that pivoting would only cost. A pivot that is small against its row is an error instead.

use super::ZeroPivot;

/// A pivot below this part of the largest entry of its row is taken for zero: the equation depends on the others.
pub(super) const NEGLIGIBLE: f64 = 1e-13;

/// Whether a pivot is zero but for rounding, or not a number.
pub(super) fn negligible(pivot: f64, scale: f64) -> bool {
    pivot.is_nan() || pivot.abs() <= NEGLIGIBLE * scale
}

/// Rows (lower, diagonal, upper), eliminated from both ends towards the row in the middle.
///
/// Each elimination is a chain of dependent operations, in which a processor mostly waits; two of them at once take the
/// time of one. After factoring, a row of the upper half holds (multiplier, 1/pivot, upper/pivot), one of the lower half
/// (lower/pivot, 1/pivot, multiplier), the middle (multiplier, 1/pivot, multiplier).
#[derive(Debug, Clone)]
pub(super) struct Tridiagonal {
    pub(super) values: Vec<f64>,
}

/// The elimination of one end: the last reciprocal pivot and the entry that leads onwards from it.
struct End {
    reciprocal: f64,
    onward: f64,
    failed: Option<(usize, f64)>,
}

impl End {
    const fn new() -> Self {
        Self { reciprocal: 0.0, onward: 0.0, failed: None }
    }

    /// Eliminates the entry towards the last row.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "as a call it breaks up the two interleaved eliminations")]
    fn eliminate(&mut self, row: usize, back: &mut f64, diagonal: &mut f64, onward: &mut f64) {
        // The product stands apart so that one multiplication and the division are all there is on the critical path.
        let pivot = *diagonal - (*back * self.onward) * self.reciprocal;
        if negligible(pivot, diagonal.abs().max(back.abs())) && self.failed.is_none() {
            self.failed = Some((row, pivot));
        }
        *back *= self.reciprocal;
        self.reciprocal = 1.0 / pivot;
        self.onward = *onward;
        *diagonal = self.reciprocal;
        *onward *= self.reciprocal;
    }
}

impl Tridiagonal {
    pub(super) fn new(dimension: usize) -> Self {
        Self { values: vec![0.0; 3 * dimension] }
    }

    pub(super) fn position(row: usize, column: usize) -> usize {
        3 * row + column + 1 - row
    }

    pub(super) fn factor(&mut self) -> Result<(), ZeroPivot> {
        let rows = self.values.as_chunks_mut::<3>().0;
        let count = rows.len();
        let half = count / 2;
        let (first, rest) = rows.split_at_mut(half);
        let Some((middle, last)) = rest.split_first_mut() else { return Ok(()) };
        let (mut down, mut up) = (End::new(), End::new());
        let (paired, single) = first.split_at_mut(last.len());
        for (step, ([l, d, u], [m, e, w])) in paired.iter_mut().zip(last.iter_mut().rev()).enumerate() {
            down.eliminate(step, l, d, u);
            up.eliminate(count - 1 - step, w, e, m);
        }
        for [l, d, u] in single {
            down.eliminate(half - 1, l, d, u);
        }
        let [l, d, u] = middle;
        let scale = d.abs().max(l.abs());
        let pivot = *d - (*l * down.onward) * down.reciprocal - (*u * up.onward) * up.reciprocal;
        *l *= down.reciprocal;
        *u *= up.reciprocal;
        *d = 1.0 / pivot;
        let own = negligible(pivot, scale).then_some((half, pivot));
        match down.failed.or(up.failed).or(own) {
            None => Ok(()),
            Some((row, pivot)) => Err(ZeroPivot { row, pivot }),
        }
    }

    pub(super) fn solve(&self, x: &mut [f64]) {
        let rows = self.values.as_chunks::<3>().0;
        let half = x.len() / 2;
        let (first, rest) = rows.split_at(half);
        let (x_first, x_rest) = x.split_at_mut(half);
        let (Some((middle, last)), Some((x_middle, x_last))) = (rest.split_first(), x_rest.split_first_mut())
        else {
            return;
        };
        let (paired, single) = first.split_at(last.len());
        let (x_paired, x_single) = x_first.split_at_mut(last.len());

        // Towards the middle.
        let (mut down, mut up) = (0.0, 0.0);
        let both = paired.iter().zip(&mut *x_paired).zip(last.iter().rev().zip(x_last.iter_mut().rev()));
        for ((row, x), (other, y)) in both {
            down = *x - row[0] * down;
            *x = down;
            up = *y - other[2] * up;
            *y = up;
        }
        for (row, x) in single.iter().zip(&mut *x_single) {
            down = *x - row[0] * down;
            *x = down;
        }
        let centre = (*x_middle - middle[0] * down - middle[2] * up) * middle[1];
        *x_middle = centre;

        // And back to the ends.
        (up, down) = (centre, centre);
        for (row, x) in single.iter().zip(x_single) {
            up = *x * row[1] - row[2] * up;
            *x = up;
        }
        for ((row, x), (other, y)) in paired.iter().zip(x_paired).rev().zip(last.iter().zip(x_last)) {
            up = *x * row[1] - row[2] * up;
            *x = up;
            down = *y * other[1] - other[0] * down;
            *y = down;
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
            if negligible(pivot, scale) {
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
