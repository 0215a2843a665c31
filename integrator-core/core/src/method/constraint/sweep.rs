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

use super::held::{HeldKick, Passage};
use super::judgement::Judgement;
use super::manifold::{Form, Manifold, Span};
use super::vectors::scale;
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

/// The unknowns u and x of a step with a held kick, which sweeps correct.
pub(super) struct Sweeps<'k, 's, 'q> {
    kick: &'k mut HeldKick<'s>,
    passage: Passage<'q>,
    /// M⁻¹ F at the velocity before.
    own: &'q [f64],
    u: &'k mut [f64],
    /// The part of the change of F that a sweep adds.
    theta: f64,
    /// The part of a change of a kick that the first sweep leaves, and if this is known of all.
    first_gain: f64,
    is_known: bool,
    is_first: bool,
    /// The last changes of kicks and of g; the next change relative to its largest, and its gain.
    before: f64,
    rows_before: f64,
    expected: f64,
    gain: f64,
    /// True if the next changes should be small enough.
    last: bool,
}

impl<'k, 's, 'q> Sweeps<'k, 's, 'q> {
    /// From the guesses u and x; `None` for Newton's method, which takes rows that depend on each other,
    /// too.
    pub(super) fn begin<S: Constrained + ?Sized>(
        kick: &'k mut HeldKick<'s>,
        manifold: &mut Manifold<'_, S>,
        (passage, own): (Passage<'q>, &'q [f64]),
        u: &'k mut [f64],
    ) -> Option<Self> {
        let known_gain = kick.gain(passage.c());
        if manifold.foot.is_soft() || known_gain.is_some_and(|gain| gain > STRONG) {
            return None;
        }
        let [before, rows_before] = [f64::INFINITY; 2];
        let mut sweeps = Self {
            kick,
            passage,
            own,
            u,
            theta: 1.0,
            first_gain: 0.0,
            is_known: known_gain.is_some(),
            is_first: true,
            before,
            rows_before,
            expected: 0.0,
            gain: 1.0,
            last: false,
        };
        sweeps.look(manifold);
        let (measured, rate) = sweeps.compare();
        sweeps.first_gain = known_gain.unwrap_or(measured);
        sweeps.theta = 1.0 / (1.0 + rate);
        (sweeps.first_gain <= SLOW && manifold.is_settled()).then_some(sweeps)
    }

    /// Evaluates M⁻¹ F(q₀, u, t₀), without the factors.
    fn look<S: Constrained + ?Sized>(&mut self, manifold: &mut Manifold<'_, S>) {
        let (HeldKick { drag, force, .. }, Passage { span, at, .. }) = (&mut *self.kick, self.passage);
        drag.evaluate(&mut manifold.foot, (span.q, self.u, at), force);
    }

    /// From the velocity before to the guess u of the last [`look`](Self::look): the change of the kick
    /// relative to the change of u, and the rate κ of a drag −κ u / c with this effect.
    fn compare(&self) -> (f64, f64) {
        // F depends on inputs alone: the guess has the kick already.
        if self.kick.matrix.of_velocities.is_empty() {
            return (0.0, 0.0);
        }
        let (c, HeldKick { drag, force, .. }) = (self.passage.c(), &*self.kick);
        let mut sums = [[0.0; LANES]; 3];
        let known = [force, &drag.factors, self.own, &*self.u, self.passage.span.v];
        compare::<LANES>(c, known, &mut sums);
        compare::<1>(c, known.map(tail), &mut sums);
        let [kicks, powers, changes] = sums.map(|sums| sums.iter().sum::<f64>());
        if changes > 0.0 { ((kicks / changes).sqrt(), -powers / changes) } else { (0.0, 0.0) }
    }

    /// Kicks u by a part θ of the change of F, and moves q; returns the largest change.
    fn follow(&mut self, q: &mut [f64]) -> f64 {
        let (u, HeldKick { drag, force, f, before, .. }) = (&mut *self.u, &mut *self.kick);
        std::mem::swap(f, before);
        let Span { h, q: foot, .. } = self.passage.span;
        let known = [&force[..], &drag.factors, if self.is_first { self.own } else { before }, foot];
        let (factors, mut changes) = ((self.theta, self.passage.c(), h), Largest::default());
        follow::<LANES>(factors, known, [&mut *f, &mut *u, &mut *q], &mut changes);
        follow::<1>(factors, known.map(tail), [f, u, q].map(tail_mut), &mut changes);
        changes.found()
    }
}

impl<S: Constrained + ?Sized> Form<S> for Sweeps<'_, '_, '_> {
    const RENEWS: bool = false;

    fn place(&mut self, manifold: &mut Manifold<'_, S>, q: &mut [f64]) -> Attempt<f64> {
        if !self.is_first {
            self.look(manifold);
        }
        let change = self.follow(q);
        if !change.is_finite() {
            return Err(manifold.not_finite(q));
        }
        // Changes fall as the last one did, at most as at first; if it is rounding, as at first.
        let size = self.kick.size;
        let falls = change <= ROUNDING * size || self.is_known;
        let gain = if falls { self.first_gain } else { self.first_gain.max(change / self.before).min(1.0) };
        self.expected = if change > 0.0 { change * gain / (LEFT * size) } else { 0.0 };
        (self.before, self.gain) = (change, gain);
        Ok(self.expected)
    }

    fn may_end(&self, _: &Judgement) -> bool {
        self.last
    }

    fn correct(
        &mut self,
        manifold: &mut Manifold<'_, S>,
        _: &mut [f64],
        (of_rows, _): (f64, bool),
        judgement: &Judgement,
    ) -> bool {
        let gain_of_rows = if self.is_first { SLOW * SLOW } else { of_rows / self.rows_before };
        let tolerance = judgement.tolerance;
        self.last = of_rows * gain_of_rows <= tolerance && self.expected * self.gain <= tolerance;
        (self.rows_before, self.is_first) = (of_rows, false);
        let HeldKick { x, correction, rows, .. } = &mut *self.kick;
        scale(1.0 / self.passage.span.h, &manifold.ahead.values, rows);
        manifold.foot.matrix.correct(rows, correction, self.u);
        x.iter_mut().zip(&*correction).for_each(|(x, correction)| *x += correction);
        false
    }
}
