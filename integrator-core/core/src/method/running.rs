//! The one stepper: a method's numerical flow, with the state, the clock and the count of steps.

use super::check::check_within_signals;
use super::contract::{Beside, Kicked, Stepper, TakesParts};
use super::event::{Event, Passed};
use super::flow::{Erased, Flow, Substep};
use super::moments::{Moments, Outcome};
use super::report::Report;
use crate::carried::{Carried, CarryError, Memory};
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
    moments: Option<Box<Moments<'s>>>,
}

impl Around<'_> {
    /// `None` if there is nothing to look at.
    fn needed(self) -> Option<Box<Self>> {
        let is_needed = !self.signals.is_empty() || self.turns.hold().is_some() || self.moments.is_some();
        is_needed.then(|| Box::new(self))
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

    /// The run of the flow behind a pointer, so that code around it is compiled once for all methods.
    pub(crate) fn erased(self) -> Running<'s, Erased<'s>>
    where
        F: 's,
    {
        let Self { flow, step, start_time, tolerance, state, next, steps, around } = self;
        Running { flow: Erased::of(flow), step, start_time, tolerance, state, next, steps, around }
    }

    /// Refuses steps and parts of steps outside a [signal](System::signals) of the system, by name,
    /// follows its angles, and looks for its [moments](System::moments).
    ///
    /// # Errors
    /// A moment changes velocities, and the method takes no parts of steps; or a gap is violated.
    pub fn within<S: System + ?Sized>(self, method: &'static str, system: &'s S) -> Ready<'s, F> {
        let turns = Turns::of(system.followed(), &self.state);
        let moments = Moments::of(method, system, &self.state, self.flow.takes_parts())?.map(Box::new);
        let around = Around { method, signals: system.signals().into(), turns, moments };
        Ok(Self { around: around.needed(), ..self })
    }

    /// Refuses steps and parts of steps outside of these signals.
    #[must_use]
    pub fn within_signals(self, method: &'static str, signals: Box<[(Text, Signal)]>) -> Self {
        let around = Around { method, signals, turns: Turns::of(None, &self.state), moments: None };
        Self { around: around.needed(), ..self }
    }

    /// Takes the moments out of a run whose steps are parts of others.
    pub(crate) fn take_moments(&mut self) -> Option<Box<Moments<'s>>> {
        self.around.as_mut()?.moments.take()
    }

    /// The run with moments.
    pub(crate) fn with_moments(mut self, moments: Option<Box<Moments<'s>>>) -> Self {
        if moments.is_some() {
            self.around().moments = moments;
        }
        self
    }

    /// All that each step looks at.
    fn around(&mut self) -> &mut Around<'s> {
        self.around.get_or_insert_with(|| {
            let turns = Turns::of(None, &self.state);
            Box::new(Around { method: "", signals: Box::default(), turns, moments: None })
        })
    }

    fn turns(&self) -> Option<HeldAngles> {
        self.around.as_ref()?.turns.hold()
    }

    fn moments(&self) -> Option<&Moments<'s>> {
        self.around.as_ref()?.moments.as_deref()
    }

    /// The motion goes on otherwise than it came.
    fn forget(&mut self) {
        let moments = self.around.as_mut().and_then(|around| around.moments.as_mut());
        moments.into_iter().for_each(|moments| moments.forget());
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

    /// A part of a step within signals, with followed angles, or with moments.
    #[inline(never)]
    fn advance_around(&mut self, substep: &Substep) -> Result<(), StepError> {
        let Self { flow, state, next, around, .. } = self;
        let Some(around) = around else { return Ok(()) };
        check_within_signals(&around.signals, around.method, substep, state.t)?;
        let Some(moments) = &mut around.moments else {
            let _held = around.turns.hold();
            flow.advance(state, substep, next)?;
            around.turns.keep(next);
            return Ok(());
        };
        moments.begin();
        let outcome = advance_with((flow, moments, &mut around.turns), (state, next), substep);
        if outcome.is_err() {
            // The last good state is the one before the whole step; the memory may belong to a part.
            moments.begun().into_iter().for_each(|begun| state.assign(begun));
            flow.go_on_from(state);
            moments.forget();
        }
        outcome
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

/// A part of a step with its moments: from one that changes velocities it goes on with the rest.
fn advance_with(
    (flow, moments, turns): (&mut dyn Flow, &mut Moments<'_>, &mut Turns<'_>),
    (state, next): (&mut State, &mut State),
    substep: &Substep,
) -> Result<(), StepError> {
    let mut size = substep.size;
    loop {
        let _held = turns.hold().or_else(|| flow.hold_angles());
        next.t = substep.end;
        flow.advance(state, &Substep { size, ..*substep }, next)?;
        match moments.look(flow, (state, next), substep.number)? {
            Outcome::Whole => {
                turns.keep(next);
                return Ok(());
            }
            Outcome::Ended => {
                next.assign(&moments.probe);
                turns.keep(next);
                flow.go_on_from(next);
                return Ok(());
            }
            Outcome::Cut => {
                moments.keep(state);
                state.assign(&moments.probe);
                turns.keep(state);
                flow.go_on_from(state);
                size = substep.end - state.t;
            }
        }
    }
}

impl<F: Flow> TakesParts for Running<'_, F> {
    fn advance(&mut self, part: &Substep) -> Result<(), StepError> {
        Self::advance(self, part)
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
        let of_moments = self.moments().map_or(0.0, |moments| moments.energy);
        Report { tolerance: self.tolerance, of_moments, ..self.flow.report() }
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
            self.forget();
        }
        goes_on
    }

    fn look_for(&mut self, event: Event) -> Result<(), StartError> {
        let cuts = self.flow.takes_parts();
        let state = self.state.clone();
        let around = self.around();
        let new = || Box::new(Moments::new(around.method, &state, cuts));
        around.moments.get_or_insert_with(new).look_for(event)
    }

    fn moment_names(&self) -> &[String] {
        self.moments().map_or(&[], Moments::names)
    }

    fn passed(&self) -> &[Passed] {
        self.moments().map_or(&[], |moments| &moments.passed)
    }

    fn has_ended(&self) -> bool {
        self.moments().is_some_and(|moments| moments.has_ended)
    }

    fn beside(&mut self) -> Option<Beside<'_>> {
        let Self { flow, state, steps, start_time, step, around: None, .. } = self else { return None };
        Some(Beside { flow, state, steps, start_time: *start_time, step: *step })
    }

    fn kicked(&mut self) -> Option<&mut dyn Kicked> {
        if self.flow.takes_kicks() { Some(self) } else { None }
    }

    fn parts(&mut self) -> Option<&mut dyn TakesParts> {
        if self.flow.takes_parts() { Some(self) } else { None }
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
        self.forget();
    }
}

crate::shown::shown!([F] Running<'_, F>, |own| "Running" {
    step: own.step, steps: own.steps, state: own.state
});

impl Carried for Around<'_> {
    fn carry(&mut self, memory: &mut Memory<'_>) -> Result<(), CarryError> {
        let Self { turns, moments, method: _, signals: _ } = self;
        turns.carry(memory)?;
        moments.as_mut().map_or(Ok(()), |moments| moments.carry(memory))
    }
}

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
