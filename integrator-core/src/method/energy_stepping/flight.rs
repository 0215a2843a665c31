//! The way along a straight line to the edge of a terrace.

use super::super::force_error::ForceError;
use crate::method::Evaluations;
use crate::system::{Natural, State};

/// V(q + τ v) is followed by parabolas that it may leave by this part of the height.
const TRUST: f64 = 1.0 / 16.0;
/// The length, as a part of half the height, by which a parabola is followed beyond the edge, so that an edge is passed and not approached.
const BEYOND: f64 = 1.0 / 64.0;
/// The most halvings of the length of a parabola that is not trusted.
const HALVINGS: u32 = 60;
/// Newton's method inside a bracket; where it stalls the bracket is halved, which ends at the neighbouring number.
const ITERATIONS: u32 = 100;

/// The end of a straight flight over a terrace.
pub(super) enum Outcome {
    /// The flight ends on the terrace.
    Stays,
    /// The flight meets the edge above (`side` = 1) or below (`side` = −1) after the time `after`.
    Leaves { after: f64, side: f64 },
}

/// V beside the level of the terrace, along the line: φ(τ) = V(q + τ v) − level, and its derivatives.
#[derive(Clone, Copy)]
struct Slope {
    value: f64,
    rate: f64,
    curvature: f64,
}

/// The flight over one terrace.
#[derive(Debug)]
pub(super) struct Flight<'s, S: ?Sized> {
    system: &'s S,
    height: f64,
    /// q + τ v.
    q: Vec<f64>,
    gradient: Vec<f64>,
    product: Vec<f64>,
}

impl<'s, S: Natural + ?Sized> Flight<'s, S> {
    pub(super) fn new(system: &'s S, height: f64) -> Self {
        let zeros = || vec![0.0; system.dimension()];
        Self { system, height, q: zeros(), gradient: zeros(), product: zeros() }
    }

    pub(super) fn system(&self) -> &'s S {
        self.system
    }

    pub(super) fn height(&self) -> f64 {
        self.height
    }

    /// ∇V at the edge that was found last.
    pub(super) fn gradient(&self) -> &[f64] {
        &self.gradient
    }

    /// Follows the line from `state` over the terrace at `level`, for the time `remaining` at most.
    pub(super) fn leave(
        &mut self,
        state: &State,
        level: f64,
        remaining: f64,
        counts: &mut Evaluations,
    ) -> Result<Outcome, ForceError> {
        let half = 0.5 * self.height;
        let mut passed = 0.0;
        loop {
            let here = self.slope(state, level, passed, counts)?;
            // On the edge by rounding, and on the way out.
            if passed == 0.0 && here.value.abs() >= half && here.value * here.rate > 0.0 {
                return Ok(Outcome::Leaves { after: 0.0, side: here.value.signum() });
            }
            let mut ahead = here.reaches(half * (1.0 + BEYOND)).min(remaining - passed);
            let mut there = self.value(state, level, passed + ahead);
            for _ in 0..HALVINGS {
                // What is not a number is not trusted either.
                if (there - here.after(ahead)).abs() <= TRUST * self.height {
                    break;
                }
                ahead *= 0.5;
                there = self.value(state, level, passed + ahead);
            }
            if !there.is_finite() {
                return Err(ForceError::PotentialNotFinite);
            }
            if there.abs() > half {
                let side = there.signum();
                // Where the line turns on the way, it may have come from the very edge: the zero behind the turn counts.
                let turn = -here.rate / here.curvature;
                let within = if side * here.rate < 0.0 && turn > 0.0 && turn < ahead { turn } else { 0.0 };
                let bracket = (passed + within, passed + ahead);
                let after = self.edge(state, level, side, bracket, counts)?;
                if after <= remaining {
                    return Ok(Outcome::Leaves { after, side });
                }
            }
            passed += ahead;
            if passed >= remaining {
                return Ok(Outcome::Stays);
            }
        }
    }

    /// The zero of side φ − ε/2 in the bracket, at whose end it is positive; leaves ∇V there.
    fn edge(
        &mut self,
        state: &State,
        level: f64,
        side: f64,
        (mut low, mut high): (f64, f64),
        counts: &mut Evaluations,
    ) -> Result<f64, ForceError> {
        let mut at = high;
        for _ in 0..ITERATIONS {
            self.place(state, at);
            let excess = side * (self.system.potential(&self.q, state.t) - level) - 0.5 * self.height;
            self.system.potential_gradient(&self.q, state.t, &mut self.gradient);
            counts.gradients += 1;
            let rate = side * self.gradient.iter().zip(&state.v).map(|(g, v)| g * v).sum::<f64>();
            if !(excess.is_finite() && rate.is_finite()) {
                return Err(ForceError::PotentialNotFinite);
            }
            if excess > 0.0 {
                high = at;
            } else {
                low = at;
            }
            let newton = at - excess / rate;
            let next = if newton > low && newton < high { newton } else { low + 0.5 * (high - low) };
            if excess == 0.0 || (next - at).abs() <= f64::EPSILON * at || next <= low || next >= high {
                break;
            }
            at = next;
        }
        Ok(at)
    }

    fn slope(
        &mut self,
        state: &State,
        level: f64,
        after: f64,
        counts: &mut Evaluations,
    ) -> Result<Slope, ForceError> {
        let value = self.value(state, level, after);
        self.system.potential_gradient(&self.q, state.t, &mut self.gradient);
        self.system.potential_product(&self.q, state.t, &state.v, &mut self.product);
        counts.gradients += 1;
        counts.hessians += 1;
        let along = |x: &[f64]| x.iter().zip(&state.v).map(|(x, v)| x * v).sum::<f64>();
        let slope = Slope { value, rate: along(&self.gradient), curvature: along(&self.product) };
        let finite = slope.value.is_finite() && slope.rate.is_finite() && slope.curvature.is_finite();
        if finite { Ok(slope) } else { Err(ForceError::PotentialNotFinite) }
    }

    fn value(&mut self, state: &State, level: f64, after: f64) -> f64 {
        self.place(state, after);
        self.system.potential(&self.q, state.t) - level
    }

    fn place(&mut self, state: &State, after: f64) {
        for (x, (q, v)) in self.q.iter_mut().zip(state.q.iter().zip(&state.v)) {
            *x = q + after * v;
        }
    }
}

impl Slope {
    /// The value of the parabola.
    fn after(self, time: f64) -> f64 {
        self.value + time * (self.rate + 0.5 * time * self.curvature)
    }

    /// The time at which the parabola, which is between −`bound` and `bound` now, first reaches one of them.
    fn reaches(self, bound: f64) -> f64 {
        let first = |side: f64| {
            // distance = c₀ + c₁ τ + c₂ τ², positive inside
            let (c0, c1, c2) =
                (f64::max(bound - side * self.value, 0.0), -side * self.rate, -0.5 * side * self.curvature);
            let square = c1 * c1 - 4.0 * c2 * c0;
            if square < 0.0 || (c1 >= 0.0 && c2 >= 0.0) {
                f64::INFINITY
            } else if c1 < 0.0 {
                2.0 * c0 / (square.sqrt() - c1)
            } else {
                (c1 + square.sqrt()) / (-2.0 * c2)
            }
        };
        first(1.0).min(first(-1.0))
    }
}
