//! Symplectic Euler with any force: a kick at the old position, and a drift with the new velocity.
//!
//! v₁ = v₀ + h f₀,  x₁ = x₀ + h v₁,  where f = f(x, t) is the acceleration that the method derives from the potential.

use super::applied::{Instant, check_of_position, takes_inputs};
use super::check::first_not_finite;
use super::flow::{Flow, Substep};
use super::force_error::ForceError;
use super::force_error::UNSTABLE;
use super::kick_drift_kick::{Force, Started, first_force};
use super::report::{Evaluations, Report};
use super::running::Running;
use crate::carried::carried;
use crate::error::{StartError, StepError};
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

impl<F: Force> KickDrift<F> {
    pub(super) fn start(
        system: &(impl System + ?Sized),
        state: State,
        step: f64,
        force: impl FnOnce() -> Result<F, StartError>,
    ) -> Result<Running<Self>, StartError> {
        check_of_position(system, F::METHOD)?;
        let Started { force, acceleration, counts } = first_force(system, &state, step, force)?;
        let next_acceleration = acceleration.clone();
        let flow =
            Self { force, next_acceleration, acceleration, takes_inputs: takes_inputs(system), counts };
        Ok(Running::new(flow, state, step).within(F::METHOD, system.signals()))
    }

    fn check(&self, values: &[f64], substep: &Substep, time: f64) -> Result<(), StepError> {
        match first_not_finite(values) {
            Some(index) => Err(self.failed(ForceError::NotFinite { index }, substep, time)),
            None => Ok(()),
        }
    }

    #[cold]
    fn failed(&self, error: ForceError, substep: &Substep, time: f64) -> StepError {
        error.in_step(F::METHOD, |index| self.force.layout().name_of(index), substep, time, UNSTABLE)
    }
}

impl<F: Force> Flow for KickDrift<F> {
    const TAKES_KICKS: bool = true;

    fn advance(&mut self, state: &State, substep: &Substep, next: &mut State) -> Result<(), StepError> {
        let (h, time) = (substep.size, state.t);
        if self.takes_inputs {
            // With the mean of the inputs in this step, which the step before did not know.
            self.force
                .evaluate(&state.q, Instant::within(time, time, h), &mut self.acceleration, &mut self.counts)
                .map_err(|error| self.failed(error, substep, time))?;
            self.check(&self.acceleration, substep, time)?;
        }
        let known = state.q.iter().zip(&state.v).zip(&self.acceleration);
        for ((next_x, next_v), ((x, v), f)) in next.q.iter_mut().zip(&mut next.v).zip(known) {
            *next_v = v + h * f;
            *next_x = x + h * *next_v;
        }
        self.check(&next.v, substep, time)?;
        self.check(&next.q, substep, time)?;
        // The force of the next step is evaluated in this one, so that a state with no force is not reached.
        self.force
            .evaluate(&next.q, Instant::at(next.t), &mut self.next_acceleration, &mut self.counts)
            .map_err(|error| self.failed(error, substep, time))?;
        self.check(&self.next_acceleration, substep, time)?;
        std::mem::swap(&mut self.acceleration, &mut self.next_acceleration);
        Ok(())
    }

    fn report(&self) -> Report<'_> {
        Report::of(self.counts)
    }
}

carried!([F: Force] KickDrift<F> { force, acceleration, counts } besides { next_acceleration, takes_inputs });
