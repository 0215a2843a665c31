//! The position stage where forces change little with the velocity: sweeps instead of Newton's method.
//!
//! In the equations of [`HeldKick`] with f = M⁻¹ F, at all times
//!
//! ```text
//! u = w + c f + M⁻¹ G₀ᵀ x,
//! ```
//!
//! so that the kick is off by no more than c (M⁻¹ F(q₀, u, t₀) − f).  A sweep adds that, but for what a drag of the mean rate would take of
//! it again, and then corrects g with the factors of G₀ M⁻¹ G₀ᵀ that the foot has: nothing is differentiated or factored.  It multiplies
//! errors by c |M⁻¹ ∂F/∂v|, a thousandth for the air around a chain.

use super::failure::Failure;
use super::half_kick::{HeldKick, Stage};
use super::manifold::Manifold;
use super::newton::{Arrival, Progress, Verdict};
use super::vectors::{largest_product, scale};
use crate::method::largest::{LANES, Largest};
use crate::system::Constrained;

/// Kicks that change by more than this part of a change of velocity are left to Newton's method.
const SLOW: f64 = 0.1;

/// The same where the largest such part is known: a factorization costs as much as a few sweeps.
const STRONG: f64 = 0.005;

/// Changes of so large a part of the velocities are those of rounding.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// A kick is left where it will change by this part of the tolerance: what is left out in every step has the same sign, and adds up.
const LEFT: f64 = 0.1;

/// The sums of (c Δf)², c Δf Δu and Δu² from the velocity v before to the guess u, where f = F / M was f₋, in blocks of neighbours.
fn compare<const N: usize>(c: f64, known: [&[f64]; 5], sums: &mut [[f64; LANES]; 3]) {
    let [force, reciprocals, before, u, v] = known.map(|known| known.as_chunks::<N>().0);
    let known = force.iter().zip(reciprocals).zip(before).zip(u.iter().zip(v));
    for (((force, reciprocal), before), (u, v)) in known {
        for lane in 0..N {
            let kick = c * (reciprocal[lane] * force[lane] - before[lane]);
            let change = u[lane] - v[lane];
            sums[0][lane] += kick * kick;
            sums[1][lane] += kick * change;
            sums[2][lane] += change * change;
        }
    }
}

/// f ← f₋ + θ (F / M − f₋), u ← u + c (f − f₋) and q ← q₀ + h u, in blocks of neighbours; takes c (f − f₋).
fn follow<const N: usize>(
    (theta, c, h): (f64, f64, f64),
    known: [&[f64]; 4],
    followed: [&mut [f64]; 3],
    changes: &mut Largest,
) {
    let [force, reciprocals, before, foot] = known.map(|known| known.as_chunks::<N>().0);
    let [f, u, q] = followed.map(|followed| followed.as_chunks_mut::<N>().0);
    let known = force.iter().zip(reciprocals).zip(before).zip(foot);
    for (((f, u), q), (((force, reciprocal), before), foot)) in f.iter_mut().zip(u).zip(q).zip(known) {
        // All is read before anything is written, so that the loop is vectorized.
        let change: [f64; N] =
            std::array::from_fn(|lane| theta * (reciprocal[lane] * force[lane] - before[lane]));
        let moved: [f64; N] = std::array::from_fn(|lane| u[lane] + c * change[lane]);
        let reached: [f64; N] = std::array::from_fn(|lane| foot[lane] + h * moved[lane]);
        let given: [f64; N] = std::array::from_fn(|lane| before[lane] + change[lane]);
        (*f, *u, *q) = (given, moved, reached);
        change.iter().enumerate().for_each(|(lane, change)| changes.take(lane, c * change));
    }
}

/// The entries behind the last whole block of a vector.
fn tail(x: &[f64]) -> &[f64] {
    &x[x.len() - x.len() % LANES..]
}

fn tail_mut(x: &mut [f64]) -> &mut [f64] {
    let whole = x.len() - x.len() % LANES;
    &mut x[whole..]
}

