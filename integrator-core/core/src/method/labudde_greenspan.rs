//! The method of LaBudde and Greenspan conserves energy and momenta of distance potentials.
//!
//! # Scheme
//! For V = Σ U(s) with squared distances s = |d|², d = x_i − x_j (or x_i alone), and U₀, U₁ at the ends
//! of the step:
//!
//! ```text
//! q₁ = q₀ + ½ h (v₀ + v₁),    M (v₁ − v₀) = −h F̄(q₀, q₁),
//! F̄ = Σ Q (d₀ + d₁) on x_i, minus that on x_j,    Q = (U₁ − U₀)/(s₁ − s₀).
//! ```
//!
//! F̄ is a discrete gradient of V, F̄·(q₁ − q₀) = Σ Q (s₁ − s₀) = V₁ − V₀, which conserves the energy;
//! each of its parts lies along a central line of the mean configuration, which conserves the angular
//! momentum.
//!
//! Where s₁ is near s₀ the quotient cancels; there Gauss's formula with four nodes computes it as Q = ∫
//! U′(s₀ + ξ (s₁ − s₀)) dξ, exact to rounding. Newton's method with the exact, unsymmetric sparse
//! derivative and shortened corrections solves for the mean acceleration a = (v₁ − v₀)/h.
//!
//! # Requirements on the model
//! [`Natural`]; each of its [`elements`](Natural::elements) depends only on the distance of two points,
//! or of one from the origin. The start tests this near the distances there; an error names the element.
//!
//! # Order and invariants
//! Order 2; not symplectic; reversible; conserves energy, linear and angular momentum to rounding, for
//! every step whose equations have a solution.
//!
//! # Parameters
//! `tolerance` in (0, 0.001], default 10⁻¹⁴: Newton's method stops when a correction moves no position
//! by more than this part of the largest, or when corrections stop shrinking at the level of rounding.
//! `iterations` at least 1, default 50: the most corrections in a step.
//!
//! # Reference
//! R. A. LaBudde, D. Greenspan, Energy and momentum conserving methods of arbitrary order for the
//! numerical integration of equations of motion, Numer. Math. 25 (1976) 323, doi:10.1007/BF01396331; as
//! a discrete gradient: O. Gonzalez, J. Nonlinear Sci. 6 (1996) 449.

mod discrete_gradient;
mod distances;

use self::discrete_gradient::DiscreteGradient;
use super::applied::Instant;
use super::check::{by_default, check_state, check_unforced};
use super::composition::{Symmetric, start_as_parts};
use super::contract::{Claims, Method, claims};
use super::flow::Flow;
use super::force_error::{Attempt, ForceError, check_finite};
use super::mass_solver::MassSolver;
use super::newton::{Damped, Differentiable, Newton, NewtonEquations, Unknown, rehearse};
use super::one_step::{Map, OneStep};
use super::report::Evaluations;
use super::running::Ready;
use crate::binding::threads::first_not_finite;
use crate::carried::carried;
use crate::system::{Layout, Natural, State, Unforced};

/// The method of LaBudde and Greenspan; see the [scheme](self).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LaBuddeGreenspan {
    /// The last correction of Newton's method relative to the largest position, in (0, 0.001].
    pub tolerance: f64,
    /// The most corrections of Newton's method in a step.
    pub iterations: u32,
}

by_default!(LaBuddeGreenspan { tolerance: 1e-14, iterations: 50 });

claims! {
    impl Claims for LaBuddeGreenspan: "labudde-greenspan" of order 2;
    SYMPLECTIC no, REVERSIBLE yes, MOMENTUM yes, PARTS yes; derivatives by None("its forces are quotients of differences, and its derivative is not built")
}

impl<S: Unforced + ?Sized> Method<S> for LaBuddeGreenspan {
    start_as_parts!(S);
}

impl<S: Unforced + ?Sized> Symmetric<S> for LaBuddeGreenspan {
    fn start_parts<'s>(&self, system: &'s S, state: State, step: f64) -> Ready<'s, impl Flow + use<'s, S>> {
        let run = OneStep::start(system, Self::NAME, state, step, |state| {
            check_state(system, state)?;
            check_unforced(system, Self::NAME)?;
            let newton = Newton::of(Self::NAME, self.tolerance, self.iterations)?;
            let n = system.dimension();
            let drift = state.q.iter().zip(&state.v).map(|(q, v)| q + step * v).collect();
            let mut map = EnergyMomentumMap {
                parts: StepEquation {
                    system,
                    force: DiscreteGradient::new(Self::NAME, system, state)?,
                    mass: MassSolver::new(system, system.mass())?,
                    drift,
                    q: vec![0.0; n],
                },
                newton: Damped::new(n, newton),
                acceleration: vec![0.0; n],
            };
            let parts = &mut map.parts;
            let mut equations = MeanForce { parts, q: &state.q, t: state.t, shift: 0.5 * step * step };
            // A failure here is no error: the first step has a better guess and reports its own.
            let _ = rehearse(&mut equations, &map.acceleration);
            Ok(map)
        })?;
        Ok(run.to_tolerance(self.tolerance))
    }
}

