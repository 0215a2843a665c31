//! Bodies by their rotation matrix R: R in SO(3), with any potential V(R).
//!
//! # The model
//! A system with one coordinate `r: Mat3` and the Lagrangian L = ½ tr(Ṙ D Ṙᵀ) − V(R, t), where D is a
//! constant positive definite matrix: the integrals of the mass over the products of the body's
//! coordinates. With Ṙ = R Ω̂ the kinetic energy is ½ Ω·J Ω, and the inertia is J = tr(D) − D; L = ¼
//! tr(ṘᵀṘ) − V has D = ½ and J = 1. The exact motion is
//!
//! Ṙ = R Ω̂,  J Ω̇ = J Ω × Ω + τ(R),  τ = −axial(Rᵀ ∇V),  axial(A) = (A₃₂ − A₂₃, A₁₃ − A₃₁, A₂₁ − A₁₂).
//!
//! The constraint RᵀR = 1 may be declared or not; other constraints that rotations violate are refused.
//! For V = B μ R₃₃, the magnetized body of Tao and Owhadi, τ = B μ (Rᵀ e₃) × e₃.
//!
//! # The methods
//! - [`RotationVerlet`]: Verlet's method on the rotations, of order 2 and symmetric, for any number of
//!   bodies, whose centres may move. Use this one.
//! - [`RotationCayley`]: the Hamilton–Pontryagin integrator with the Cayley map, of order 1, which stays
//!   on SO(3).
//! - [`RotationPenalty`] and [`RotationPenaltyEuler`]: the variational linearized integrators, which
//!   hold R near SO(3) by the penalty of [`PenalizedRotation`].
//!
//! The last three take one matrix as the only coordinate. [`Rattle`](super::Rattle) takes the declared
//! constraint as any other.

mod body;
pub mod cayley;
mod libration;
mod matrix;
mod newton;
pub mod penalty;
pub mod verlet;

pub use cayley::RotationCayley;
pub use penalty::{PenalizedRotation, RotationPenalty, RotationPenaltyEuler};
pub use verlet::RotationVerlet;

use crate::error::Begun;
use crate::system::Natural;

/// Refuses a system that [`RotationVerlet`] cannot take at any start: without matrices, or with
/// constraints on more than rotations.
///
/// # Errors
/// The system has no bodies with rotation matrices.
pub fn check_bodies<S: Natural + ?Sized>(method: &'static str, system: &S) -> Begun {
    body::Body::all(method, system).map(drop)
}

/// [`check_bodies`] for the methods of one body, whose matrix is the only coordinate.
///
/// # Errors
/// The system is not one body with a rotation matrix.
pub fn check_body<S: Natural + ?Sized>(method: &'static str, system: &S) -> Begun {
    body::Body::of(method, system).map(drop)
}
