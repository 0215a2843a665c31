//! The Verlet method of rigid bodies, on the group of their rotations.
//!
//! # Scheme
//! For each body with inertia J, torque τ = −axial(Rᵀ ∇V), and angular momentum Π = J Ω in the body:
//!
//! Π½ = Π₀ + ½ h τ₀;  μ(ξ) = h Π½;  R₁ = R₀ exp(ξ̂);  Π₁ = exp(ξ̂)ᵀ Π½ + ½ h τ₁,
//! μ(ξ) = J ξ + ½ ξ × J ξ + b(|ξ|) ξ × (ξ × J ξ),  b(θ) = (1 − (θ/2) cot(θ/2))/θ².
//!
//! It is the variational integrator of the discrete Lagrangian ξ·J ξ/(2h) − ½ h (V(R₀) + V(R₁)), where ξ
//! is the rotation vector from R₀ to R₁, and μ(ξ) its derivative by R₀ in the frame of the body.
//! Newton's method with the exact derivative solves the equation for the three unknowns ξ of each body
//! to rounding; all else is explicit, with one gradient a step. Coordinates beside the matrices, such as
//! the centres of the bodies, move by velocity Verlet in this step. Every step removes the rounding
//! errors of RᵀR − 1.
//!
//! # Requirements on the model
//! Any number of rotation matrices ([the model](super)), with any potential; beside them any coordinates
//! with a constant mass. Only J must be positive definite: a flat body, with a singular D, is allowed.
//!
//! # Order and invariants
//! Order 2; symplectic in (R, Π); reversible; R stays a rotation to round-off, and Ṙ = R Ω̂. Linear
//! momentum, and the angular momentum R Π about an axis in space, or Π about an axis of the body, are
//! conserved to round-off if rotations about the axis leave the potential (for an axis of the body, also
//! the inertia) unchanged. A free body that rotates about a principal axis moves exactly. A body that
//! would turn by half a turn or more in a step is refused: no rotation vector represents it.
//!
//! # Parameters
//! None but the step.
//!
//! # Reference
//! T. Lee, M. Leok, N. H. McClamroch, Lie group variational integrators for the full body problem,
//! Comput. Methods Appl. Mech. Engrg. 196 (2007) 2907–2924, doi:10.1016/j.cma.2007.01.017; with the
//! exponential map, S. Hante, M. Arnold, RATTLie: a variational Lie group integration scheme for
//! constrained mechanical systems, J. Comput. Appl. Math. 387 (2021) 112492,
//! doi:10.1016/j.cam.2019.112492.

use super::body::{Body, RotationTolerance};
use super::libration::{fastest_frequency, reduced_mass};
use super::matrix::{axial, by_rows, from_slice, solve, straightened, turned_exactly};
use super::newton::Turn;
use crate::binding::threads::first_not_finite;
use crate::carried::carried;
use crate::error::{StartError, StepError};
use crate::method::check::{check_start, check_unforced};
use crate::method::composition::{Symmetric, start_as_parts};
use crate::method::contract::{Claims, Method, claims};
use crate::method::flow::{Flow, Substep};
use crate::method::force_error::{ForceError, check_finite};
use crate::method::instability::Instability;
use crate::method::mass_solver::MassSolver;
use crate::method::report::{Evaluations, Report};
use crate::method::running::{Ready, Running};
use crate::method::stability;
use crate::system::{Natural, State, Unforced};
use nalgebra::{Matrix3, Vector3};
use std::f64::consts::PI;

/// The Verlet method of rigid bodies; see the [scheme](self).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RotationVerlet;

claims! {
    impl Claims for RotationVerlet: "so3-verlet" of order 2;
    SYMPLECTIC yes, REVERSIBLE yes, MOMENTUM yes, PARTS yes
}

impl<S: Unforced + ?Sized> Method<S> for RotationVerlet {
    start_as_parts!(S);

    fn instability(&self, system: &S, state: &State, step: f64) -> Option<Instability> {
        let bodies = Body::all(Self::NAME, system).ok()?;
        let omega = fastest_frequency(system, &bodies, state)?;
        stability::linear(Self::NAME, step, omega, stability::OF_VERLET)
    }
}

