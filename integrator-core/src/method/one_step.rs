//! What implicit midpoint and the variational integrators share: maps of (q, v, t) that remember nothing.

use super::check::{check_start, check_unconstrained, first_not_finite};
use super::composition::{Part, Parts};
use super::force_error::{ForceError, UNSTABLE};
use super::{Evaluations, Stepper};
use crate::error::{StartError, StepError};
use crate::system::{Layout, State, System};

/// A map from one state to the next.
pub trait Map {
    /// The method, for messages.
    fn method(&self) -> &'static str;

    /// The names of the degrees of freedom.
    fn layout(&self) -> &Layout;

    /// The state that follows `state` after `step`, at the time `next.t`; written over the rest of `next`.
    ///
    /// # Errors
    /// A matrix of the method is singular, or Newton's method does not converge.
    fn apply(
        &mut self,
        state: &State,
        step: f64,
        next: &mut State,
        counts: &mut Evaluations,
    ) -> Result<(), ForceError>;
}

/// A run in progress of a map.
#[derive(Debug)]
pub struct OneStep<M> {
    map: M,
    step: f64,
    start_time: f64,
    state: State,
    next: State,
    steps: u64,
    counts: Evaluations,
}

impl<M: Map> OneStep<M> {
    pub(super) fn new(
        system: &(impl System + ?Sized),
        method: &'static str,
        state: State,
        step: f64,
        map: impl FnOnce(&State) -> Result<M, StartError>,
    ) -> Result<Self, StartError> {
        check_unconstrained(system, method)?;
        if system.forced().is_some() {
            return Err(StartError::ForcesNotIncluded { method, system: system.name().to_owned() });
        }
        check_start(system, &state, step)?;
        let map = map(&state)?;
        let counts = Evaluations::default();
        Ok(Self { map, step, start_time: state.t, next: state.clone(), state, steps: 0, counts })
    }

    #[cold]
    fn failed(&self, part: &Part, error: ForceError) -> StepError {
        error.in_step(
            self.map.method(),
            |index| self.map.layout().name_of(index),
            part,
            self.state.t,
            UNSTABLE,
        )
    }
}

impl<M: Map> Parts for OneStep<M> {
    fn advance(&mut self, part: &Part) -> Result<(), StepError> {
        self.next.t = part.end;
        self.map
            .apply(&self.state, part.size, &mut self.next, &mut self.counts)
            .map_err(|error| self.failed(part, error))?;
        for values in [&self.next.q, &self.next.v] {
            if let Some(index) = first_not_finite(values) {
                return Err(self.failed(part, ForceError::NotFinite { index }));
            }
        }
        std::mem::swap(&mut self.state, &mut self.next);
        Ok(())
    }

    fn return_to(&mut self, state: &State) {
        self.state.assign(state);
    }
}

impl<M: Map> Stepper for OneStep<M> {
    fn step(&mut self) -> Result<(), StepError> {
        let part = Part::whole(self.steps, self.step, self.start_time);
        self.advance(&part)?;
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

    fn go_on_from(&mut self, state: &State) -> bool {
        self.return_to(state);
        true
    }
}
