//! The flow of the Newmark family: a corrector finds positions and accelerations together.
//!
//! v₁ = v₀ + ½ h (a₀ + a₁); the corrector computes q₁ and a₁ from (q₀, v₀, a₀).

use super::applied::{Instant, check_of_position, takes_inputs};
use super::check::check_unconstrained;
use super::flow::{Flow, Substep};
use super::force::{AccelerationField, Started, first_force};
use super::force_error::{Attempt, check_finite};
use super::report::{Evaluations, Report};
use super::running::{Ready, Running};
use crate::carried::carried;
use crate::error::{Begun, StepError};
use crate::system::{State, System};

/// Solves a method's equations for the new positions and accelerations; its [`AccelerationField`] is the
/// acceleration at any other state.
pub(super) trait Corrector: AccelerationField {
    /// Writes q₁ and a₁ over `q` and `a`, after a step of size h to the time t₁.
    ///
    /// # Errors
    /// A matrix of the method is singular, or Newton's method does not converge.
    fn correct(
        &mut self,
        known: Known<'_>,
        q: &mut [f64],
        a: &mut [f64],
        counts: &mut Evaluations,
    ) -> Attempt;
}

/// The known quantities of a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known<'k> {
    /// (q₀, v₀, t₀).
    pub(super) state: &'k State,
    /// a₀.
    pub(super) acceleration: &'k [f64],
    /// h.
    pub(super) step: f64,
    /// t₁.
    pub(super) at: Instant,
}

impl Known<'_> {
    /// Writes q₀ + h v₀ + ½ h² (1 − 2 β) a₀ over `y`.
    pub(super) fn predict(&self, beta: f64, y: &mut [f64]) {
        let (h, factor) = (self.step, 0.5 * self.step * self.step * (1.0 - 2.0 * beta));
        let known = self.state.q.iter().zip(&self.state.v).zip(self.acceleration);
        for (y, ((q, v), a)) in y.iter_mut().zip(known) {
            *y = q + h * v + factor * a;
        }
    }
}

pub(super) struct PredictCorrect<C> {
    corrector: C,
    /// a₀ and a₁.
    acceleration: Vec<f64>,
    next_acceleration: Vec<f64>,
    /// True if `acceleration` belongs to another state, or to the end of the step before, where the
    /// averages of inputs differ.
    stale: bool,
    takes_inputs: bool,
    counts: Evaluations,
}

impl<C: Corrector> PredictCorrect<C> {
    pub(super) fn start(
        system: &(impl System + ?Sized),
        state: State,
        step: f64,
        corrector: impl FnOnce() -> Begun<C>,
    ) -> Ready<'_, Self> {
        check_unconstrained(system, C::METHOD)?;
        check_of_position(system, C::METHOD)?;
        let Started { force: corrector, acceleration, counts } =
            first_force(system, &state, step, corrector)?;
        let next_acceleration = acceleration.clone();
        let takes_inputs = takes_inputs(system);
        let flow = Self { corrector, acceleration, next_acceleration, stale: false, takes_inputs, counts };
        Running::new(flow, state, step).within(C::METHOD, system)
    }

    fn attempt(&mut self, state: &State, h: f64, next: &mut State) -> Attempt {
        let Self { corrector, acceleration, next_acceleration, counts, .. } = self;
        if self.stale || self.takes_inputs {
            corrector.evaluate(&state.q, Instant::beginning(state.t, h), acceleration, counts)?;
            check_finite(acceleration)?;
            self.stale = false;
        }
        let known = Known { state, acceleration, step: h, at: Instant::end(next.t, h) };
        corrector.correct(known, &mut next.q, next_acceleration, counts)?;
        check_finite(&next.q)?;
        // v₁ = v₀ + ½ h (a₀ + a₁)
        let known = state.v.iter().zip(&*acceleration).zip(&*next_acceleration);
        for (next, ((v, a), next_a)) in next.v.iter_mut().zip(known) {
            *next = v + 0.5 * h * (a + next_a);
        }
        check_finite(&next.v)?;
        // All is finite: accept the step.
        std::mem::swap(acceleration, next_acceleration);
        Ok(())
    }
}

impl<C: Corrector> Flow for PredictCorrect<C> {
    fn takes_parts(&self) -> bool {
        true
    }

    fn advance(&mut self, state: &State, substep: &Substep, next: &mut State) -> Result<(), StepError> {
        self.attempt(state, substep.size, next)
            .map_err(|error| error.in_step_of(C::METHOD, self.corrector.layout(), substep, state.t))
    }

    fn report(&self) -> Report<'_> {
        Report::of(self.counts)
    }

    fn go_on_from(&mut self, _state: &State) -> bool {
        self.stale = true;
        true
    }
}

carried!([C: Corrector] PredictCorrect<C> {
    corrector, acceleration, next_acceleration, stale, counts
} besides { takes_inputs });