impl<S: Unforced + ?Sized> Symmetric<S> for RotationVerlet {
    fn start_parts<'s>(&self, system: &'s S, state: State, step: f64) -> Ready<'s, impl Flow + use<'s, S>> {
        check_unforced(system, Self::NAME)?;
        let bodies = Body::all(Self::NAME, system)?;
        check_start(system, &state, step)?;
        for &(place, _) in &bodies {
            Body::check_rotation(system, &state, place, RotationTolerance::Exactly)?;
        }
        let mut gradient = vec![0.0; state.q.len()];
        system.potential_gradient(&state.q, state.t, &mut gradient);
        if let Some(index) = first_not_finite(&gradient) {
            let coordinate = system.layout().name_of(index);
            return Err(StartError::ForceNotFinite { coordinate, value: gradient[index] });
        }
        let flow = RotationFlow {
            mass: MassSolver::new(system, &reduced_mass(system.mass(), &bodies))?,
            acceleration: gradient.clone(),
            next_gradient: gradient.clone(),
            gradient,
            momenta: vec![Vector3::zeros(); bodies.len()],
            stale: false,
            has_others: 9 * bodies.len() < system.dimension(),
            counts: Evaluations { gradients: 1, ..Evaluations::default() },
            system,
            bodies,
        };
        Running::new(flow, state, step).within(Self::NAME, system)
    }
}

struct RotationFlow<'s, S: ?Sized> {
    system: &'s S,
    /// The bodies, with the places of their matrices.
    bodies: Vec<(usize, Body)>,
    /// True if there are coordinates beside the matrices.
    has_others: bool,
    /// The reduced mass; only the other coordinates use it.
    mass: MassSolver,
    /// ∇V at the state and at the next one.
    gradient: Vec<f64>,
    next_gradient: Vec<f64>,
    /// True if `gradient` belongs to another state.
    stale: bool,
    /// −M⁻¹ ∇V, for the other coordinates.
    acceleration: Vec<f64>,
    /// exp(ξ̂)ᵀ Π½ of each body.
    momenta: Vec<Vector3<f64>>,
    counts: Evaluations,
}

impl<S: Natural + ?Sized> Flow for RotationFlow<'_, S> {
    fn takes_parts(&self) -> bool {
        true
    }

    fn advance(&mut self, state: &State, substep: &Substep, next: &mut State) -> Result<(), StepError> {
        let (h, time) = (substep.size, state.t);
        if self.stale {
            self.system.potential_gradient(&state.q, time, &mut self.gradient);
            self.counts.gradients += 1;
            self.check(&self.gradient, substep, time)?;
            self.stale = false;
        }

        // Half a kick, and the drift: first of the other coordinates, which overwrites the matrices,
        // then of the bodies.
        if self.has_others {
            self.accelerate(substep, time)?;
            let known = state.q.iter().zip(&state.v).zip(&self.acceleration);
            for ((q, v), ((x, speed), f)) in next.q.iter_mut().zip(&mut next.v).zip(known) {
                *v = speed + 0.5 * h * f;
                *q = x + h * *v;
            }
        }
        for index in 0..self.bodies.len() {
            let (place, body) = self.bodies[index];
            let r = from_slice(&state.q[place..]);
            // h Π½ = h (Π₀ + ½ h τ₀)
            let spin = body.momentum(&r, &from_slice(&state.v[place..]));
            let half = spin + 0.5 * h * torque(&r, &self.gradient[place..]);
            let xi = self.rotation_vector(index, &(h * half), substep, time)?;
            let (turned, turn) = turned_exactly(&r, &xi);
            self.momenta[index] = turn.tr_mul(&half);
            next.q[place..place + 9].copy_from_slice(&by_rows(&straightened(&turned)));
        }
        self.check(&next.q, substep, time)?;

        // The second half of the kick.
        self.system.potential_gradient(&next.q, next.t, &mut self.next_gradient);
        self.counts.gradients += 1;
        std::mem::swap(&mut self.gradient, &mut self.next_gradient);
        if let Err(error) = self.finish(substep, time, next) {
            std::mem::swap(&mut self.gradient, &mut self.next_gradient);
            return Err(error);
        }
        Ok(())
    }

    fn report(&self) -> Report<'_> {
        Report::of(self.counts)
    }

    fn go_on_from(&mut self, _state: &State) -> bool {
        self.stale = true;
        true
    }
}

