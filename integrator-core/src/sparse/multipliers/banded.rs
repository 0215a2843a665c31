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
/// which a processor mostly waits; two of them at once take the time of one. After factoring, a row holds −1/pivot, and a link
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
        let reciprocal = 1.0 / pivot;
        *diagonal = -reciprocal;
        reciprocal
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
        let middle = rows.len() / 2;
        let (above, rest) = rows.split_at(middle);
        let Some((centre, below)) = rest.split_first() else { return };
        let (r_above, r_rest) = residual[..rows.len()].split_at(middle);
        let (x_above, x_rest) = x[..rows.len()].split_at_mut(middle);
        let (Some((r_centre, r_below)), Some((x_centre, x_below))) =
            (r_rest.split_first(), x_rest.split_first_mut())
        else {
            return;
        };
        // As many rows above as below, and perhaps one more. Slices of this very length need no checks.
        let both = below.len();
        let (r_below, x_below) = (&r_below[..both], &mut x_below[..both]);

        // Towards the middle, where the two ends meet.
        let (mut down, mut up, mut link) = (0.0, 0.0, 0.0);
        let (first, more) = above.split_at(both);
        let (r_first, r_more) = r_above.split_at(both);
        let (x_first, x_more) = x_above.split_at_mut(both);
        for k in 0..both {
            let [lower, reciprocal, _] = first[k];
            down = r_first[k] - lower * down;
            x_first[k] = down * reciprocal;
            let last = both - 1 - k;
            let [_, reciprocal, upper] = below[last];
            up = r_below[last] - link * up;
            x_below[last] = up * reciprocal;
            link = upper;
        }
        for ([lower, reciprocal, _], (r, x)) in more.iter().zip(r_more.iter().zip(x_more)) {
            down = r - lower * down;
            *x = down * reciprocal;
        }
        let [lower, reciprocal, upper] = *centre;
        *x_centre = (r_centre - lower * down - link * up) * reciprocal;

        // And back to the ends.
        (down, up, link) = (*x_centre, *x_centre, upper);
        let (more, last) = above.split_at(above.len() - both);
        let (x_more, x_last) = x_above.split_at_mut(above.len() - both);
        for k in 0..both {
            down = x_below[k] - below[k][0] * down;
            x_below[k] = down;
            let before = both - 1 - k;
            up = x_last[before] - link * up;
            x_last[before] = up;
            link = last[before][2];
        }
        for ([_, _, upper], x) in more.iter().zip(x_more).rev() {
            up = *x - link * up;
            *x = up;
            link = *upper;
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
