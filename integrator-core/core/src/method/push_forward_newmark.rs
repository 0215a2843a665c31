//! Push-forward Newmark: the symplectic form of Newmark's method with γ = 1/2.
//!
//! # Scheme
//! With c = β h²:  M f = −∇V(x + c f, t);
//! x₁ = x₀ + h v₀ + ½ h² f₀;  v₁ = v₀ + ½ h (f₀ + f₁).
//!
//! f derives from a modified potential: M f = −∇U with U(x) = min over a of ½ c aᵀ M a + V(x + c a). A
//! safeguarded Newton's method with the sparse matrix M + c Hess V, started from zero, computes it; its
//! first iterate is the acceleration of Z&Ss.
//!
//! # Requirements on the model
//! [`Natural`].  The matrix M + c Hess V may be indefinite on the way if its solutions pass their check.
//!
//! # Order and invariants
//! Order 2; symplectic; reversible; conserves linear and angular momentum to round-off. It is Newmark's
//! method in the coordinate x = q + c M⁻¹ ∇V(q). Linearly stable for every step if β ≥ 1/4. With
//! penalties it stays accurate where β h² ω is far above the limit of Z&S: the robust choice among
//! penalty methods.
//!
//! # Parameters
//! `beta` in [0, ∞), default 0.4; at 0 the method is velocity Verlet. `tolerance` in (0, 0.001], default
//! 10⁻¹⁴: Newton's method stops when a correction moves no position by more than this part of the
//! largest, or when corrections stop shrinking at the level of rounding. `iterations` at least 1,
//! default 50: the most corrections in a step.
//!
//! # Reference
//! M. Tao, H. Owhadi, Variational and linearly-implicit integrators, with applications, IMA J. Numer.
//! Anal. (2014);
//! M. Zhang, R. D. Skeel, Cheap implicit symplectic integrators, Appl. Numer. Math. 25 (1997) 297,
//! doi:10.1016/S0168-9274(97)00066-4.

use super::applied::Instant;
use super::check::by_default;
use super::contract::{Claims, claims};
use super::force::AccelerationField;
use super::force_error::Attempt;
use super::implicit::{Equation, Implicit};
use super::kick_drift_kick::kick_drift_kick;
use super::linearization::ImplicitForce;
use super::linearly_implicit::{Shift, WholePotential};
use super::report::Evaluations;
use crate::carried::carried;
use crate::forward::forward;
use crate::system::{Layout, Natural, State};

/// Push-forward Newmark; see the [scheme](self).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PushForwardNewmark {
    /// β in c = β h².
    pub beta: f64,
    /// The last correction of Newton's method relative to the largest position, in (0, 0.001].
    pub tolerance: f64,
    /// The most corrections of Newton's method in a step.
    pub iterations: u32,
}

by_default!(
    /// β = 0.4, the value of Tao and Owhadi.
    PushForwardNewmark { beta: 0.4, tolerance: 1e-14, iterations: 50 }
);

claims! {
    impl Claims for PushForwardNewmark: "newmark-pushforward" of order 2;
    SYMPLECTIC yes, REVERSIBLE yes, MOMENTUM yes, IMPULSE yes, PARTS yes; derivatives by Parameters
}

kick_drift_kick!(
    PushForwardNewmark on Natural,
    newmark_linear,
    |this, system, step| Ok(PushForwardNewmarkForce {
        system,
        shift: Shift::of(Self::NAME, this.beta, step)?,
        implicit: Implicit::new(system, Self::NAME, (this.tolerance, this.iterations))?,
    }),
    ImplicitForce::<S, WholePotential>::solved,
    tolerance
);

/// M f = −∇V(x + c f).
#[derive(Debug)]
struct PushForwardNewmarkForce<'s, S: ?Sized> {
    system: &'s S,
    shift: Shift,
    implicit: Implicit,
}

impl<S: Natural + ?Sized> AccelerationField for PushForwardNewmarkForce<'_, S> {
    const METHOD: &'static str = PushForwardNewmark::NAME;

    forward! { system: layout() -> &Layout; }

    fn evaluate(&mut self, q: &[f64], at: Instant, f: &mut [f64], counts: &mut Evaluations) -> Attempt {
        f.fill(0.0);
        let equation = Equation { start: q, base: q, shift: self.shift.c, at };
        self.implicit.solve(self.system, equation, f, counts)
    }

    forward! { mut shift: resize(step: f64) -> bool; }
}

carried!([S: ?Sized] PushForwardNewmarkForce<'_, S> { shift } besides { system, implicit });
