//! The numerical flow of a method, and the part of a step that it advances by.

use super::report::Report;
use crate::carried::{Carried, CarryError, Memory};
use crate::error::StepError;
use crate::system::{HeldAngles, State};

/// A part of a step, or a whole step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Substep {
    /// The number of its step, counted from 1, for messages.
    pub number: u64,
    /// The length h; negative if backwards.
    pub size: f64,
    /// The time at its end.
    pub end: f64,
}

/// The numerical flow Φ_h of a method: the map from one state to the next, with the memory between.
///
/// A method implements this trait alone.
/// [`Running`](super::running::Running) makes a [`Stepper`](super::Stepper) of it.
pub trait Flow: Carried + Send {
    /// True if the velocities may be replaced between two steps.
    const TAKES_KICKS: bool = false;

    /// Writes Φ(`state`) over the positions and velocities of `next`, whose time is already the end of
    /// the substep. Allocates nothing.
    ///
    /// # Errors
    /// When the step fails; the memory of the flow then still belongs to `state`.
    fn advance(&mut self, state: &State, substep: &Substep, next: &mut State) -> Result<(), StepError>;

    /// The multipliers that [`super::Stepper::multipliers`] returns.
    fn multipliers(&self) -> Option<&[f64]> {
        None
    }

    /// The energy that [`super::Stepper::kept_energy`] returns, at the last good state.
    fn kept_energy(&self, _state: &State) -> Option<f64> {
        None
    }

    /// The report that [`super::Stepper::report`] returns.
    fn report(&self) -> Report<'_>;

    /// The warning that [`super::Stepper::warning`] returns.
    fn warning(&self) -> Option<&str> {
        None
    }

    /// The length of the [trace](Self::trace).
    fn trace_length(&self) -> usize {
        0
    }

    /// Writes the numbers of the last part of a step that its linear map needs beside both states.
    fn trace(&self, _trace: &mut [f64]) {}

    /// Stands at the angles of a run inside of the flow.
    fn hold_angles(&self) -> Option<HeldAngles> {
        None
    }

    /// Makes the memory of the flow belong to another state of equal time. `false`, without any change,
    /// if the flow keeps more of the trajectory than a state.
    fn go_on_from(&mut self, _state: &State) -> bool {
        false
    }

    /// Makes `v` tangent to the constraints, for
    /// [`make_tangent`](super::contract::Kicked::make_tangent).
    fn make_tangent(&mut self, _v: &mut [f64]) {}

    /// Makes new velocities in `state` tangent to the constraints, and the memory belong to them.
    fn kick(&mut self, _state: &mut State) {}
}

/// One of two flows, chosen at the start.
pub(crate) enum Either<A, B> {
    /// The first.
    First(Box<A>),
    /// The second.
    Second(Box<B>),
}

macro_rules! of_either {
    ($either:ident, $flow:ident => $value:expr) => {
        match $either {
            Self::First($flow) => $value,
            Self::Second($flow) => $value,
        }
    };
}

impl<A: Flow, B: Flow> Flow for Either<A, B> {
    const TAKES_KICKS: bool = A::TAKES_KICKS;

    fn advance(&mut self, state: &State, substep: &Substep, next: &mut State) -> Result<(), StepError> {
        of_either!(self, flow => flow.advance(state, substep, next))
    }

    fn multipliers(&self) -> Option<&[f64]> {
        of_either!(self, flow => flow.multipliers())
    }

    fn kept_energy(&self, state: &State) -> Option<f64> {
        of_either!(self, flow => flow.kept_energy(state))
    }

    fn report(&self) -> Report<'_> {
        of_either!(self, flow => flow.report())
    }

    fn warning(&self) -> Option<&str> {
        of_either!(self, flow => flow.warning())
    }

    fn trace_length(&self) -> usize {
        of_either!(self, flow => flow.trace_length())
    }

    fn trace(&self, trace: &mut [f64]) {
        of_either!(self, flow => flow.trace(trace));
    }

    fn go_on_from(&mut self, state: &State) -> bool {
        of_either!(self, flow => flow.go_on_from(state))
    }

    fn make_tangent(&mut self, v: &mut [f64]) {
        of_either!(self, flow => flow.make_tangent(v));
    }

    fn kick(&mut self, state: &mut State) {
        of_either!(self, flow => flow.kick(state));
    }
}

impl<A: Carried, B: Carried> Carried for Either<A, B> {
    fn carry(&mut self, memory: &mut Memory<'_>) -> Result<(), CarryError> {
        of_either!(self, flow => flow.carry(memory))
    }
}
