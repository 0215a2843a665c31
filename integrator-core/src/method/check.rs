//! The checks of every method before its first step.

use crate::error::StartError;
use crate::system::{State, System};

/// Refuses a state that does not fit the system or is not finite, and a step that is not positive.
pub(super) fn check_start(
    system: &(impl System + ?Sized),
    state: &State,
    step: f64,
) -> Result<(), StartError> {
    check_state(system, state)?;
    check_step(step)
}

/// Refuses a state that does not fit the system or is not finite.
pub(super) fn check_state(system: &(impl System + ?Sized), state: &State) -> Result<(), StartError> {
    check_positions(system, &state.q)?;
    check_velocities(system, &state.v)?;
    if state.t.is_finite() {
        return Ok(());
    }
    Err(StartError::NotFinite { quantity: "time", coordinate: "t".to_owned(), value: state.t })
}

/// Refuses a step that is not positive and finite.
pub(super) fn check_step(step: f64) -> Result<(), StartError> {
    if step > 0.0 && step.is_finite() { Ok(()) } else { Err(StartError::StepNotPositive { step }) }
}

/// Refuses a Newmark parameter that is negative or not finite.
pub(super) fn check_beta(method: &'static str, beta: f64) -> Result<(), StartError> {
    if beta >= 0.0 && beta.is_finite() {
        return Ok(());
    }
    Err(StartError::OptionOutOfRange { method, option: "beta", value: beta, interval: "[0, ∞)" })
}

/// Refuses positions that do not fit the system or are not finite.
pub(super) fn check_positions(system: &(impl System + ?Sized), q: &[f64]) -> Result<(), StartError> {
    check_entries(system, "positions", "position", q)
}

/// Refuses velocities that do not fit the system or are not finite.
pub(super) fn check_velocities(system: &(impl System + ?Sized), v: &[f64]) -> Result<(), StartError> {
    check_entries(system, "velocities", "velocity", v)
}

/// Refuses a system with constraints, which the method would ignore.
pub(super) fn check_unconstrained(
    system: &(impl System + ?Sized),
    method: &'static str,
) -> Result<(), StartError> {
    check_no_nonholonomic(system, method)?;
    if system.holonomic().is_none() {
        return Ok(());
    }
    Err(StartError::ConstraintsNotKept { method, system: system.name().to_owned() })
}

/// Refuses a system with nonholonomic constraints, which the method would ignore.
pub(super) fn check_no_nonholonomic(
    system: &(impl System + ?Sized),
    method: &'static str,
) -> Result<(), StartError> {
    if system.nonholonomic().is_none() {
        return Ok(());
    }
    Err(StartError::NonholonomicNotKept { method, system: system.name().to_owned() })
}

fn check_entries(
    system: &(impl System + ?Sized),
    plural: &'static str,
    quantity: &'static str,
    values: &[f64],
) -> Result<(), StartError> {
    let expected = system.dimension();
    if values.len() != expected {
        let system = system.name().to_owned();
        return Err(StartError::WrongLength { system, quantity: plural, expected, found: values.len() });
    }
    match first_not_finite(values) {
        Some(index) => {
            let coordinate = system.layout().name_of(index);
            Err(StartError::NotFinite { quantity, coordinate, value: values[index] })
        }
        None => Ok(()),
    }
}

/// The first entry that is infinite or not a number.
pub(super) fn first_not_finite(values: &[f64]) -> Option<usize> {
    // The whole slice is tested without an early exit, so that the loop is vectorized; the search is for failures.
    let finite = values.iter().fold(true, |finite, value| finite & value.is_finite());
    if finite { None } else { values.iter().position(|value| !value.is_finite()) }
}
