//! The simplified Zhang–Skeel integrator for stiff systems: its matrix has only the stiff part of V.
//!
//! # Scheme
//! With c = β h² and V = V₀ + V₁:  (M + c Hess V₁(x)) f = −∇V(x);
//! x₁ = x₀ + h v₀ + ½ h² f₀;  v₁ = v₀ + ½ h (f₀ + f₁).
//!
//! # Requirements on the model
//! [`Stiff`]: a part V₁ that the declaration encloses in `stiff(…)`, or the penalty of
//! [`Penalized`](crate::wrap::Penalized) constraints. The matrix has the sparsity of V₁ alone: for rigid
//! molecules with pair forces among all atoms, one small block a molecule. It may be indefinite if the
//! solution passes its check.
//!
//! # Order and invariants
//! Order 2; reversible. Not symplectic; conserves no angular momentum, but linear momentum if a common
//! translation leaves V₁ unchanged. The stiff part is linearly stable for every step if β ≥ 1/4; V₀
//! limits the step as in velocity Verlet.
//!
//! # Parameters
//! `beta` in [0, ∞), default 0.4; at 0 the method is velocity Verlet.
//!
//! # Reference
//! M. Tao, H. Owhadi, Variational and linearly-implicit integrators, with applications, IMA J. Numer.
//! Anal. (2014).

use super::contract::{Claims, claims};
use super::kick_drift_kick::kick_drift_kick;
use super::linearization::ImplicitForce;
use super::linearly_implicit::{LinearForce, StiffPotential, method_of_beta};
use crate::system::{State, Stiff};

method_of_beta! {
    /// The simplified Zhang–Skeel integrator for stiff systems; see the [scheme](self).
    ZhangSkeelStiff: "β in c = β h²."
}

claims! {
    impl Claims for ZhangSkeelStiff: "zhang-skeel-stiff" of order 2;
    SYMPLECTIC no, REVERSIBLE yes, MOMENTUM no, IMPULSE no, PARTS yes; derivatives by Parameters
}

kick_drift_kick!(
    ZhangSkeelStiff on Stiff,
    stiff,
    |this, system, step| LinearForce::<S, StiffPotential, Self>::new(system, this.beta, step),
    ImplicitForce::<S, StiffPotential>::explicit
);