#[derive(Debug)]
struct EnergyMomentumMap<'s, S: ?Sized> {
    parts: StepEquation<'s, S>,
    newton: Damped,
    acceleration: Vec<f64>,
}

/// The equation of a step and its memory.
#[derive(Debug)]
struct StepEquation<'s, S: ?Sized> {
    system: &'s S,
    force: DiscreteGradient<'s>,
    mass: MassSolver,
    /// q₀ + h v₀.
    drift: Vec<f64>,
    /// q₁ of the trial.
    q: Vec<f64>,
}

const MATRIX: &str = "the derivative of the discrete force";

/// M a + F̄(q₀, q₀ + h v₀ + ½ h² a) = 0 for a.
struct MeanForce<'p, 's, S: ?Sized> {
    parts: &'p mut StepEquation<'s, S>,
    q: &'p [f64],
    t: f64,
    /// ½ h².
    shift: f64,
}

impl<S: Natural + ?Sized> NewtonEquations for MeanForce<'_, '_, S> {
    fn unknown(&self) -> Unknown<'_> {
        Unknown { name: "the new positions", base: &self.parts.drift, weight: self.shift }
    }

    fn evaluate(&mut self, a: &[f64], residual: &mut [f64], counts: &mut Evaluations) {
        let StepEquation { system, force, drift, q, .. } = &mut *self.parts;
        for (q, (drift, a)) in q.iter_mut().zip(drift.iter().zip(a)) {
            *q = drift + self.shift * a;
        }
        force.evaluate(self.q, q, self.t, residual);
        counts.gradients += 1;
        let mass = system.mass();
        mass.pattern.multiply_add(&mass.values, a, residual);
    }

    fn solve(&mut self, r: &mut [f64]) {
        self.parts.force.solve(r);
    }
}

impl<S: Natural + ?Sized> Differentiable for MeanForce<'_, '_, S> {
    fn linearize(&mut self, a: &[f64], residual: &mut [f64], counts: &mut Evaluations) -> Attempt {
        self.evaluate(a, residual, counts);
        check_finite(residual)?;
        counts.hessians += 1;
        counts.factorizations += 1;
        let StepEquation { system, force, .. } = &mut *self.parts;
        force
            .factor(system.mass(), self.shift)
            .map_err(|error| ForceError::Singular { matrix: MATRIX, error })
    }

    fn change_at_start(&mut self, _a: &[f64], change: &mut [f64]) -> bool {
        let (at, counts) = (Instant::at(self.t), &mut Evaluations::default());
        let accelerated = self.parts.mass.accelerate(self.parts.system, self.q, at, change, counts);
        for (change, (drift, q)) in change.iter_mut().zip(self.parts.drift.iter().zip(self.q)) {
            *change = change.abs() + ((drift - q) / self.shift).abs();
        }
        accelerated.is_ok()
    }
}

impl<S: Natural + ?Sized> Map for EnergyMomentumMap<'_, S> {
    fn method(&self) -> &'static str {
        LaBuddeGreenspan::NAME
    }

    fn layout(&self) -> &Layout {
        self.parts.system.layout()
    }

    fn apply(&mut self, state: &State, step: f64, next: &mut State, counts: &mut Evaluations) -> Attempt {
        let (h, t) = (step, 0.5 * (state.t + next.t));
        let Self { parts, newton, acceleration } = self;
        // First guess: the acceleration half way along the drift.
        let ahead = parts.drift.iter_mut().zip(&mut parts.q).zip(state.q.iter().zip(&state.v));
        for ((drift, middle), (q, v)) in ahead {
            *drift = q + h * v;
            *middle = 0.5 * (q + *drift);
        }
        parts.mass.accelerate(parts.system, &parts.q, Instant::at(t), acceleration, counts)?;
        if first_not_finite(acceleration).is_some() {
            acceleration.fill(0.0);
        }
        newton.solve(&mut MeanForce { parts, q: &state.q, t, shift: 0.5 * h * h }, acceleration, counts)?;
        let known = state.q.iter().zip(&state.v).zip(&*acceleration);
        for ((next_q, next_v), ((q, v), a)) in next.q.iter_mut().zip(&mut next.v).zip(known) {
            *next_q = q + h * v + 0.5 * h * h * a;
            *next_v = v + h * a;
        }
        Ok(())
    }
}

carried!([S: ?Sized] EnergyMomentumMap<'_, S> { acceleration } besides { parts, newton });
