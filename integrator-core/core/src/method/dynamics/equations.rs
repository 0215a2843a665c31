//! The equations of motion as the inner schemes see them, and the common parts of these schemes.

use super::newton_matrix::NewtonMatrix;
use crate::method::force_error::{Attempt, ForceError};

/// More inner steps between two outputs mean that the tolerance cannot be reached.
pub(in crate::method) const INNER_STEPS: u32 = 1_000_000;

/// The equations E(q, v, a, μ, t) = 0 of a system,
/// L_vv a + L_vq v + L_vt − L_q − F + Bᵀ μ = 0,  B a + γ = 0,  with μ = −λ:
/// B = G and γ = vᵀ Hess g v + 2 ∂ₜG v + ∂ₜₜ g for holonomic rows, B = A and γ = ∂c/∂q v + ∂c/∂t for
/// nonholonomic ones.
pub(in crate::method) trait MotionEquations {
    /// a(q, v, t).
    fn accelerate(&mut self, q: &[f64], v: &[f64], t: f64, a: &mut [f64]) -> Attempt;

    /// Writes v with balanced velocities of [first order](crate::method::first_order) over `rate`.
    fn complete(&mut self, q: &[f64], v: &[f64], t: f64, rate: &mut [f64]) -> Attempt;

    /// P = F·v − ∂L/∂t − λ·∂g/∂t − μ·b at the last accelerations or residual; zero if energy is
    /// conserved.
    fn power(&self) -> f64;

    /// Adds the work of an inner step: the weighted sum of powers.
    fn add_work(&mut self, h: f64, weights: &[f64], powers: &[f64]);

    /// (a, μ) of the last accelerations.
    fn unknowns(&self) -> &[f64];

    /// Writes E over `residual`.
    fn residual(&mut self, q: &[f64], v: &[f64], t: f64, unknowns: &[f64], residual: &mut [f64]);

    /// Writes the derivatives of E into the parts of the matrix.
    fn linearize(&mut self, q: &[f64], v: &[f64], t: f64, unknowns: &[f64], matrix: &mut NewtonMatrix);

    /// Follows angles to the end of an inner step.
    fn arrive(&mut self, y: &[f64], t: f64);

    /// Adds to the counts of factorizations and iterations.
    fn count(&mut self, factorizations: u64, iterations: u64);
}

/// The reason why an interval could not be crossed, and the time reached.
pub(in crate::method) struct Stuck {
    pub(in crate::method) time: f64,
    pub(in crate::method) error: ForceError,
}

/// The interval of time to cross, and the accuracy.
#[derive(Debug, Clone, Copy)]
pub(in crate::method) struct Interval {
    pub(in crate::method) tolerance: f64,
    pub(in crate::method) start: f64,
    pub(in crate::method) end: f64,
}

impl Interval {
    /// A linear system has failed before a step became too small, or the tolerance cannot be reached.
    #[cold]
    pub(in crate::method) fn stuck(
        &self,
        time: f64,
        failure: Option<ForceError>,
        reason: &'static str,
    ) -> Stuck {
        let inaccurate = ForceError::ToleranceNotReached { tolerance: self.tolerance, reason };
        Stuck { time, error: failure.unwrap_or(inaccurate) }
    }

    /// Steps below this are lost in the rounding errors of the time.
    pub(in crate::method) fn smallest(&self) -> f64 {
        4.0 * f64::EPSILON * self.end.abs().max(self.end - self.start)
    }

    /// The step at time `t` from a `proposed` one, and true if it is the last.
    ///
    /// Stretches a step by a hundredth rather than leaving a tiny last one.
    pub(in crate::method) fn fit(&self, t: f64, proposed: f64) -> (f64, bool) {
        let left = self.end - t;
        if proposed * 1.01 >= left { (left, true) } else { (proposed, false) }
    }

    /// The root mean square of `entries`, each relative to tolerance (1 + |y|).
    pub(in crate::method) fn norm(&self, entries: impl IntoIterator<Item = f64>, y: &[f64]) -> f64 {
        let weighted =
            entries.into_iter().zip(y).map(|(entry, y)| (entry / (self.tolerance * (1.0 + y.abs()))).powi(2));
        (weighted.sum::<f64>() / y.len() as f64).sqrt()
    }

    /// The first step of a method of this order, at `y` with the rate `rate`: the starting step of
    /// Hairer, Nørsett and Wanner (Solving Ordinary Differential Equations I, section II.4).
    pub(in crate::method) fn first_step(
        &self,
        system: &mut dyn MotionEquations,
        (y, rate): (&[f64], &[f64]),
        order: i32,
        [moved, next]: [&mut [f64]; 2],
    ) -> Result<f64, ForceError> {
        let (size, speed) = (self.norm(y.iter().copied(), y), self.norm(rate.iter().copied(), y));
        let guess = if size < 1e-5 || speed < 1e-5 { 1e-6 } else { 0.01 * size / speed };
        for (moved, (y, rate)) in moved.iter_mut().zip(y.iter().zip(rate)) {
            *moved = y + guess * rate;
        }
        evaluate(system, moved, self.start + guess, next)?;
        let curvature = self.norm(next.iter().zip(rate).map(|(next, rate)| next - rate), y) / guess;
        let most = speed.max(curvature);
        let step = if most <= 1e-15 {
            1e-3 * guess.max(1e-3)
        } else {
            (0.01 / most).powf(1.0 / f64::from(order + 1))
        };
        // NaN leaves the guess, and the error control reports it.
        Ok(step.min(100.0 * guess))
    }
}

/// The rate (v, a) of y = (q, v).
pub(in crate::method) fn evaluate(
    system: &mut dyn MotionEquations,
    y: &[f64],
    t: f64,
    rate: &mut [f64],
) -> Attempt {
    let (q, v) = y.split_at(y.len() / 2);
    let (rate_of_q, rate_of_v) = rate.split_at_mut(q.len());
    system.complete(q, v, t, rate_of_q)?;
    system.accelerate(q, rate_of_q, t, rate_of_v)
}