impl<S: Natural + ?Sized> RotationFlow<'_, S> {
    /// The second half of the kick, with the gradient at the end of the step.
    fn finish(&mut self, substep: &Substep, time: f64, next: &mut State) -> Result<(), StepError> {
        self.check(&self.gradient, substep, time)?;
        let half = 0.5 * substep.size;
        if self.has_others {
            self.accelerate(substep, time)?;
            next.v.iter_mut().zip(&self.acceleration).for_each(|(v, f)| *v += half * f);
        }
        for (&(place, body), momentum) in self.bodies.iter().zip(&self.momenta) {
            let r = from_slice(&next.q[place..]);
            let omega = solve(body.inertia, &(momentum + half * torque(&r, &self.gradient[place..])));
            next.v[place..place + 9].copy_from_slice(&by_rows(&(r * omega.cross_matrix())));
        }
        self.check(&next.v, substep, time)
    }

    /// The accelerations of the other coordinates from the present gradient.
    fn accelerate(&mut self, substep: &Substep, time: f64) -> Result<(), StepError> {
        for (f, slope) in self.acceleration.iter_mut().zip(&self.gradient) {
            *f = -slope;
        }
        self.mass.apply(&mut self.acceleration).map_err(|error| self.failed(error, substep, time))
    }

    /// The rotation vector ξ with μ(ξ) = `momentum`, by Newton's method.
    fn rotation_vector(
        &mut self,
        index: usize,
        momentum: &Vector3<f64>,
        substep: &Substep,
        time: f64,
    ) -> Result<Vector3<f64>, StepError> {
        let (place, Body { inertia, isotropic, .. }) = self.bodies[index];
        let too_far = |xi: &Vector3<f64>| {
            let limit = substep.size.abs() * PI / xi.norm();
            ForceError::AboveStability { limit }.of_step(RotationVerlet::NAME, substep, time)
        };
        let explicit = solve(inertia, momentum);
        if isotropic.is_some() {
            return if explicit.norm() < PI { Ok(explicit) } else { Err(too_far(&explicit)) };
        }
        let turn = Turn::of(momentum, explicit, |xi| trivialized(&inertia, xi), &mut self.counts.iterations);
        let xi = turn.x;
        // An iteration that reaches half a turn has no solution among smaller rotations.
        if xi.norm() >= PI {
            return Err(too_far(&xi));
        }
        if turn.is_found() {
            return Ok(xi);
        }
        if explicit.norm() >= PI {
            return Err(too_far(&explicit));
        }
        let mut body = self.system.layout().name_of(place);
        body.truncate(body.rfind("[(").unwrap_or(body.len()));
        let unknown = "the rotation of the step";
        Err(turn.not_converged((RotationVerlet::NAME, unknown), &format!(" of `{body}`"), substep, time))
    }

    fn check(&self, values: &[f64], substep: &Substep, time: f64) -> Result<(), StepError> {
        check_finite(values).map_err(|error| self.failed(error, substep, time))
    }

    fn failed(&self, error: ForceError, substep: &Substep, time: f64) -> StepError {
        error.in_step_of(RotationVerlet::NAME, self.system.layout(), substep, time)
    }
}

/// τ = −axial(Rᵀ ∇V), from the entries of ∇V.
fn torque(r: &Matrix3<f64>, gradient: &[f64]) -> Vector3<f64> {
    -axial(&r.tr_mul(&from_slice(gradient)))
}

/// μ(ξ), its derivative, and the sum of the sizes of its terms.
fn trivialized(inertia: &Matrix3<f64>, xi: &Vector3<f64>) -> (Vector3<f64>, Matrix3<f64>, f64) {
    let (spin, angle) = (inertia * xi, xi.norm());
    let (b, slope) = bernoulli(angle);
    let gyroscopic = xi.cross(&spin);
    let bent = xi.cross(&gyroscopic);
    let (hat, spin_hat) = (xi.cross_matrix(), spin.cross_matrix());
    let derivative = inertia
        + 0.5 * (hat * inertia - spin_hat)
        + b * (hat * hat * inertia - hat * spin_hat - gyroscopic.cross_matrix())
        + slope * bent * xi.transpose();
    let size = spin.norm() * (1.0 + angle * (0.5 + b.abs() * angle));
    (spin + 0.5 * gyroscopic + b * bent, derivative, size)
}

/// b(θ) = (1 − (θ/2) cot(θ/2))/θ² and b'(θ)/θ.
fn bernoulli(angle: f64) -> (f64, f64) {
    let square = angle * angle;
    if angle < 0.05 {
        // The series with Bernoulli numbers, to the rounding errors of the first term.
        let b = 1.0 / 12.0 + square * (1.0 / 720.0 + square * (1.0 / 30_240.0 + square / 1_209_600.0));
        return (b, 1.0 / 360.0 + square * (1.0 / 7560.0 + square / 201_600.0));
    }
    let cotangent = 1.0 / (0.5 * angle).tan();
    let b = (1.0 - 0.5 * angle * cotangent) / square;
    // d/dθ of θ² b is −½ cot + ¼ θ (1 + cot²).
    let slope = (0.25 * angle * (1.0 + cotangent * cotangent) - 0.5 * cotangent) / angle;
    (b, (slope - 2.0 * b) / square)
}

carried!([S: ?Sized] RotationFlow<'_, S> {
    gradient, stale, counts
} besides { system, bodies, has_others, mass, next_gradient, acceleration, momenta });
