//! The one stepper: a method's numerical flow, with the state, the clock and the count of steps.

use super::check::check_within_signals;
use super::contract::{Kicked, Stepper};
use super::flow::{Flow, Substep};
use super::report::Report;
use crate::carried::{Carried, CarryError, Memory, carried};
use crate::error::{StartError, StepError};
use crate::forward::forward;
use crate::system::turns::Turns;
use crate::system::{HeldAngles, Signal, State, System, Text};

/// A run in progress of a method with the numerical flow `F`.
pub struct Running<'s, F> {
    flow: F,
    step: f64,
    start_time: f64,
    /// The [tolerance of the report](Report::tolerance).
    tolerance: Option<f64>,
    /// The last good state, and the memory for the next one.
    state: Box<State>,
    next: Box<State>,
    steps: u64,
    /// `None` without signals and without followed angles.
    around: Option<Box<Around<'s>>>,
}

/// The parts of a system that each step looks at.
struct Around<'s> {
    /// The name of the method, for messages, and the signals; copies of a signal share its numbers.
    method: &'static str,
    signals: Box<[(Text, Signal)]>,
    turns: Turns<'s>,
}

impl<'s> Around<'s> {
    fn of(method: &'static str, signals: Box<[(Text, Signal)]>, turns: Turns<'s>) -> Option<Box<Self>> {
        let is_needed = !signals.is_empty() || turns.hold().is_some();
        is_needed.then(|| Box::new(Self { method, signals, turns }))
    }
}

/// A run that is ready for its first step, or the reason against it.
pub(crate) type Ready<'s, F> = Result<Running<'s, F>, StartError>;

impl<'s, F: Flow> Running<'s, F> {
    /// The run of a flow that belongs to `state`, with steps of size `step`.
    pub fn new(flow: F, state: State, step: f64) -> Self {
        let state = Box::new(state);
        let next = state.clone();
        Self { flow, step, start_time: state.t, tolerance: None, next, state, steps: 0, around: None }
    }

    /// Declares the [tolerance](Report::tolerance) of the flow.
    #[must_use]
    pub fn to_tolerance(self, tolerance: impl Into<Option<f64>>) -> Self {
        Self { tolerance: tolerance.into(), ..self }
    }

    /// Refuses steps and parts of steps outside a [signal](System::signals) of the system, by name, and
    /// follows its angles.
    #[must_use]
    pub fn within<S: System + ?Sized>(mut self, method: &'static str, system: &'s S) -> Self {
        let turns = Turns::of(system.followed(), &self.state);
        self.around = Around::of(method, system.signals().into(), turns);
        self
    }

    /// Refuses steps and parts of steps outside of these signals.
    #[must_use]
    pub fn within_signals(self, method: &'static str, signals: Box<[(Text, Signal)]>) -> Self {
        let turns = Turns::of(None, &self.state);
        Self { around: Around::of(method, signals, turns), ..self }
    }

    fn turns(&self) -> Option<HeldAngles> {
        self.around.as_ref()?.turns.hold()
    }

    /// The failure of a step, with the cause that the last good state and the tolerance tell.
    #[cold]
    #[inline(never)]
    fn explained(&self, mut error: StepError) -> StepError {
        if let StepError::Failed(failed) = &mut error {
            failed.see_from(&self.state, self.tolerance);
        }
        error
    }

    /// A part of a step within signals, or with followed angles.
    #[inline(never)]
    fn advance_around(&mut self, substep: &Substep) -> Result<(), StepError> {
        let Some(around) = &mut self.around else { return Ok(()) };
        check_within_signals(&around.signals, around.method, substep, self.state.t)?;
        let _held = around.turns.hold();
        self.flow.advance(&self.state, substep, &mut self.next)?;
        around.turns.keep(&self.next);
        Ok(())
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
        self.next.t = substep.end;
        let outcome = if self.around.is_none() {
            self.flow.advance(&self.state, substep, &mut self.next)
        } else {
            self.advance_around(substep)
        };
        if let Err(error) = outcome {
            return Err(self.explained(error));
        }
        std::mem::swap(&mut self.state, &mut self.next);
        Ok(())
    }
}

impl<F: Flow> Stepper for Running<'_, F> {
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

    forward! { flow:
        multipliers() -> Option<&[f64]>;
        warning() -> Option<&str>;
    }

    fn kept_energy(&self) -> Option<f64> {
        let _held = self.turns();
        self.flow.kept_energy(&self.state)
    }

    fn report(&self) -> Report<'_> {
        Report { tolerance: self.tolerance, ..self.flow.report() }
    }

    fn hold_angles(&self) -> Option<HeldAngles> {
        self.turns().or_else(|| self.flow.hold_angles())
    }

    fn go_on_from(&mut self, state: &State) -> bool {
        let _held = self.turns();
        let goes_on = self.flow.go_on_from(state);
        if goes_on {
            self.state.assign(state);
            if let Some(around) = &mut self.around {
                around.turns.keep(state);
            }
        }
        goes_on
    }

    fn kicked(&mut self) -> Option<&mut dyn Kicked> {
        if F::TAKES_KICKS { Some(self) } else { None }
    }
}

impl<F: Flow> Kicked for Running<'_, F> {
    fn make_tangent(&mut self, v: &mut [f64]) {
        let _held = self.turns();
        self.flow.make_tangent(v);
    }

    fn kick(&mut self, v: &[f64]) {
        let _held = self.turns();
        self.state.v.copy_from_slice(v);
        self.flow.kick(&mut self.state);
    }
}

crate::shown::shown!([F] Running<'_, F>, |own| "Running" {
    step: own.step, steps: own.steps, state: own.state
});

carried!([] Around<'_> { turns } besides { method, signals });

/// The system decides if there is a part around the flow.
impl<F: Flow> Carried for Running<'_, F> {
    fn carry(&mut self, memory: &mut Memory<'_>) -> Result<(), CarryError> {
        let Self { flow, state, steps, around, step: _, start_time: _, tolerance: _, next: _ } = self;
        state.carry(memory)?;
        steps.carry(memory)?;
        flow.carry(memory)?;
        around.as_mut().map_or(Ok(()), |around| around.carry(memory))
    }
}
