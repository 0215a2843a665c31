//! Accurate solutions, the measure of other methods: adaptive Runge–Kutta of order 8 with error control.
//!
//! # Scheme
//! The Euler–Lagrange equations as a first-order system in (q, v), L_vv a = L_q − L_vq v − L_vt + F;
//! with constraints, in their index-1 form,
//!
//! L_vv a − Gᵀ λ − Aᵀ μ = L_q − L_vq v − L_vt + F,
//! G a = −(vᵀ Hess g v + 2 ∂ₜG v + ∂ₜₜ g),  A a = −(∂c/∂q v + ∂c/∂t),
//!
//! for holonomic rows g(q, t) = 0, differentiated twice, nonholonomic ones c = A(q, t) v + b(q, t) = 0,
//! differentiated once, and forces F without a potential. The method DOP853 of Dormand and Prince
//! advances them. One `step` covers the interval between two outputs with as many inner steps as the
//! tolerance requires. A constant mass is factored once, and where its inverse is sparse, multipliers
//! come from B M⁻¹ Bᵀ, B = (G, A). Positions and velocities are projected onto constraints at the end of
//! each interval (orthogonally in the metric L_vv), so that the drift stays at round-off.
//!
//! # Requirements on the model
//! Any [`Lagrangian`] system with a regular L_vv, or, with constraints, a regular matrix [L_vv Bᵀ; B 0]:
//! the mass may be singular in directions that the constraints hold, as for a body with a
//! quaternion of length one. A coordinate without mass and free of rows is one of first order: forces
//! must damp it, and its velocity balances them, L_q + F = 0, in each stage.
//!
//! # Order and invariants
//! Order 8; conserves invariants to the tolerance only; not symplectic, not reversible.
//!
//! # Parameters
//! `tolerance` in [1e-14, 1e-2], default 1e-12: an inner step keeps its error below tolerance (1 + |y|)
//! in the root mean square over the entries y of (q, v).
//!
//! # Reference
//! E. Hairer, S. P. Nørsett, G. Wanner, Solving Ordinary Differential Equations I (1993), section II.5,
//! doi:10.1007/978-3-540-78862-1; for the index-1 form, Hairer and Wanner, volume II (1996), section
//! VII.1.

mod backward;
pub mod bdf;
mod run;
mod runge_kutta;

pub use bdf::Bdf;

use super::check::{by_default, check_start};
use super::contract::{Claims, Method, Stepper, claims};
use super::dynamics::Dynamics;
use crate::error::Begun;
use crate::system::{Holonomic, Lagrangian, Nonholonomic, State};
use run::{Adaptive, Choice, first_acceleration};

/// The accelerations q̈ and the multipliers at a state on the constraints, by the equations of the
/// [scheme](self).
///
/// # Errors
/// The matrix of the accelerations is singular there, forces are not finite, or the state does not fit
/// the system.
pub fn accelerations<S: Lagrangian + ?Sized>(system: &S, state: &State) -> Begun<(Vec<f64>, Vec<f64>)> {
    check_start(system, state, 1.0)?;
    let mut state = state.clone();
    let mut dynamics = Dynamics::new(system, &mut state, false)?;
    let accelerations = first_acceleration(Reference::NAME, &mut dynamics, &state)?;
    let of_positions = system.holonomic().map_or(0, Holonomic::constraints);
    let of_velocities = system.nonholonomic().map_or(0, Nonholonomic::nonholonomic_rows);
    let mut multipliers = vec![0.0; of_positions + of_velocities];
    dynamics.multipliers(&mut multipliers);
    Ok((accelerations, multipliers))
}

/// An accurate solution, with multipliers if there are constraints; see the [scheme](self).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reference {
    /// The bound on the error of an inner step, relative to 1 + |y|.
    pub tolerance: f64,
}

by_default!(Reference { tolerance: 1e-12 });

claims! {
    impl Claims for Reference: "reference" of order 8;
    SYMPLECTIC open, REVERSIBLE open, MOMENTUM open, PARTS yes; derivatives by None("the lengths of its steps depend on the state")
}

impl<S: Lagrangian + ?Sized> Method<S> for Reference {
    fn start<'s>(&self, system: &'s S, state: State, step: f64) -> Begun<impl Stepper + use<'s, S>> {
        Adaptive::start(Choice::RungeKutta, system, self.tolerance, state, step)
    }
}
