//! The Hamilton–Pontryagin integrator on SO(3) with the Cayley map.
//!
//! # Scheme
//! With cay(w) = (1 − ŵ/2)⁻¹ (1 + ŵ/2), the inertia J, and
//! μ±(Ω) = J Ω ± ½ h Ω × J Ω + ¼ h² (Ω·J Ω) Ω, the momentum of Ω at the beginning (+) and at the end (−) of a step:
//! μ₊(Ω₁) = μ₋(Ω₀) + h τ(R₀);  R₁ = R₀ cay(h Ω₁).
//!
//! Where the inertia is the same j about every axis, μ± = j (1 + ¼ h² |Ω|²) Ω, and the equation for Ω₁ is one cubic for its
//! length, s + ¼ h² s³ = |μ|/j, which has one solution.  Otherwise Newton's method finds Ω₁ from Ω₀.
//! The rounding errors of RᵀR − 1 are removed in every step.
//!
//! # Requirements on the model
//! One rotation matrix ([the model](super)), with any potential.
//!
//! # Order and what is preserved
//! Order 1; symplectic in (R, μ₋), not reversible; R stays a rotation to round-off.  The momentum μ₋ about an axis of the body,
//! and R μ₋ about an axis in space, are conserved when the potential is unchanged by turning about that axis (for an axis of
//! the body, the inertia as well).
//!
//! # Parameters
//! None but the step.
//!
//! # Reference
//! N. Bou-Rabee, J. E. Marsden, Hamilton–Pontryagin integrators on Lie groups, Found. Comput. Math. 9 (2009) 197,
//! doi:10.1007/s10208-008-9030-4;
//! M. Tao, H. Owhadi, Variational and linearly-implicit integrators, with applications, IMA J. Numer. Anal. (2014),
//! equations (34) and (35).

use super::body::{Body, Near};
use super::matrix::{axial, by_rows, from_slice, solve, straightened, turned};
use crate::carried::carried;
use crate::error::{StartError, StepError};
use crate::method::check::{check_step, check_unforced, first_not_finite};
use crate::method::contract::{Claims, Method, Stepper};
use crate::method::flow::{Flow, Substep};
use crate::method::report::{Evaluations, Report};
use crate::method::running::Running;
use crate::system::{Natural, State, Unforced};
use nalgebra::{Matrix3, Vector3};

/// The Hamilton–Pontryagin integrator with the Cayley map; see the [scheme](self).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RotationCayley;

/// Newton's method converges quadratically from the old angular velocity at any step that resolves the motion.
const ITERATIONS: u32 = 50;

/// A residual of the momentum below this many times its own size is round-off.
const FLOOR: f64 = 16.0 * f64::EPSILON;

impl Claims for RotationCayley {
    const NAME: &'static str = "so3-cayley";
    const ORDER: u32 = 1;
    const SYMPLECTIC: Option<bool> = Some(true);
    const REVERSIBLE: Option<bool> = Some(false);
    const MOMENTUM: Option<bool> = Some(true);
}

impl<S: Unforced + ?Sized> Method<S> for RotationCayley {
    fn start<'s>(
        &self,
        system: &'s S,
        state: State,
        step: f64,
    ) -> Result<impl Stepper + use<'s, S>, StartError> {
        check_unforced(system, Self::NAME)?;
        let body = Body::of(Self::NAME, system)?;
        Body::check_start(system, &state, Near::Exactly)?;
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
        Ok(Running::new(flow, state, step).within(Self::NAME, system.signals()))
    }
}

