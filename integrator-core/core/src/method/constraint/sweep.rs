//! The position stage for forces that change little with the velocity: sweeps, not Newton's method.
//!
//! The equations of [`HeldKick`] with f = M⁻¹ F, at all times
//!
//! ```text
//! u = w + c f + M⁻¹ G₀ᵀ x,
//! ```
//!
//! leave the kick off by c (M⁻¹ F(q₀, u, t₀) − f) at most. A sweep adds this error, reduced for the mean
//! rate of the drag, which takes part of it away again; then it corrects g with the foot's factors of G₀
//! M⁻¹ G₀ᵀ: it differentiates and factors nothing. It multiplies errors by c |M⁻¹ ∂F/∂v|, a thousandth
//! for the air around a chain.

use super::half_kick::{HeldKick, KickStage};
use super::manifold::Manifold;
use super::newton::{Arrival, IterationVerdict, Progress};
use super::vectors::{largest_product, scale};
use crate::method::force_error::Attempt;
use crate::method::largest::{LANES, Largest};
use crate::system::Constrained;

/// Newton's method takes over kicks that change by more than this part of a change of velocity.
const SLOW: f64 = 0.1;

/// [`SLOW`] if the largest such part is known: a factorization costs as much as a few sweeps.
const STRONG: f64 = 0.005;

/// Changes of the velocities up to this part are rounding.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// A kick ends if its next change is this part of the tolerance: the changes left out have one sign in
/// all steps and add up.
const LEFT: f64 = 0.1;

/// The sums of (c Δf)², c Δf Δu and Δu² from the velocity v before, with f = F / M at f₋, to the guess
/// u; in blocks of neighbours.
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

/// f ← f₋ + θ (F / M − f₋), u ← u + c (f − f₋), q ← q₀ + h u, in blocks; records c (f − f₋).
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
        // Read all before writing, so that the loop vectorizes.
        let change: [f64; N] =
            std::array::from_fn(|lane| theta * (reciprocal[lane] * force[lane] - before[lane]));
        let moved: [f64; N] = std::array::from_fn(|lane| u[lane] + c * change[lane]);
        let reached: [f64; N] = std::array::from_fn(|lane| foot[lane] + h * moved[lane]);
        let given: [f64; N] = std::array::from_fn(|lane| before[lane] + change[lane]);
        (*f, *u, *q) = (given, moved, reached);
        change.iter().enumerate().for_each(|(lane, change)| changes.take(lane, c * change));
    }
}

/// The entries after the last whole block of a vector.
fn tail(x: &[f64]) -> &[f64] {
    &x[x.len() - x.len() % LANES..]
}

fn tail_mut(x: &mut [f64]) -> &mut [f64] {
    let whole = x.len() - x.len() % LANES;
    &mut x[whole..]
}

impl HeldKick<'_> {
    /// Writes F(q₀, u, t₀), without the factors.
    fn look<S: Constrained + ?Sized>(
        &mut self,
        manifold: &mut Manifold<'_, S>,
        stage: KickStage<'_>,
        u: &[f64],
    ) {
        let mut force = std::mem::take(&mut self.force);
        self.evaluate_force(manifold, (stage.q, u, stage.at), &mut force);
        self.force = force;
    }

    /// From the velocity before to the guess u of the last [`look`](Self::look): the change of the kick
    /// relative to the change of u, and the rate κ of a drag −κ u / c with this effect.
    fn compare(&self, KickStage { v, drag, c, .. }: KickStage<'_>, u: &[f64]) -> (f64, f64) {
        // F depends on inputs alone: the guess has the kick already.
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

    /// Kicks u by a part θ of the change of F, and moves q; returns the largest change.
    fn follow(
        &mut self,
        KickStage { q: foot, drag, h, c, .. }: KickStage<'_>,
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
    /// Sweeps from the guesses u and x in `kick`; true if they converge.
    pub(super) fn sweep(
        &mut self,
        kick: &mut HeldKick<'_>,
        stage: KickStage<'_>,
        (q, u): (&mut [f64], &mut [f64]),
        progress: &mut Progress,
    ) -> Attempt<bool> {
        // Newton's method takes over rows that depend on each other, too.
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
        // The last changes of kicks and of g; true if the next ones should be small enough.
        let (mut before, mut rows_before, mut last) = (f64::INFINITY, f64::INFINITY, false);
        loop {
            let is_first = progress.iterations == 0;
            if !is_first {
                kick.look(self, stage, u);
            }
            let change = kick.follow(stage, (q, u), (theta, is_first));
            if !change.is_finite() {
                return Err(self.not_finite(q));
            }
            if last {
                self.look(q, stage.end);
            } else {
                self.evaluations.constraints += 1;
                self.system().constraint_values(q, stage.end, &mut self.values);
            }
            let of_rows = largest_product(&self.values, &self.reciprocal_sizes);
            self.look_for_leaps(of_rows, (q, stage.end), (stage.q, stage.v, stage.h))?;
            // Changes fall as the last one did, at most as at first; if it is rounding, as at first.
            let is_rounding = change <= ROUNDING * kick.size;
            let falls = is_rounding || known_gain.is_some();
            let gain = if falls { first_gain } else { first_gain.max(change / before).min(1.0) };
            before = change;
            let expected = if change > 0.0 { change * gain / (LEFT * kick.size) } else { 0.0 };
            let residual = if of_rows.is_nan() { of_rows } else { of_rows.max(expected) };
            match progress.judge(residual) {
                IterationVerdict::Ended(Arrival::Accepted) => {
                    if !last {
                        self.look(q, stage.end);
                    }
                    return Ok(true);
                }
                IterationVerdict::Ended(Arrival::NotFinite) => return Err(self.not_finite(q)),
                IterationVerdict::Ended(Arrival::Exhausted) | IterationVerdict::Slow => return Ok(false),
                IterationVerdict::Fast => {}
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
