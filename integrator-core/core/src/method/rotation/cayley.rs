//! The Hamilton–Pontryagin integrator on SO(3) with the Cayley map.
//!
//! # Scheme
//! With cay(w) = (1 − ŵ/2)⁻¹ (1 + ŵ/2), the inertia J, and
//! μ±(Ω) = J Ω ± ½ h Ω × J Ω + ¼ h² (Ω·J Ω) Ω, the momentum of Ω at the beginning (+) and at the end (−)
//! of a step:
//! μ₊(Ω₁) = μ₋(Ω₀) + h τ(R₀);  R₁ = R₀ cay(h Ω₁).
//!
//! If the inertia is j about every axis, μ± = j (1 + ¼ h² |Ω|²) Ω, and the length of Ω₁ solves one
//! cubic, s + ¼ h² s³ = |μ|/j, with a single solution. Otherwise Newton's method finds Ω₁ from Ω₀. Every
//! step removes the rounding errors of RᵀR − 1.
//!
//! # Requirements on the model
//! One rotation matrix ([the model](super)), with any potential.
//!
//! # Order and invariants
//! Order 1; symplectic in (R, μ₋), not reversible; R stays a rotation to round-off. The momentum μ₋
//! about an axis of the body, and R μ₋ about an axis in space, are conserved if rotations about the axis
//! leave the potential (for an axis of the body, also the inertia) unchanged.
//!
//! # Parameters
//! None but the step.
//!
//! # Reference
//! N. Bou-Rabee, J. E. Marsden, Hamilton–Pontryagin integrators on Lie groups, Found. Comput. Math. 9
//! (2009) 197, doi:10.1007/s10208-008-9030-4;
//! M. Tao, H. Owhadi, Variational and linearly-implicit integrators, with applications, IMA J. Numer.
//! Anal. (2014), equations (34) and (35).

use super::body::{Body, RotationTolerance};
use super::matrix::{axial, by_rows, from_slice, straightened, turned};
use super::newton::{ITERATIONS, Turn};
use crate::binding::threads::first_not_finite;
use crate::carried::carried;
use crate::error::{Begun, StepError};
use crate::method::check::{check_step, check_unforced};
use crate::method::contract::{Claims, Method, Stepper, claims};
use crate::method::flow::{Flow, Substep};
use crate::method::force_error::{ForceError, check_finite};
use crate::method::report::{Evaluations, Report};
use crate::method::running::Running;
use crate::system::{Natural, State, Unforced};
use nalgebra::{Matrix3, Vector3};

/// The Hamilton–Pontryagin integrator with the Cayley map; see the [scheme](self).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RotationCayley;

claims! {
    impl Claims for RotationCayley: "so3-cayley" of order 1;
    SYMPLECTIC yes, REVERSIBLE no, MOMENTUM yes
}

impl<S: Unforced + ?Sized> Method<S> for RotationCayley {
    fn start<'s>(&self, system: &'s S, state: State, step: f64) -> Begun<impl Stepper + use<'s, S>> {
        check_unforced(system, Self::NAME)?;
        let body = Body::of(Self::NAME, system)?;
        Body::check_start(system, &state, RotationTolerance::Exactly)?;
        check_step(step)?;
        let rotation = from_slice(&state.q);
        let flow = CayleyFlow {
            angular_velocity: body.angular_velocity(&rotation, &from_slice(&state.v)),
            rotation,
            gradient: vec![0.0; state.q.len()],
            counts: Evaluations::default(),
            system,
            body,
        };
        Running::new(flow, state, step).within(Self::NAME, system)
    }
}

struct CayleyFlow<'s, S: ?Sized> {
    system: &'s S,
    body: Body,
    /// R and Ω of the state, whose velocity is R Ω̂.
    rotation: Matrix3<f64>,
    angular_velocity: Vector3<f64>,
    gradient: Vec<f64>,
    counts: Evaluations,
}

