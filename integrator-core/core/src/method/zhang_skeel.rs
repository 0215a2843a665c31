//! The Zhang–Skeel integrator, Z&S: symplectic, with one linear solve a step.
//!
//! # Scheme
//! With c = β h²:
//! (M + c Hess V(x)) a = −∇V(x);  f = a − ½ c² M⁻¹ [a·V‴(x)·a];
//! x₁ = x₀ + h v₀ + ½ h² f₀;  v₁ = v₀ + ½ h (f₀ + f₁).
//!
//! f derives from a modified potential, M f = −∇U with U(x) = V(x) − ½ c ∇V · (M + c Hess V)⁻¹ ∇V, which
//! makes the map symplectic.
//!
//! # Requirements on the model
//! [`Natural`].  The matrix M + c Hess V may be indefinite if the solution passes its check.
//!
//! # Order and invariants
//! Order 2; symplectic; reversible; conserves linear and angular momentum to round-off.
//! Linearly stable for every step if β ≥ 1/4. In stiff nonlinear use the correction grows like β² ω² h⁴,
//! which [limits the step](super::stability): see [`ZhangSkeel::stiffness_number`], or use
//! [`PushForwardNewmark`](super::PushForwardNewmark).
//!
//! # Parameters
//! `beta` in [0, ∞), default 0.4; at 0 the method is velocity Verlet.
//!
//! # Reference
//! M. Zhang, R. D. Skeel, Cheap implicit symplectic integrators, Appl. Numer. Math. 25 (1997) 297,
//! doi:10.1016/S0168-9274(97)00066-4;
//! M. Tao, H. Owhadi, Variational and linearly-implicit integrators, with applications, IMA J. Numer.
//! Anal. (2014).

use super::applied::Instant;
use super::contract::{Claims, claims};
use super::force::AccelerationField;
use super::force_error::Attempt;
use super::kick_drift_kick::kick_drift_kick;
use super::linearization::ImplicitForce;
use super::linearly_implicit::{LinearlyImplicit, WholePotential, method_of_beta};
use super::mass_solver::MassSolver;
use super::report::Evaluations;
use super::stability;
use crate::carried::carried;
use crate::error::Begun;
use crate::system::{Layout, Natural, State};
use std::marker::PhantomData;

method_of_beta! {
    /// The Zhang–Skeel integrator; see the [scheme](self).
    ZhangSkeel: "β in c = β h²."
}

impl ZhangSkeel {
    /// The number N of the [limit in stiff use](super::stability), which should stay below
    /// [`CORRECTION_LIMIT`](super::stability::CORRECTION_LIMIT); zero at rest without forces.
    ///
    /// `None` if the state does not fit, or a matrix of the method is singular there.
    pub fn stiffness_number<S: Natural + ?Sized>(&self, system: &S, state: &State, step: f64) -> Option<f64> {
        stability::correction(system, state, self.beta, step)
    }
}

claims! {
    impl Claims for ZhangSkeel: "zhang-skeel" of order 2;
    SYMPLECTIC yes, REVERSIBLE yes, MOMENTUM yes, IMPULSE no, PARTS yes; derivatives by Parameters
}

kick_drift_kick!(
    ZhangSkeel on Natural,
    zhang_skeel,
    |this, system, step| ZhangSkeelForce::<S, Self>::new(system, this.beta, step),
    |system, beta| ImplicitForce::<S, WholePotential>::modified(system, Self::NAME, beta)
);

/// f = a − ½ c² M⁻¹ [a·V‴·a], as the force of a method.
pub(super) struct ZhangSkeelForce<'s, S: ?Sized, M> {
    implicit: LinearlyImplicit<'s, S>,
    mass: MassSolver,
    /// M⁻¹ [a·V‴·a].
    third: Vec<f64>,
    method: PhantomData<fn() -> M>,
}

impl<'s, S: Natural + ?Sized, M: Claims> ZhangSkeelForce<'s, S, M> {
    pub(super) fn new(system: &'s S, beta: f64, step: f64) -> Begun<Self> {
        Ok(Self {
            implicit: LinearlyImplicit::new(system, M::NAME, beta, step)?,
            mass: MassSolver::new(system, system.mass())?,
            third: vec![0.0; system.dimension()],
            method: PhantomData,
        })
    }
}

impl<S: Natural + ?Sized, M: Claims> AccelerationField for ZhangSkeelForce<'_, S, M> {
    const METHOD: &'static str = M::NAME;

    fn layout(&self) -> &Layout {
        self.implicit.system.layout()
    }

    fn evaluate(&mut self, q: &[f64], at: Instant, f: &mut [f64], counts: &mut Evaluations) -> Attempt {
        // (M + c Hess V) a = −∇V
        self.implicit.solve(q, at, f, counts)?;
        // f = a − ½ c² M⁻¹ [a·V‴·a]
        self.implicit.system.potential_third(q, at.t, f, &mut self.third);
        counts.thirds += 1;
        self.mass.apply(&mut self.third)?;
        let factor = 0.5 * self.implicit.shift.c * self.implicit.shift.c;
        for (f, third) in f.iter_mut().zip(&self.third) {
            *f -= factor * third;
        }
        Ok(())
    }

    fn resize(&mut self, step: f64) -> bool {
        self.implicit.shift.resize(step)
    }
}

carried!([S: ?Sized, M] ZhangSkeelForce<'_, S, M> { implicit } besides { mass, third, method });
