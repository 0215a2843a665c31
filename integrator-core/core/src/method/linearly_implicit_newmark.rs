//! Newmark's method with γ = 1/2 and one Newton iteration a step, in two conventions for its start.
//!
//! # Scheme
//! With c = β h², M a₀ = −∇V(q₀, t₀) at the first step, and the predictor y = q₀ + h v₀ + ½ h² (1 − 2 β)
//! a₀:
//!
//! - A starts at q₀:  (M + c Hess V(q₀)) (q₁ − q₀) = M (y − q₀) − c ∇V(q₀);  M a₁ = −∇V(q₁);
//! - B starts at y:  (M + c Hess V(y)) a₁ = −∇V(y);  q₁ = y + c a₁, and a₁ is kept for the next step;
//!
//! and in both v₁ = v₀ + ½ h (a₀ + a₁).  The potential is evaluated at t₁, except in a₀.
//!
//! # Requirements on the model
//! [`Natural`].  The matrix M + c Hess V may be indefinite as long as the solution passes its check.
//!
//! # Order and invariants
//! Order 2. Neither symplectic nor reversible; angular momentum is not conserved. A is useless in stiff
//! problems: one iteration leaves a stiff force, which enters its accelerations, and the motion blows
//! up. B tolerates it. Both serve comparisons; use [`Newmark`](super::Newmark) or
//! [`PushForwardNewmark`](super::PushForwardNewmark).
//!
//! # Parameters
//! `beta` in [0, ∞), default 0.4; at 0 both are velocity Verlet.
//!
//! # Reference
//! M. Tao, H. Owhadi, Variational and linearly-implicit integrators, with applications, IMA J. Numer.
//! Anal. (2014): "Newmark with linearized solution"; the paper does not say where the iteration starts.
//! Its figure 1 is A.

use super::applied::Instant;
use super::contract::{Claims, Method, Stepper, claims};
use super::force::AccelerationField;
use super::force_error::Attempt;
use super::instability::Instability;
use super::linearly_implicit::{LinearlyImplicit, method_of_beta};
use super::mass_solver::MassSolver;
use super::predict_correct::{Corrector, Known, PredictCorrect};
use super::report::Evaluations;
use super::stability::{self, FirstStep};
use crate::carried::carried;
use crate::error::Begun;
use crate::system::{Layout, Natural, State};

/// One of both conventions of the [scheme](self).
macro_rules! convention {
    ($Method:ident, $from:literal, $is_predicted:literal) => {
        method_of_beta! {
            #[doc = concat!("One Newton iteration from the ", $from, " of the [scheme](self).")]
            $Method: "β in c = β h²."
        }

        impl<S: Natural + ?Sized> Method<S> for $Method {
            fn start<'s>(&self, system: &'s S, state: State, step: f64) -> Begun<impl Stepper + use<'s, S>> {
                PredictCorrect::start(system, state, step, || {
                    Iteration::<S, $is_predicted>::new(system, Self::NAME, self.beta, step)
                })
            }

            fn instability(&self, system: &S, state: &State, step: f64) -> Option<Instability> {
                stability::newmark_linear(self.beta, &FirstStep { method: Self::NAME, system, state, step })
            }
        }
    };
}

convention!(NewmarkLinearA, "old positions: convention A", false);
convention!(NewmarkLinearB, "predicted positions: convention B", true);

claims! {
    impl Claims for NewmarkLinearA: "newmark-linear-a" of order 2;
    SYMPLECTIC no, REVERSIBLE no, MOMENTUM no, IMPULSE no, PARTS yes
}

claims! {
    impl Claims for NewmarkLinearB: "newmark-linear-b" of order 2;
    SYMPLECTIC no, REVERSIBLE no, MOMENTUM no, IMPULSE no, PARTS yes;
    beside the state |_| Some("the acceleration of the last step, which is that of its linear equation")
}

/// Convention B in progress, from the predictor, or convention A.
#[derive(Debug)]
struct Iteration<'s, S: ?Sized, const PREDICTED: bool> {
    beta: f64,
    implicit: LinearlyImplicit<'s, S>,
    mass: MassSolver,
    /// y, then y − q₀.
    predictor: Vec<f64>,
    /// M (y − q₀).
    impulse: Vec<f64>,
}

impl<'s, S: Natural + ?Sized, const PREDICTED: bool> Iteration<'s, S, PREDICTED> {
    fn new(system: &'s S, method: &'static str, beta: f64, step: f64) -> Begun<Self> {
        let zeros = || vec![0.0; system.dimension()];
        Ok(Self {
            beta,
            implicit: LinearlyImplicit::new(system, method, beta, step)?,
            mass: MassSolver::new(system, system.mass())?,
            predictor: zeros(),
            impulse: zeros(),
        })
    }

    /// (M + c Hess V(q₀)) d = M (y − q₀) − c ∇V(q₀), and the acceleration at q₀ + d.
    fn correct_old_positions(
        &mut self,
        known: &Known<'_>,
        q: &mut [f64],
        a: &mut [f64],
        counts: &mut Evaluations,
    ) -> Attempt {
        let Self { implicit, predictor, impulse, .. } = self;
        for (y, q) in predictor.iter_mut().zip(&known.state.q) {
            *y -= q;
        }
        implicit.system.mass().multiply(predictor, impulse);
        implicit.factor(&known.state.q, known.at, q, counts)?;
        for (d, impulse) in q.iter_mut().zip(&*impulse) {
            *d = impulse - implicit.shift.c * *d;
        }
        implicit.apply(q)?;
        for (q, old) in q.iter_mut().zip(&known.state.q) {
            *q += old;
        }
        self.evaluate(q, known.at, a, counts)
    }
}

impl<S: Natural + ?Sized, const PREDICTED: bool> AccelerationField for Iteration<'_, S, PREDICTED> {
    const METHOD: &'static str = if PREDICTED { NewmarkLinearB::NAME } else { NewmarkLinearA::NAME };

    fn layout(&self) -> &Layout {
        self.implicit.system.layout()
    }

    fn evaluate(&mut self, q: &[f64], at: Instant, a: &mut [f64], counts: &mut Evaluations) -> Attempt {
        self.mass.accelerate(self.implicit.system, q, at, a, counts)
    }
}

impl<S: Natural + ?Sized, const PREDICTED: bool> Corrector for Iteration<'_, S, PREDICTED> {
    fn correct(
        &mut self,
        known: Known<'_>,
        q: &mut [f64],
        a: &mut [f64],
        counts: &mut Evaluations,
    ) -> Attempt {
        self.implicit.shift.resize(known.step);
        known.predict(self.beta, &mut self.predictor);
        if !PREDICTED {
            return self.correct_old_positions(&known, q, a, counts);
        }
        // (M + c Hess V(y)) a₁ = −∇V(y)
        let Self { implicit, predictor, .. } = self;
        implicit.solve(predictor, known.at, a, counts)?;
        for ((q, y), a) in q.iter_mut().zip(&*predictor).zip(&*a) {
            *q = y + implicit.shift.c * a;
        }
        Ok(())
    }
}

carried!([S: ?Sized, const PREDICTED: bool] Iteration<'_, S, PREDICTED> { implicit } besides { beta, mass, predictor, impulse });
