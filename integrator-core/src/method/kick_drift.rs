//! Symplectic Euler with any force: a kick at the old position, and a drift with the new velocity.
//!
//! v₁ = v₀ + h f₀,  x₁ = x₀ + h v₁,  where f = f(x, t) is what the method makes of the potential.

use super::check::first_not_finite;
use super::composition::Part;
use super::force_error::UNSTABLE;
use super::kick_drift_kick::{Started, first_force};
use super::{Evaluations, Force, ForceError, Kicked, Stepper};
use crate::error::{StartError, StepError};
use crate::system::{State, System};

/// A run in progress of a method in the symplectic-Euler form.
#[derive(Debug)]
pub struct KickDrift<F> {
    force: F,
    step: f64,
    start_time: f64,
    state: State,
    acceleration: Vec<f64>,
    next: State,
    next_acceleration: Vec<f64>,
    steps: u64,
    counts: Evaluations,
}

impl<F: Force> KickDrift<F> {
    pub(super) fn new(
        system: &(impl System + ?Sized),
        state: State,
        step: f64,
        force: impl FnOnce() -> Result<F, StartError>,
    ) -> Result<Self, StartError> {
        let Started { force, acceleration, counts } = first_force(system, &state, step, force)?;
        Ok(Self {
            force,
            step,
            start_time: state.t,
            next: state.clone(),
            next_acceleration: acceleration.clone(),
            state,
            acceleration,
            steps: 0,
            counts,
        })
    }

    fn check(&self, values: &[f64]) -> Result<(), StepError> {
        let Some(index) = first_not_finite(values) else { return Ok(()) };
        let coordinate = self.force.layout().name_of(index);
        let (method, step, time, size) = (F::METHOD, self.steps + 1, self.state.t, self.step);
        Err(StepError::NotFinite { method, coordinate, step, time, size })
    }

    #[cold]
    fn failed(&self, error: ForceError) -> StepError {
        let part = Part::whole(self.steps, self.step, self.start_time);
        error.in_step(F::METHOD, |index| self.force.layout().name_of(index), &part, self.state.t, UNSTABLE)
    }
}

impl<F: Force> Stepper for KickDrift<F> {
    fn step(&mut self) -> Result<(), StepError> {
        let h = self.step;
        let known = self.state.q.iter().zip(&self.state.v).zip(&self.acceleration);
        let next = self.next.q.iter_mut().zip(&mut self.next.v);
        for ((next_x, next_v), ((x, v), f)) in next.zip(known) {
            *next_v = v + h * f;
            *next_x = x + h * *next_v;
        }
        self.next.t = self.start_time + (self.steps + 1) as f64 * h;
        self.check(&self.next.v)?;
        self.check(&self.next.q)?;
        // The force of the next step is evaluated in this one, so that a state with no force is not reached.
        self.force
            .evaluate(&self.next.q, self.next.t, &mut self.next_acceleration, &mut self.counts)
            .map_err(|error| self.failed(error))?;
        self.check(&self.next_acceleration)?;
        std::mem::swap(&mut self.state, &mut self.next);
        std::mem::swap(&mut self.acceleration, &mut self.next_acceleration);
        self.steps += 1;
        Ok(())
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn steps(&self) -> u64 {
        self.steps
    }

    fn evaluations(&self) -> Evaluations {
        self.counts
    }

    fn kicked(&mut self) -> Option<&mut dyn Kicked> {
        Some(self)
    }
}

impl<F: Force> Kicked for KickDrift<F> {
    fn make_tangent(&mut self, _v: &mut [f64]) {}

    fn kick(&mut self, v: &[f64]) {
        self.state.v.copy_from_slice(v);
    }
}
