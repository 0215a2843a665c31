//! The one stepper: a method's numerical flow, with the state, the clock and the count of steps.

use super::check::check_within_signals;
use super::contract::{Kicked, Stepper};
use super::flow::{Flow, Substep};
use super::report::Report;
use crate::carried::carried;
use crate::error::StepError;
use crate::system::{Signal, State};

/// A run in progress of a method with the numerical flow `F`.
pub struct Running<F> {
    flow: F,
    step: f64,
    start_time: f64,
    /// The [tolerance of the report](Report::tolerance).
    tolerance: Option<f64>,
    /// The last good state, and the memory for the next one.
    state: Box<State>,
    next: Box<State>,
    steps: u64,
    /// The name of the method, for messages, and the signals; copies of a signal share its numbers.
    method: &'static str,
    signals: Box<[(&'static str, Signal)]>,
}

impl<F: Flow> Running<F> {
    /// The run of a flow that belongs to `state`, with steps of size `step`.
    pub fn new(flow: F, state: State, step: f64) -> Self {
        let (state, signals) = (Box::new(state), Box::default());
        let next = state.clone();
        Self { flow, step, start_time: state.t, tolerance: None, next, state, steps: 0, method: "", signals }
    }

    /// Declares the [tolerance](Report::tolerance) of the flow.
    #[must_use]
    pub fn to_tolerance(self, tolerance: impl Into<Option<f64>>) -> Self {
        Self { tolerance: tolerance.into(), ..self }
    }

    /// Refuses steps and parts of steps outside a [signal](crate::system::System::signals), by name.
    /// [signal](crate::system::System::signals).
    #[must_use]
    pub fn within(self, method: &'static str, signals: &[(&'static str, Signal)]) -> Self {
        Self { method, signals: signals.into(), ..self }
    }

    /// The flow.
    pub fn flow(&self) -> &F {
        &self.flow
    }

    /// Advances by a part of a step, which [`Stepper::steps`] does not count; allocates nothing.
    ///
    /// # Errors
    /// When the part fails; the state stays the last good one.
    #[inline]
    pub fn advance(&mut self, substep: &Substep) -> Result<(), StepError> {
        check_within_signals(&self.signals, self.method, substep, self.state.t)?;
        self.next.t = substep.end;
        let outcome = self.flow.advance(&self.state, substep, &mut self.next);
        outcome.map_err(|error| error.seen_from(&self.state, self.tolerance))?;
        std::mem::swap(&mut self.state, &mut self.next);
        Ok(())
    }
}

impl<F: Flow> Stepper for Running<F> {
    fn step(&mut self) -> Result<(), StepError> {
        let number = self.steps + 1;
        // Times are multiples of the step, so that rounding does not accumulate.
        let end = self.start_time + number as f64 * self.step;
        self.advance(&Substep { number, size: self.step, end })?;
        self.steps = number;
        Ok(())
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn steps(&self) -> u64 {
        self.steps
    }

    fn multipliers(&self) -> Option<&[f64]> {
        self.flow.multipliers()
    }

    fn kept_energy(&self) -> Option<f64> {
        self.flow.kept_energy(&self.state)
    }

    fn report(&self) -> Report<'_> {
        Report { tolerance: self.tolerance, ..self.flow.report() }
    }

    fn warning(&self) -> Option<&str> {
        self.flow.warning()
    }

    fn go_on_from(&mut self, state: &State) -> bool {
        let goes_on = self.flow.go_on_from(state);
        if goes_on {
            self.state.assign(state);
        }
        goes_on
    }

    fn kicked(&mut self) -> Option<&mut dyn Kicked> {
        if F::TAKES_KICKS { Some(self) } else { None }
    }
}

impl<F: Flow> Kicked for Running<F> {
    fn make_tangent(&mut self, v: &mut [f64]) {
        self.flow.make_tangent(v);
    }

    fn kick(&mut self, v: &[f64]) {
        self.state.v.copy_from_slice(v);
        self.flow.kick(&mut self.state);
    }
}

impl<F> std::fmt::Debug for Running<F> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Running")
            .field("step", &self.step)
            .field("steps", &self.steps)
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}

carried!([F: Flow] Running<F> {
    state, steps, flow
} besides { step, start_time, tolerance, next, method, signals });
