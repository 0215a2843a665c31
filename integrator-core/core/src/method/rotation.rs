//! Bodies by their rotation matrix R: R in SO(3), with any potential V(R).
//!
//! # The model
//! A system with one coordinate `r: Mat3` and the Lagrangian L = ½ tr(Ṙ D Ṙᵀ) − V(R, t), where D is a constant positive definite
//! matrix, the integrals of the mass over the products of the body's coordinates.  With Ṙ = R Ω̂ the kinetic energy is ½ Ω·J Ω,
//! and the inertia is J = tr(D) − D; L = ¼ tr(ṘᵀṘ) − V has D = ½ and J = 1.  The exact motion is
//!
//! Ṙ = R Ω̂,  J Ω̇ = J Ω × Ω + τ(R),  τ = −axial(Rᵀ ∇V),  axial(A) = (A₃₂ − A₂₃, A₁₃ − A₃₁, A₂₁ − A₁₂).
//!
//! RᵀR = 1 may be declared as a constraint or not; a system with constraints that rotations do not satisfy is refused.
//! For V = B μ R₃₃, the magnetized body of Tao and Owhadi, τ = B μ (Rᵀ e₃) × e₃.
//!
//! # The methods
//! - [`RotationVerlet`]: Verlet's method on the rotations, of order 2 and symmetric, for any number of bodies, which may have centres
//!   that move.  This is the one to take.
//! - [`RotationCayley`]: the Hamilton–Pontryagin integrator with the Cayley map, of order 1, which stays on SO(3).
//! - [`RotationPenalty`] and [`RotationPenaltyEuler`]: the variational linearized integrators, which hold R near SO(3) by the
//!   penalty of [`PenalizedRotation`].
//!
//! The last three take a system whose one coordinate is one matrix.  [`Rattle`](super::Rattle) takes the declared constraint as it takes any other.

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

use crate::error::StartError;
use crate::system::Natural;

/// Refuses a system that [`RotationVerlet`] does not take, whatever its start: one without matrices, or whose constraints are not those of rotations alone.
///
/// # Errors
/// The system is none of bodies by their rotation matrices.
pub fn check_bodies<S: Natural + ?Sized>(method: &'static str, system: &S) -> Result<(), StartError> {
    body::Body::all(method, system).map(drop)
}

/// The same for the methods of one body, whose matrix is the only coordinate.
///
/// # Errors
/// The system is none of one body by its rotation matrix.
pub fn check_body<S: Natural + ?Sized>(method: &'static str, system: &S) -> Result<(), StartError> {
    body::Body::of(method, system).map(drop)
}