/// The flow of [`RotationCayley`].
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

    /// Ω with the momentum μ at the beginning of a step.
    fn solve(
        &mut self,
        momentum: &Vector3<f64>,
        substep: &Substep,
        time: f64,
    ) -> Result<Vector3<f64>, StepError> {
        match self.body.isotropic {
            Some(inertia) => Ok(self.solve_cubic(momentum, inertia, substep.size)),
            None => self.solve_newton(momentum, substep, time),
        }
    }

    /// s + ¼ h² s³ = |μ|/j by Newton's method from above, where it descends to the solution monotonically.
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

    fn solve_newton(
        &mut self,
        momentum: &Vector3<f64>,
        substep: &Substep,
        time: f64,
    ) -> Result<Vector3<f64>, StepError> {
        let (h, inertia) = (substep.size, self.body.inertia);
        let mut omega = self.angular_velocity;
        let mut previous = f64::INFINITY;
        let (mut residual, mut tolerance) = (f64::NAN, f64::NAN);
        let mut place = 0;
        for _ in 0..ITERATIONS {
            let missing = momentum - self.momentum(&omega, h);
            let spin = inertia * omega;
            residual = 0.0;
            for (index, entry) in missing.iter().enumerate() {
                if entry.abs() > residual || entry.is_nan() {
                    (residual, place) = (entry.abs(), index);
                }
            }
            let size = momentum.norm() + spin.norm() * (1.0 + h * omega.norm());
            tolerance = FLOOR * size;
            // Once it is round-off it is iterated until it falls no more.
            if residual <= tolerance && residual >= 0.5 * previous || residual == 0.0 {
                return Ok(omega);
            }
            previous = residual;
            self.counts.iterations += 1;
            let gyroscopic = omega.cross_matrix() * inertia - spin.cross_matrix();
            let energetic = Matrix3::from_diagonal_element(omega.dot(&spin)) + 2.0 * omega * spin.transpose();
            let derivative = inertia + 0.5 * h * gyroscopic + 0.25 * h * h * energetic;
            omega += solve(derivative, &missing);
        }
        if residual <= tolerance {
            return Ok(omega);
        }
        Err(StepError::NotConverged {
            method: RotationCayley::NAME,
            unknown: "the angular velocity",
            step: substep.number,
            time,
            iterations: ITERATIONS,
            is_correction: false,
            residual,
            place: format!("component {place} of the angular momentum"),
            tolerance,
            remedy: "try a smaller step",
        })
    }

    #[cold]
    fn not_finite(&self, index: usize, substep: &Substep, time: f64) -> StepError {
        let (method, coordinate) = (RotationCayley::NAME, self.system.layout().name_of(index));
        let Substep { number: step, size, .. } = *substep;
        StepError::NotFinite { method, coordinate, step, time, size }
    }
}

impl<S: Natural + ?Sized> Flow for CayleyFlow<'_, S> {
    fn advance(&mut self, state: &State, substep: &Substep, next: &mut State) -> Result<(), StepError> {
        let (h, time) = (substep.size, state.t);
        // τ = −axial(Rᵀ ∇V)
        self.system.potential_gradient(&state.q, time, &mut self.gradient);
        self.counts.gradients += 1;
        let torque = -axial(&self.rotation.tr_mul(&from_slice(&self.gradient)));
        // μ₊(Ω₁) = μ₋(Ω₀) + h τ
        let momentum = self.momentum(&self.angular_velocity, -h) + h * torque;
        if first_not_finite(momentum.as_slice()).is_some() {
            return Err(self.not_finite(first_not_finite(&self.gradient).unwrap_or(0), substep, time));
        }
        let omega = self.solve(&momentum, substep, time)?;
        // R₁ = R₀ cay(h Ω₁)
        let rotation = straightened(&turned(&self.rotation, &(h * omega)));
        let (q, v) = (by_rows(&rotation), by_rows(&(rotation * omega.cross_matrix())));
        for part in [&q, &v] {
            if let Some(index) = first_not_finite(part) {
                return Err(self.not_finite(index, substep, time));
            }
        }
        (self.rotation, self.angular_velocity) = (rotation, omega);
        next.q.copy_from_slice(&q);
        next.v.copy_from_slice(&v);
        Ok(())
    }

    fn report(&self) -> Report<'_> {
        Report::of(self.counts)
    }
}

carried!([S: ?Sized] CayleyFlow<'_, S> {
    rotation, angular_velocity, counts
} besides { system, body, gradient });
