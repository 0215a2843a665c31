//! The numerical flow of a method.

use super::report::Report;
use super::scheme::Scheme;
pub use super::substep::Substep;
use crate::carried::{Carried, carried};
use crate::error::StepError;
use crate::forward::forward;
use crate::system::{HeldAngles, State};

/// The numerical flow Φ_h of a method: the map from one state to the next, with the memory between.
///
/// A method implements this trait alone.
/// [`Running`](super::running::Running) makes a [`Stepper`](super::Stepper) of it.
pub trait Flow: Carried + Send {
    /// True if the velocities may be replaced between two steps.
    fn takes_kicks(&self) -> bool {
        false
    }

    /// True if parts of steps may have any lengths.
    fn takes_parts(&self) -> bool {
        false
    }

    /// The scheme of its steps, if several such flows can take them in lanes.
    fn scheme(&self) -> Option<Scheme<'_>> {
        None
    }

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

/// Any flow, behind a pointer: one of several, chosen at the start, or the parts of a composition.
pub(crate) struct Erased<'s> {
    flow: Box<dyn Flow + 's>,
}

impl<'s> Erased<'s> {
    /// Erases the type of a flow.
    pub(crate) fn of(flow: impl Flow + 's) -> Self {
        Self { flow: Box::new(flow) }
    }
}

impl Flow for Erased<'_> {
    forward! { flow:
        takes_kicks() -> bool;
        takes_parts() -> bool;
        scheme() -> Option<Scheme<'_>>;
        multipliers() -> Option<&[f64]>;
        kept_energy(state: &State) -> Option<f64>;
        report() -> Report<'_>;
        warning() -> Option<&str>;
        trace_length() -> usize;
        trace(trace: &mut [f64]);
        hold_angles() -> Option<HeldAngles>;
    }

    forward! { mut flow:
        advance(state: &State, substep: &Substep, next: &mut State) -> Result<(), StepError>;
        go_on_from(state: &State) -> bool;
        make_tangent(v: &mut [f64]);
        kick(state: &mut State);
    }
}

carried!([] Erased<'_> { flow } besides {});
