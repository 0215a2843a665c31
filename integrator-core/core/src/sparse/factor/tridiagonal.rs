//! Tridiagonal matrices: L D U from both ends towards the row in the middle.
//!
//! SHAKE and RATTLE of chains use it: a band from one end takes 3 to 5 times as long.
//!
//! Each elimination is a chain of dependent operations, in which a processor mostly waits; two of them
//! at once take the time of one.

use super::kernel::{Elimination, Entries, Factor, FactorError, Factored, larger};

/// Rows and the links before them: row c holds A(c, c−1), A(c, c) and A(c−1, c).
///
/// After factoring, a row holds 1/pivot, and a link its entries divided by the pivot of the row from
/// which the elimination comes.
#[derive(Debug)]
pub(super) struct Tridiagonal {
    rows: Vec<[f64; 3]>,
}

/// The elimination from one end: the loss of the next pivot, and the eliminated entry of its row.
struct TridiagonalEnd<'a> {
    entries: &'a Entries<'a>,
    loss: f64,
    eliminated: f64,
    failed: Option<FactorError>,
}

impl<'a> TridiagonalEnd<'a> {
    const fn new(entries: &'a Entries<'a>) -> Self {
        Self { entries, loss: 0.0, eliminated: 0.0, failed: None }
    }

    /// The first failure is told.
    #[cold]
    fn fail(&mut self, error: FactorError) {
        self.failed.get_or_insert(error);
    }

    /// Makes the reciprocal pivot of a row.
    #[inline(always)]
    fn pivot(&mut self, index: usize, diagonal: &mut f64) -> f64 {
        let pivot = *diagonal - self.loss;
        let scale = larger(diagonal.abs(), self.eliminated.abs());
        if !self.entries.acceptable(pivot, scale) {
            self.fail(FactorError { pivot, index });
        }
        *diagonal = 1.0 / pivot;
        *diagonal
    }

    /// Passes a link, of which `eliminated` is the entry of the next row.
    #[inline(always)]
    fn pass(&mut self, reciprocal: f64, eliminated: &mut f64, other: &mut f64) {
        // With the product apart, the critical path is one multiplication and the division.
        self.loss = (*eliminated * *other) * reciprocal;
        self.eliminated = *eliminated;
        *eliminated *= reciprocal;
        *other *= reciprocal;
    }
}

impl Tridiagonal {
    pub(super) fn new(dimension: usize) -> Self {
        Self { rows: vec![[0.0; 3]; dimension] }
    }

    fn scatter(&mut self, entries: &Entries<'_>) {
        let (lower, upper) = (entries.lower, entries.upper.unwrap_or(entries.lower));
        let (mut link, mut at, upper) = ([0.0; 2], 0, &upper[..lower.len()]);
        for (row, &end) in self.rows.iter_mut().zip(&entries.pattern.starts()[1..]) {
            *row = [link[0], lower[at], link[1]];
            link = if end - at > 1 { [lower[at + 1], upper[at + 1]] } else { [0.0; 2] };
            at = end;
        }
    }
}

impl Factor for Tridiagonal {
    fn factor(&mut self, entries: &Entries<'_>) -> Factored {
        self.scatter(entries);
        let rows = &mut self.rows[..];
        let count = rows.len();
        let middle = count / 2;
        let (mut down, mut up) = (TridiagonalEnd::new(entries), TridiagonalEnd::new(entries));
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
        down.eliminated = larger(down.eliminated.abs(), up.eliminated.abs());
        down.pivot(middle, diagonal);
        up.failed.or(down.failed).map_or(Ok(()), Err)
    }

    fn solve(&mut self, x: &mut [f64]) {
        let middle = self.rows.len() / 2;
        let (above, rest) = self.rows.split_at(middle);
        let (x_above, x_rest) = x.split_at_mut(middle);
        let (Some((centre, below)), Some((x_centre, x_below))) =
            (rest.split_first(), x_rest.split_first_mut())
        else {
            return;
        };
        // As many rows above as below, and perhaps one more. Slices of this very length need no checks.
        let both = below.len();
        let x_below = &mut x_below[..both];

        // Towards the middle, where the two ends meet.
        let (mut down, mut up, mut link) = (0.0, 0.0, 0.0);
        let (first, more) = above.split_at(both);
        let (x_first, x_more) = x_above.split_at_mut(both);
        for k in 0..both {
            let [lower, reciprocal, _] = first[k];
            down = x_first[k] - lower * down;
            x_first[k] = down * reciprocal;
            let last = both - 1 - k;
            let [_, reciprocal, upper] = below[last];
            up = x_below[last] - link * up;
            x_below[last] = up * reciprocal;
            link = upper;
        }
        for ([lower, reciprocal, _], x) in more.iter().zip(x_more) {
            down = *x - lower * down;
            *x = down * reciprocal;
        }
        let [lower, reciprocal, upper] = *centre;
        *x_centre = (*x_centre - lower * down - link * up) * reciprocal;

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

    fn elimination(&self) -> Elimination {
        Elimination::Banded { bandwidth: 1, renumbered: false }
    }
}
