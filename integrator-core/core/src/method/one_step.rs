//! The flow of implicit midpoint and of the variational integrators: maps of (q, v, t) without memory.

use super::check::{check_start, check_unconstrained};
use super::flow::{Flow, Substep};
use super::force_error::{Attempt, check_finite};
use super::report::{Evaluations, Report};
use super::running::{Ready, Running};
use crate::carried::{Carried, carried};
use crate::error::{Begun, StepError};
use crate::system::{Layout, State, System};

/// A map from one state to the next.
pub(super) trait Map: Carried + Send {
    /// The name of the method, for messages.
    fn method(&self) -> &'static str;

    /// The names of the degrees of freedom.
    fn layout(&self) -> &Layout;

    /// Writes the state after `state` and a step of size `step` over `next`, whose time is set already.
    ///
    /// # Errors
    /// A matrix of the method is singular, or Newton's method does not converge.
    fn apply(&mut self, state: &State, step: f64, next: &mut State, counts: &mut Evaluations) -> Attempt;
}

pub(super) struct OneStep<M> {
    map: M,
    counts: Evaluations,
}

impl<M: Map> OneStep<M> {
    pub(super) fn start<'s>(
        system: &'s (impl System + ?Sized),
        method: &'static str,
        state: State,
        step: f64,
        map: impl FnOnce(&State) -> Begun<M>,
    ) -> Ready<'s, Self> {
        check_unconstrained(system, method)?;
        check_start(system, &state, step)?;
        Running::new(Self::of(map(&state)?), state, step).within(method, system)
    }

    /// The flow of a map that has passed all checks.
    pub(super) fn of(map: M) -> Self {
        Self { map, counts: Evaluations::default() }
    }
}

impl<M: Map> Flow for OneStep<M> {
    fn takes_parts(&self) -> bool {
        true
    }

    fn advance(&mut self, state: &State, substep: &Substep, next: &mut State) -> Result<(), StepError> {
        self.map
            .apply(state, substep.size, next, &mut self.counts)
            .and_then(|()| check_finite(&next.q))
            .and_then(|()| check_finite(&next.v))
            .map_err(|error| error.in_step_of(self.map.method(), self.map.layout(), substep, state.t))
    }

    fn report(&self) -> Report<'_> {
        Report::of(self.counts)
    }

    fn go_on_from(&mut self, _state: &State) -> bool {
        true
    }
}

carried!([M: Map] OneStep<M> { map, counts } besides {});