impl HeldKick<'_> {
    /// Writes F(q₀, u, t₀), but for the factors.
    fn look<S: Constrained + ?Sized>(&mut self, manifold: &mut Manifold<'_, S>, stage: Stage<'_>, u: &[f64]) {
        let mut force = std::mem::take(&mut self.force);
        self.evaluate_force(manifold, (stage.q, u, stage.at), &mut force);
        self.force = force;
    }

    /// The part of a change of velocity by which the kick changes with it, and the rate κ of a drag −κ u / c that would change it so, from
    /// the velocity before to the guess u, where F was written.
    fn compare(&self, Stage { v, drag, c, .. }: Stage<'_>, u: &[f64]) -> (f64, f64) {
        // Inputs alone change a kick from its guess.
        if self.of_velocities.is_empty() {
            return (0.0, 0.0);
        }
        let mut sums = [[0.0; LANES]; 3];
        let known = [&self.force[..], &self.factors, drag, u, v];
        compare::<LANES>(c, known, &mut sums);
        compare::<1>(c, known.map(tail), &mut sums);
        let [kicks, powers, changes] = sums.map(|sums| sums.iter().sum::<f64>());
        if changes > 0.0 { ((kicks / changes).sqrt(), -powers / changes) } else { (0.0, 0.0) }
    }

    /// Kicks u by a part θ of what F has changed since the last velocity, and moves q there; the largest change.
    fn follow(
        &mut self,
        Stage { q: foot, drag, h, c, .. }: Stage<'_>,
        (q, u): (&mut [f64], &mut [f64]),
        (theta, is_first): (f64, bool),
    ) -> f64 {
        let Self { force, factors, f, before, .. } = self;
        std::mem::swap(f, before);
        let known = [&force[..], factors, if is_first { drag } else { before }, foot];
        let mut changes = Largest::default();
        follow::<LANES>((theta, c, h), known, [&mut *f, &mut *u, &mut *q], &mut changes);
        follow::<1>((theta, c, h), known.map(tail), [f, u, q].map(tail_mut), &mut changes);
        changes.found()
    }
}

impl<S: Constrained + ?Sized> Manifold<'_, S> {
    /// Sweeps from the guesses u and x that `kick` has begun with; true if they have found the solution.
    pub(super) fn sweep(
        &mut self,
        kick: &mut HeldKick<'_>,
        stage: Stage<'_>,
        (q, u): (&mut [f64], &mut [f64]),
        progress: &mut Progress,
    ) -> Result<bool, Failure> {
        // Rows that depend on each other are left to Newton's method, too.
        if self.is_soft() {
            return Ok(false);
        }
        let known_gain = kick.gain(stage.c);
        if known_gain.is_some_and(|gain| gain > STRONG) {
            return Ok(false);
        }
        kick.look(self, stage, u);
        let (measured, rate) = kick.compare(stage, u);
        let first_gain = known_gain.unwrap_or(measured);
        if first_gain.is_nan() || first_gain > SLOW || !self.is_settled() {
            return Ok(false);
        }
        let (theta, tolerance) = (1.0 / (1.0 + rate), progress.tolerance());
        // The last changes, of kicks and of g, and true if the next ones are expected to be small enough.
        let (mut before, mut rows_before, mut last) = (f64::INFINITY, f64::INFINITY, false);
        loop {
            let is_first = progress.iterations == 0;
            if !is_first {
                kick.look(self, stage, u);
            }
            let change = kick.follow(stage, (q, u), (theta, is_first));
            if !change.is_finite() {
                return Err(Failure::NotFinite);
            }
            if last {
                self.look(q, stage.end);
            } else {
                self.evaluations.constraints += 1;
                self.system().constraint_values(q, stage.end, &mut self.values);
            }
            let of_rows = largest_product(&self.values, &self.reciprocal_sizes);
            // The next change falls as this one has, and no more than the first; or as that, where this one is made by rounding.
            let is_rounding = change <= ROUNDING * kick.size;
            let falls = is_rounding || known_gain.is_some();
            let gain = if falls { first_gain } else { first_gain.max(change / before).min(1.0) };
            before = change;
            let expected = if change > 0.0 { change * gain / (LEFT * kick.size) } else { 0.0 };
            let residual = if of_rows.is_nan() { of_rows } else { of_rows.max(expected) };
            match progress.judge(residual) {
                Verdict::Ended(Arrival::Accepted) => {
                    if !last {
                        self.look(q, stage.end);
                    }
                    return Ok(true);
                }
                Verdict::Ended(Arrival::NotFinite) => return Err(Failure::NotFinite),
                Verdict::Ended(Arrival::Exhausted) | Verdict::Slow => return Ok(false),
                Verdict::Fast => {}
            }
            let gain_of_rows = if is_first { SLOW * SLOW } else { of_rows / rows_before };
            last = of_rows * gain_of_rows <= tolerance && expected * gain <= tolerance;
            rows_before = of_rows;
            scale(1.0 / stage.h, &self.values, &mut kick.rows);
            self.correct(&kick.rows, &mut kick.correction, u);
            kick.x.iter_mut().zip(&kick.correction).for_each(|(x, correction)| *x += correction);
            self.evaluations.iterations += 1;
            progress.iterations += 1;
        }
    }
}
