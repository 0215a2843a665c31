//! The second derivatives of the ends of stretches, by differences of the exact first ones.

/// The change of an unknown for a difference, as a part of it.
const SHIFT: f64 = 1e-5;
/// The part of a change of first derivatives that second ones may miss before they are found anew.
const MISSED: f64 = 0.03;
/// A step that changes first derivatives by more than this part of them tells nothing of second ones.
const FAR: f64 = 0.5;
/// The part of differences that is not symmetric, from which they are no second derivatives.
const ODD: f64 = 0.03;

/// First and second derivatives of the ends of all stretches by their directions.
#[derive(Default)]
pub(super) struct Bends {
    /// The unknowns of the directions of each stretch.
    along: Vec<Vec<usize>>,
    /// Sets of unknowns of which no stretch has two.
    together: Vec<Vec<usize>>,
    /// The point of the first derivatives, row by row for each stretch.
    at: Vec<f64>,
    first: Vec<Vec<f64>>,
    /// For each row of a stretch a matrix; none before they are needed.
    second: Vec<Vec<f64>>,
    /// True once differences have shown no second derivatives.
    is_lost: bool,
}

impl Bends {
    pub(super) fn new(along: Vec<Vec<usize>>, unknowns: usize) -> Self {
        let mut of: Vec<Vec<usize>> = vec![Vec::new(); unknowns];
        for (stretch, own) in along.iter().enumerate() {
            own.iter().for_each(|unknown| of[*unknown].push(stretch));
        }
        let mut sets: Vec<(Vec<usize>, Vec<bool>)> = Vec::new();
        for (unknown, stretches) in of.iter().enumerate() {
            let free = sets.iter().position(|(_, taken)| stretches.iter().all(|stretch| !taken[*stretch]));
            let set = free.unwrap_or_else(|| {
                sets.push((Vec::new(), vec![false; along.len()]));
                sets.len() - 1
            });
            sets[set].0.push(unknown);
            stretches.iter().for_each(|stretch| sets[set].1[*stretch] = true);
        }
        let together = sets.into_iter().map(|(unknowns, _)| unknowns).collect();
        Self { along, together, ..Self::default() }
    }

    /// Takes the first derivatives at x; finds the second ones, unless those of another point still tell
    /// how the first ones have changed. The first point of all needs none.
    pub(super) fn stand<E>(
        &mut self,
        x: &[f64],
        first: Vec<Vec<f64>>,
        find: impl Fn(&[f64]) -> Result<Vec<Vec<f64>>, E>,
    ) -> Result<(), E> {
        let is_first = self.at.is_empty();
        let square = |of: &mut dyn Iterator<Item = f64>| of.map(|x| x * x).sum::<f64>();
        let size = square(&mut first.iter().flatten().copied());
        let before = first.iter().flatten().zip(self.first.iter().flatten());
        let changed = square(&mut before.map(|(now, before)| now - before));
        let is_far = changed > FAR * FAR * size;
        if is_far {
            self.second.clear();
        }
        let is_known = is_first || is_far || self.is_lost || self.tell(x, &first);
        (self.at, self.first) = (x.to_vec(), first);
        if is_known { Ok(()) } else { self.bend(find) }
    }

    /// True if the second derivatives tell the first ones at x.
    fn tell(&self, x: &[f64], first: &[Vec<f64>]) -> bool {
        let moved: Vec<f64> = x.iter().zip(&self.at).map(|(x, at)| x - at).collect();
        let is_small = moved.iter().zip(x).all(|(moved, x)| moved.abs() <= SHIFT * (1.0 + x.abs()));
        let [mut missed, mut changed] = [0.0; 2];
        for (stretch, own) in self.along.iter().enumerate() {
            let Some(second) = self.second.get(stretch) else { return false };
            let n = own.len();
            let changes = first[stretch].iter().zip(&self.first[stretch]).map(|(now, before)| now - before);
            for (change, row) in changes.zip(second.chunks(n)) {
                let told: f64 = row.iter().zip(own).map(|(second, own)| second * moved[*own]).sum();
                missed += (change - told).powi(2);
                changed += change * change;
            }
        }
        is_small || missed <= MISSED * MISSED * changed
    }

    fn bend<E>(&mut self, find: impl Fn(&[f64]) -> Result<Vec<Vec<f64>>, E>) -> Result<(), E> {
        let sizes = self.first.iter().zip(&self.along).map(|(first, own)| first.len() * own.len());
        self.second = sizes.map(|size| vec![0.0; size]).collect();
        let away = |x: f64| SHIFT * (1.0 + x.abs());
        for together in &self.together {
            let mut shifted = self.at.clone();
            together.iter().for_each(|own| shifted[*own] += away(shifted[*own]));
            let found = find(&shifted).inspect_err(|_| self.second.clear())?;
            for (stretch, after) in found.iter().enumerate() {
                let (own, first) = (&self.along[stretch], &self.first[stretch]);
                let Some(k) = own.iter().position(|own| together.contains(own)) else { continue };
                for (place, (after, before)) in after.iter().zip(first).enumerate() {
                    let (row, other) = (place / own.len() * own.len(), place % own.len());
                    let slope = (after - before) / away(self.at[own[k]]);
                    self.second[stretch][(row + other) * own.len() + k] = slope;
                }
            }
        }
        let [mut odd, mut size] = [0.0; 2];
        for (second, own) in self.second.iter_mut().zip(&self.along) {
            for matrix in second.chunks_mut(own.len() * own.len()) {
                for (i, j) in (0..own.len()).flat_map(|i| (0..i).map(move |j| (i, j))) {
                    let [upper, lower] = [matrix[j * own.len() + i], matrix[i * own.len() + j]];
                    odd += (upper - lower).powi(2);
                    size += upper * upper + lower * lower;
                    (matrix[j * own.len() + i], matrix[i * own.len() + j]) =
                        (0.5 * (upper + lower), 0.5 * (upper + lower));
                }
            }
        }
        // First derivatives that are exact on constraints alone have no second ones.
        if odd > ODD * ODD * size {
            self.second.clear();
            self.is_lost = true;
        }
        Ok(())
    }

    /// The sum of the second derivatives of all rows, each with its multiplier: the entries on and above
    /// the diagonal.
    pub(super) fn weighed(&self, multipliers: &[f64]) -> Vec<(usize, usize, f64)> {
        let (mut all, mut next) = (Vec::new(), multipliers);
        for (stretch, own) in self.along.iter().enumerate() {
            let (n, second) = (own.len(), self.second.get(stretch).map_or(&[][..], Vec::as_slice));
            let (multipliers, rest) = next.split_at(multipliers.len() / self.along.len());
            next = rest;
            for (i, row) in own.iter().enumerate() {
                for (j, column) in own.iter().enumerate().skip(i) {
                    let parts = second.iter().skip(i * n + j).step_by(n * n).zip(multipliers);
                    let value = parts.map(|(second, multiplier)| second * multiplier).sum();
                    all.push(((*row).min(*column), (*row).max(*column), value));
                }
            }
        }
        all
    }
}
