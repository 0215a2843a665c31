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

/// Rows and the links before them: row c holds S(c, c−1), S(c, c) and S(c−1, c).
///
/// They are eliminated from both ends towards the row in the middle. Each elimination is a chain of dependent operations, in
/// which a processor mostly waits; two of them at once take the time of one. After factoring, a row holds 1/pivot, and a link
/// its entries divided by the pivot of the row from which the elimination comes.
#[derive(Debug, Clone)]
pub(super) struct Tridiagonal {
    pub(super) values: Vec<f64>,
}

/// The elimination of one end: what the next pivot loses, and the entry of its row that was eliminated.
struct End {
    loss: f64,
    eliminated: f64,
    failed: Option<(usize, f64)>,
}

impl End {
    const fn new() -> Self {
        Self { loss: 0.0, eliminated: 0.0, failed: None }
    }

    /// Makes the reciprocal pivot of a row.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "as a call it breaks up the two interleaved eliminations")]
    fn pivot(&mut self, row: usize, diagonal: &mut f64) -> f64 {
        let pivot = *diagonal - self.loss;
        if negligible(pivot, diagonal.abs().max(self.eliminated.abs())) && self.failed.is_none() {
            self.failed = Some((row, pivot));
        }
        *diagonal = 1.0 / pivot;
        *diagonal
    }

    /// Passes a link, of which `eliminated` is the entry of the next row.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "as a call it breaks up the two interleaved eliminations")]
    fn pass(&mut self, reciprocal: f64, eliminated: &mut f64, other: &mut f64) {
        // The product stands apart so that one multiplication and the division are all there is on the critical path.
        self.loss = (*eliminated * *other) * reciprocal;
        self.eliminated = *eliminated;
        *eliminated *= reciprocal;
        *other *= reciprocal;
    }
}

impl Tridiagonal {
    pub(super) fn new(dimension: usize) -> Self {
        Self { values: vec![0.0; 3 * dimension] }
    }

    pub(super) fn position(row: usize, column: usize) -> usize {
        3 * row.max(column) + 1 + column.saturating_sub(row).min(1) - row.saturating_sub(column).min(1)
    }

    pub(super) fn factor(&mut self) -> Result<(), ZeroPivot> {
        let rows = self.values.as_chunks_mut::<3>().0;
        let count = rows.len();
        let middle = count / 2;
        let (mut down, mut up) = (End::new(), End::new());
        for step in 0..middle {
            let reciprocal = down.pivot(step, &mut rows[step][1]);
            let [lower, _, upper] = &mut rows[step + 1];
            down.pass(reciprocal, lower, upper);
            let other = count - 1 - step;
            if other > middle {
                let [lower, diagonal, upper] = &mut rows[other];
                let reciprocal = up.pivot(other, diagonal);
                up.pass(reciprocal, upper, lower);
            }
        }
        let Some([_, diagonal, _]) = rows.get_mut(middle) else { return Ok(()) };
        down.loss += up.loss;
        down.eliminated = down.eliminated.abs().max(up.eliminated.abs());
        down.pivot(middle, diagonal);
        match up.failed.or(down.failed) {
            None => Ok(()),
            Some((row, pivot)) => Err(ZeroPivot { row, pivot }),
        }
    }

    /// x ← −S⁻¹ r.
    pub(super) fn solve(&self, residual: &[f64], x: &mut [f64]) {
        let rows = self.values.as_chunks::<3>().0;
        let count = rows.len();
        let middle = count / 2;
        let (residual, x) = (&residual[..count], &mut x[..count]);
        if count == 0 {
            return;
        }
        // Towards the middle, where the two ends meet.
        let (mut down, mut up) = (0.0, 0.0);
        for step in 0..middle {
            let [lower, reciprocal, _] = rows[step];
            down = -residual[step] - lower * down;
            x[step] = down * reciprocal;
            let other = count - 1 - step;
            if other > middle {
                let link = if step == 0 { 0.0 } else { rows[other + 1][2] };
                up = -residual[other] - link * up;
                x[other] = up * rows[other][1];
            }
        }
        let below = if middle + 1 < count { rows[middle + 1][2] } else { 0.0 };
        let [lower, reciprocal, _] = rows[middle];
        let centre = (-residual[middle] - lower * down - below * up) * reciprocal;
        x[middle] = centre;
        // And back to the ends.
        (down, up) = (centre, centre);
        for step in 1..=middle {
            up = x[middle - step] - rows[middle - step + 1][2] * up;
            x[middle - step] = up;
            if middle + step < count {
                down = x[middle + step] - rows[middle + step][0] * down;
                x[middle + step] = down;
            }
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
