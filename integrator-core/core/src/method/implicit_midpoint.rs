//! The implicit midpoint rule, its equations solved to round-off.
//!
//! # Scheme
//! M a = −∇V(½ (q₀ + q₁), t₀ + ½ h);  q₁ = q₀ + h v₀ + ½ h² a;  v₁ = v₀ + h a.
//!
//! The acceleration solves M a + ∇V(y + ¼ h² a, t₀ + ½ h) = 0 with y = q₀ + ½ h v₀, by Newton's method
//! with the sparse matrix M + ¼ h² Hess V, from zero.
//!
//! # Requirements on the model
//! [`Natural`]. The matrix M + ¼ h² Hess V may be indefinite if its solutions pass their check.
//!
//! # Order and invariants
//! Order 2; symplectic; reversible; conserves linear and angular momentum to round-off, as all quadratic
//! invariants.
//! Linearly stable for every step.
//!
//! # Parameters
//! `tolerance` in (0, 0.001], default 10⁻¹⁴: Newton's method stops when a correction moves no position
//! by more than this part of the largest, or when corrections stop shrinking at the level of rounding.
//! `iterations` at least 1, default 50: the most corrections in a step.
//!
//! # Reference
//! E. Hairer, C. Lubich, G. Wanner, Geometric Numerical Integration (2006), sections I.1.2 and IV.2.1,
//! doi:10.1007/3-540-30666-8.

use super::applied::{Instant, check_of_position};
use super::check::by_default;
use super::composition::{Symmetric, start_as_parts, traced_as_parts};
use super::contract::{Claims, Method, claims};
use super::flow::Flow;
use super::force_error::Attempt;
use super::implicit::{Equation, Implicit};
use super::linearization::program::{LinearStep, Program};
use super::linearization::{Differentiable, ImplicitMap};
use super::one_step::{Map, OneStep};
use super::report::Evaluations;
use super::running::Ready;
use crate::carried::carried;
use crate::error::Begun;
use crate::system::{Layout, Natural, State};

/// The implicit midpoint rule; see the [scheme](self).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ImplicitMidpoint {
    /// The last correction of Newton's method relative to the largest position, in (0, 0.001].
    pub tolerance: f64,
    /// The most corrections of Newton's method in a step.
    pub iterations: u32,
}

by_default!(ImplicitMidpoint { tolerance: 1e-14, iterations: 50 });

claims! {
    impl Claims for ImplicitMidpoint: "implicit-midpoint" of order 2;
    SYMPLECTIC yes, REVERSIBLE yes, MOMENTUM yes, IMPULSE yes, PARTS yes; derivatives by Parameters
}

impl<S: Natural + ?Sized> Method<S> for ImplicitMidpoint {
    start_as_parts!(S);
}

impl<S: Natural + ?Sized> Symmetric<S> for ImplicitMidpoint {
    fn start_parts<'s>(&self, system: &'s S, state: State, step: f64) -> Ready<'s, impl Flow + use<'s, S>> {
        check_of_position(system, Self::NAME)?;
        let run = OneStep::start(system, Self::NAME, state, step, |_| {
            let zeros = || vec![0.0; system.dimension()];
            let implicit = Implicit::new(system, Self::NAME, (self.tolerance, self.iterations))?;
            Ok(MidpointMap { system, implicit, base: zeros(), acceleration: zeros() })
        })?;
        Ok(run.to_tolerance(self.tolerance))
    }
}

impl<S: Natural + ?Sized> Differentiable<S> for ImplicitMidpoint {
    traced_as_parts!(S);

    fn linear<'s>(&self, system: &'s S, parts: usize) -> Begun<Box<dyn LinearStep + 's>> {
        let _ = parts;
        Ok(Box::new(Program::new(ImplicitMap::midpoint(system, Self::NAME)?)))
    }
}

/// M a = −∇V(y + ¼ h² a).
#[derive(Debug)]
struct MidpointMap<'s, S: ?Sized> {
    system: &'s S,
    implicit: Implicit,
    /// y.
    base: Vec<f64>,
    acceleration: Vec<f64>,
}

impl<S: Natural + ?Sized> Map for MidpointMap<'_, S> {
    fn method(&self) -> &'static str {
        ImplicitMidpoint::NAME
    }

    fn layout(&self) -> &Layout {
        self.system.layout()
    }

    fn apply(&mut self, state: &State, step: f64, next: &mut State, counts: &mut Evaluations) -> Attempt {
        let h = step;
        for (y, (q, v)) in self.base.iter_mut().zip(state.q.iter().zip(&state.v)) {
            *y = q + 0.5 * h * v;
        }
        self.acceleration.fill(0.0);
        let at = Instant::within(0.5 * (state.t + next.t), state.t, h);
        let equation = Equation { start: &state.q, base: &self.base, shift: 0.25 * h * h, at };
        self.implicit.solve(self.system, equation, &mut self.acceleration, counts)?;
        let known = state.q.iter().zip(&state.v).zip(&self.acceleration);
        for ((next_q, next_v), ((q, v), a)) in next.q.iter_mut().zip(&mut next.v).zip(known) {
            *next_q = q + h * v + 0.5 * h * h * a;
            *next_v = v + h * a;
        }
        Ok(())
    }
}

carried!([S: ?Sized] MidpointMap<'_, S> { acceleration } besides { system, implicit, base });
