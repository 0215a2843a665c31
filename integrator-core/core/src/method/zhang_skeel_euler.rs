//! The Zhang–Skeel integrator in its symplectic-Euler form: one linear solve a step, order 1.
//!
//! # Scheme
//! With c = β h² and the force of [`ZhangSkeel`](super::ZhangSkeel),
//! (M + c Hess V(x)) a = −∇V(x);  f = a − ½ c² M⁻¹ [a·V‴(x)·a];
//! v₁ = v₀ + h f₀;  x₁ = x₀ + h v₁.
//!
//! The discrete Euler–Lagrange equation of h (½ v·M v − U(x)) with M f = −∇U, by the rectangle rule
//! instead of the trapezoidal rule. Both forms trace equal positions from suitable starts: here, as in
//! leap-frog, a velocity belongs to the middle of the step before.
//!
//! # Requirements on the model
//! [`Natural`].  The matrix M + c Hess V may be indefinite if the solution passes its check.
//!
//! # Order and invariants
//! Order 1; symplectic; not reversible; conserves linear and angular momentum to round-off.
//! Stable for the same steps as [`ZhangSkeel`](super::ZhangSkeel).
//!
//! # Parameters
//! `beta` in [0, ∞), default 0.4; at 0 the method is symplectic Euler.
//!
//! # Reference
//! M. Tao, H. Owhadi, Variational and linearly-implicit integrators, with applications, IMA J. Numer.
//! Anal. (2014), sections 2 and 4.5.

use super::contract::{Claims, Method, Stepper, claims};
use super::flow::Flow;
use super::instability::Instability;
use super::kick_drift::KickDrift;
use super::linearization::program::{LinearStep, Program};
use super::linearization::{Differentiable, ImplicitForce, Kicks};
use super::linearly_implicit::{WholePotential, method_of_beta};
use super::running::Ready;
use super::stability::{self, FirstStep};
use super::zhang_skeel::ZhangSkeelForce;
use crate::error::Begun;
use crate::system::{Natural, State};

method_of_beta! {
    /// The symplectic-Euler form of Z&S; see the [scheme](self).
    ZhangSkeelEuler: "β in c = β h²."
}

claims! {
    impl Claims for ZhangSkeelEuler: "zhang-skeel-euler" of order 1;
    SYMPLECTIC yes, REVERSIBLE no, MOMENTUM yes, IMPULSE no, PARTS yes; derivatives by Parameters
}

impl<S: Natural + ?Sized> Method<S> for ZhangSkeelEuler {
    fn start<'s>(&self, system: &'s S, state: State, step: f64) -> Begun<impl Stepper + use<'s, S>> {
        self.traced(system, state, step)
    }

    fn instability(&self, system: &S, state: &State, step: f64) -> Option<Instability> {
        stability::zhang_skeel(self.beta, &FirstStep { method: Self::NAME, system, state, step })
    }
}

impl<S: Natural + ?Sized> Differentiable<S> for ZhangSkeelEuler {
    fn traced<'s>(&self, system: &'s S, state: State, step: f64) -> Ready<'s, impl Flow + use<'s, S>> {
        KickDrift::start(system, state, step, || ZhangSkeelForce::<S, Self>::new(system, self.beta, step))
    }

    fn linear<'s>(&self, system: &'s S, _: usize) -> Begun<Box<dyn LinearStep + 's>> {
        let force = ImplicitForce::<S, WholePotential>::modified(system, Self::NAME, self.beta)?;
        Ok(Box::new(Program::new(Kicks::kick_drift(system, Self::NAME, force)?)))
    }
}
