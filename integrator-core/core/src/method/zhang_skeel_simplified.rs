//! The simplified Zhang–Skeel integrator, Z&Ss: Z&S without third derivatives, not symplectic.
//!
//! # Scheme
//! With c = β h²:  (M + c Hess V(x)) f = −∇V(x);
//! x₁ = x₀ + h v₀ + ½ h² f₀;  v₁ = v₀ + ½ h (f₀ + f₁).
//!
//! # Requirements on the model
//! [`Natural`].  The matrix M + c Hess V may be indefinite if the solution passes its check.
//!
//! # Order and invariants
//! Order 2; reversible. Not symplectic (unless Hess V is constant), does not conserve angular momentum,
//! but tolerates larger steps on stiff nonlinear problems than Z&S. Linearly stable for every step if β
//! ≥ 1/4.
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
use super::linearly_implicit::{LinearForce, WholePotential, method_of_beta};
use crate::system::{Natural, State};

method_of_beta! {
    /// The simplified Zhang–Skeel integrator; see the [scheme](self).
    ZhangSkeelSimplified: "β in c = β h²."
}

claims! {
    impl Claims for ZhangSkeelSimplified: "zhang-skeel-simplified" of order 2;
    SYMPLECTIC no, REVERSIBLE yes, MOMENTUM no, IMPULSE no, PARTS yes; derivatives by Parameters
}

kick_drift_kick!(
    ZhangSkeelSimplified on Natural,
    newmark_linear,
    |this, system, step| LinearForce::<S, WholePotential, Self>::new(system, this.beta, step),
    ImplicitForce::<S, WholePotential>::explicit
);
