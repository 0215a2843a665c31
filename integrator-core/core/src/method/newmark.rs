//! Newmark's method with γ = 1/2, implicit for β > 0, its equations solved to round-off.
//!
//! # Scheme
//! With c = β h² and M a = −∇V(q, t):
//! q₁ = q₀ + h v₀ + ½ h² ((1 − 2 β) a₀ + 2 β a₁);  v₁ = v₀ + ½ h (a₀ + a₁).
//!
//! Newton's method with the sparse matrix M + c Hess V, safeguarded and started from a₀, solves M a₁ +
//! ∇V(y + c a₁, t₁) = 0 with y = q₀ + h v₀ + ½ h² (1 − 2 β) a₀. The next step begins with −M⁻¹ ∇V at the
//! new positions, so that a step depends only on (q, v, t).
//!
//! # Requirements on the model
//! [`Natural`].  The matrix M + c Hess V may be indefinite on the way if its solutions pass their check.
//!
//! # Order and invariants
//! Order 2; reversible. Not symplectic in (q, M v) and does not conserve angular momentum, but x = q + c
//! M⁻¹ ∇V(q) conjugates it to [`PushForwardNewmark`](super::PushForwardNewmark), which has both
//! properties: so the energy error stays bounded. Linearly stable for every step if β ≥ 1/4. With
//! penalties it stays accurate where β h² ω is far above the limit of Z&S.
//!
//! # Parameters
//! `beta` in [0, ∞), default 1/4, the trapezoidal rule, which conserves the energy of linear motions
//! exactly. Another β changes it by (β − 1/4) ½ h² a·M a, which is large for unresolved stiff motion. At
//! 0 the method is explicit: velocity Verlet.
//! `tolerance` in (0, 0.001], default 10⁻¹⁴: Newton's method stops when a correction moves no position
//! by more than this part of the largest, or when corrections stop shrinking at the level of rounding.
//! `iterations` at least 1, default 50: the most corrections in a step.
//!
//! # Reference
//! N. M. Newmark, A method of computation for structural dynamics, J. Eng. Mech. Div. ASCE 85 (1959) 67;
//! C. Kane, J. E. Marsden, M. Ortiz, M. West, Variational integrators and the Newmark algorithm for
//! conservative and dissipative mechanical systems, Int. J. Numer. Meth. Engng 49 (2000) 1295,
//! doi:10.1002/1097-0207(20001210)49:10<1295::AID-NME993>3.0.CO;2-W.

use super::applied::Instant;
use super::check::{by_default, check_beta};
use super::composition::{Symmetric, start_as_parts, traced_as_parts};
use super::contract::{Claims, Method, claims};
use super::flow::Flow;
use super::force::AccelerationField;
use super::force_error::Attempt;
use super::implicit::{Equation, Implicit};
use super::instability::Instability;
use super::linearization::program::{LinearStep, Program};
use super::linearization::{Differentiable, ImplicitMap};
use super::predict_correct::{Corrector, Known, PredictCorrect};
use super::report::Evaluations;
use super::running::Ready;
use super::stability::{self, FirstStep};
use crate::carried::carried;
use crate::error::Begun;
use crate::system::{Layout, Natural, State};

/// Newmark's method, implicit; see the [scheme](self).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Newmark {
    /// β in c = β h².
    pub beta: f64,
    /// The last correction of Newton's method relative to the largest position, in (0, 0.001].
    pub tolerance: f64,
    /// The most corrections of Newton's method in a step.
    pub iterations: u32,
}

by_default!(
    /// β = 1/4, the trapezoidal rule: the least β that is stable for every step; conserves the energy of
    /// linear motion.
    Newmark { beta: 0.25, tolerance: 1e-14, iterations: 50 }
);

claims! {
    impl Claims for Newmark: "newmark" of order 2;
    SYMPLECTIC no, REVERSIBLE yes, MOMENTUM no, IMPULSE no, PARTS yes; derivatives by Parameters
}

impl<S: Natural + ?Sized> Method<S> for Newmark {
    start_as_parts!(S);

    fn instability(&self, system: &S, state: &State, step: f64) -> Option<Instability> {
        stability::newmark_linear(self.beta, &FirstStep { method: Self::NAME, system, state, step })
    }
}

impl<S: Natural + ?Sized> Symmetric<S> for Newmark {
    fn start_parts<'s>(&self, system: &'s S, state: State, step: f64) -> Ready<'s, impl Flow + use<'s, S>> {
        let run = PredictCorrect::start(system, state, step, || {
            check_beta(Self::NAME, self.beta)?;
            Ok(NewmarkCorrector {
                system,
                beta: self.beta,
                implicit: Implicit::new(system, Self::NAME, (self.tolerance, self.iterations))?,
                predictor: vec![0.0; system.dimension()],
            })
        })?;
        Ok(run.to_tolerance(self.tolerance))
    }
}

impl<S: Natural + ?Sized> Differentiable<S> for Newmark {
    traced_as_parts!(S);

    fn linear<'s>(&self, system: &'s S, parts: usize) -> Begun<Box<dyn LinearStep + 's>> {
        let _ = parts;
        Ok(Box::new(Program::new(ImplicitMap::newmark(system, Self::NAME, self.beta)?)))
    }
}

/// M a₁ = −∇V(y + c a₁).
#[derive(Debug)]
struct NewmarkCorrector<'s, S: ?Sized> {
    system: &'s S,
    beta: f64,
    implicit: Implicit,
    /// y.
    predictor: Vec<f64>,
}

impl<S: Natural + ?Sized> AccelerationField for NewmarkCorrector<'_, S> {
    const METHOD: &'static str = Newmark::NAME;

    fn layout(&self) -> &Layout {
        self.system.layout()
    }

    fn evaluate(&mut self, q: &[f64], at: Instant, a: &mut [f64], counts: &mut Evaluations) -> Attempt {
        self.implicit.mass.accelerate(self.system, q, at, a, counts)
    }
}

impl<S: Natural + ?Sized> Corrector for NewmarkCorrector<'_, S> {
    fn correct(
        &mut self,
        known: Known<'_>,
        q: &mut [f64],
        a: &mut [f64],
        counts: &mut Evaluations,
    ) -> Attempt {
        let shift = self.beta * known.step * known.step;
        known.predict(self.beta, &mut self.predictor);
        q.copy_from_slice(&self.predictor);
        if shift != 0.0 {
            a.copy_from_slice(known.acceleration);
            let equation = Equation { start: &known.state.q, base: &self.predictor, shift, at: known.at };
            self.implicit.solve(self.system, equation, a, counts)?;
            for (q, a) in q.iter_mut().zip(&*a) {
                *q += shift * a;
            }
        }
        self.implicit.mass.accelerate(self.system, q, known.at, a, counts)
    }
}

carried!([S: ?Sized] NewmarkCorrector<'_, S> {} besides { system, beta, implicit, predictor });