impl<S: Natural + ?Sized> CayleyFlow<'_, S> {
    /// J Ω + ½ h Ω × J Ω + ¼ h² (Ω·J Ω) Ω.
    fn momentum(&self, omega: &Vector3<f64>, h: f64) -> Vector3<f64> {
        let spin = self.body.inertia * omega;
        spin + 0.5 * h * omega.cross(&spin) + 0.25 * h * h * omega.dot(&spin) * omega
    }

    /// Solves for Ω with the momentum μ at the beginning of a step.
    fn solve(
        &mut self,
        momentum: &Vector3<f64>,
        substep: &Substep,
        time: f64,
    ) -> Result<Vector3<f64>, StepError> {
        let (h, inertia) = (substep.size, self.body.inertia);
        if let Some(inertia) = self.body.isotropic {
            return Ok(self.solve_cubic(momentum, inertia, h));
        }
        let terms = |omega: &Vector3<f64>| {
            let spin = inertia * omega;
            let gyroscopic = omega.cross_matrix() * inertia - spin.cross_matrix();
            let energetic = Matrix3::from_diagonal_element(omega.dot(&spin)) + 2.0 * omega * spin.transpose();
            let derivative = inertia + 0.5 * h * gyroscopic + 0.25 * h * h * energetic;
            (self.momentum(omega, h), derivative, spin.norm() * (1.0 + h * omega.norm()))
        };
        let mut iterations = 0;
        let turn = Turn::of(momentum, self.angular_velocity, terms, &mut iterations);
        self.counts.iterations += iterations;
        if turn.is_found() {
            return Ok(turn.x);
        }
        Err(turn.not_converged((RotationCayley::NAME, "the angular velocity"), "", substep, time))
    }

    /// Solves s + ¼ h² s³ = |μ|/j by Newton's method from above, where it descends monotonically.
    fn solve_cubic(&mut self, momentum: &Vector3<f64>, inertia: f64, h: f64) -> Vector3<f64> {
        let length = momentum.norm() / inertia;
        if length == 0.0 {
            return Vector3::zeros();
        }
        let quarter = 0.25 * h * h;
        let mut s = length.min((length / quarter).cbrt());
        for _ in 0..ITERATIONS {
            self.counts.iterations += 1;
            let next = s - (s + quarter * s * s * s - length) / (1.0 + 3.0 * quarter * s * s);
            let done = (next - s).abs() <= f64::EPSILON * s;
            s = next;
            if done {
                break;
            }
        }
        s / (inertia * length) * momentum
    }
}

impl<S: Natural + ?Sized> Flow for CayleyFlow<'_, S> {
    fn advance(&mut self, state: &State, substep: &Substep, next: &mut State) -> Result<(), StepError> {
        let (h, time) = (substep.size, state.t);
        let layout = self.system.layout();
        let failed = |error: ForceError| error.in_step_of(RotationCayley::NAME, layout, substep, time);
        // τ = −axial(Rᵀ ∇V)
        self.system.potential_gradient(&state.q, time, &mut self.gradient);
        self.counts.gradients += 1;
        let torque = -axial(&self.rotation.tr_mul(&from_slice(&self.gradient)));
        // μ₊(Ω₁) = μ₋(Ω₀) + h τ
        let momentum = self.momentum(&self.angular_velocity, -h) + h * torque;
        if first_not_finite(momentum.as_slice()).is_some() {
            let index = first_not_finite(&self.gradient).unwrap_or(0);
            return Err(failed(ForceError::NotFinite { index }));
        }
        let omega = self.solve(&momentum, substep, time)?;
        // R₁ = R₀ cay(h Ω₁)
        let rotation = straightened(&turned(&self.rotation, &(h * omega)));
        next.q.copy_from_slice(&by_rows(&rotation));
        next.v.copy_from_slice(&by_rows(&(rotation * omega.cross_matrix())));
        check_finite(&next.q).and_then(|()| check_finite(&next.v)).map_err(failed)?;
        (self.rotation, self.angular_velocity) = (rotation, omega);
        Ok(())
    }

    fn report(&self) -> Report<'_> {
        Report::of(self.counts)
    }
}

carried!([S: ?Sized] CayleyFlow<'_, S> {
    rotation, angular_velocity, counts
} besides { system, body, gradient });
