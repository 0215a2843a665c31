//! Symplectic Euler with any force: a kick at the old position, then a drift with the new velocity.
//!
//! v₁ = v₀ + h f₀,  x₁ = x₀ + h v₁,  where f(x, t) is the acceleration that the method derives from V.

use super::applied::{Instant, check_of_position, takes_inputs};
use super::flow::{Flow, Substep};
use super::force::{AccelerationField, Started, first_force};
use super::force_error::{Attempt, check_finite};
use super::report::{Evaluations, Report};
use super::running::{Ready, Running};
use crate::carried::carried;
use crate::error::{Begun, StepError};
use crate::system::{State, System};

/// The flow of a method in the symplectic-Euler form.
pub(super) struct KickDrift<F> {
    force: F,
    /// f₀ and f₁.
    acceleration: Vec<f64>,
    next_acceleration: Vec<f64>,
    takes_inputs: bool,
    counts: Evaluations,
}

impl<F: AccelerationField> KickDrift<F> {
    pub(super) fn start(
        system: &(impl System + ?Sized),
        state: State,
        step: f64,
        force: impl FnOnce() -> Begun<F>,
    ) -> Ready<'_, Self> {
        check_of_position(system, F::METHOD)?;
        let Started { force, acceleration, counts } = first_force(system, &state, step, force)?;
        let next_acceleration = acceleration.clone();
        let flow =
            Self { force, next_acceleration, acceleration, takes_inputs: takes_inputs(system), counts };
        Running::new(flow, state, step).within(F::METHOD, system)
    }

    fn attempt(&mut self, state: &State, h: f64, next: &mut State) -> Attempt {
        let Self { force, acceleration, next_acceleration, counts, .. } = self;
        if self.takes_inputs {
            // Again, with the mean of the inputs over this step, unknown to the step before.
            force.evaluate(&state.q, Instant::within(state.t, state.t, h), acceleration, counts)?;
            check_finite(acceleration)?;
        }
        let known = state.q.iter().zip(&state.v).zip(&*acceleration);
        for ((next_x, next_v), ((x, v), f)) in next.q.iter_mut().zip(&mut next.v).zip(known) {
            *next_v = v + h * f;
            *next_x = x + h * *next_v;
        }
        check_finite(&next.v)?;
        check_finite(&next.q)?;
        // Evaluate the next force in this step, which fails if the new state has none.
        force.evaluate(&next.q, Instant::at(next.t), next_acceleration, counts)?;
        check_finite(next_acceleration)?;
        std::mem::swap(acceleration, next_acceleration);
        Ok(())
    }
}

impl<F: AccelerationField> Flow for KickDrift<F> {
    fn takes_kicks(&self) -> bool {
        true
    }

    fn takes_parts(&self) -> bool {
        true
    }

    fn advance(&mut self, state: &State, substep: &Substep, next: &mut State) -> Result<(), StepError> {
        self.attempt(state, substep.size, next)
            .map_err(|error| error.in_step_of(F::METHOD, self.force.layout(), substep, state.t))
    }

    fn report(&self) -> Report<'_> {
        Report::of(self.counts)
    }
}

carried!([F: AccelerationField] KickDrift<F> { force, acceleration, counts } besides { next_acceleration, takes_inputs });
