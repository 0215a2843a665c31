use super::Manifold;
use crate::error::StartError;
use crate::system::{Constrained, State};

/// What a start may violate a constraint by, relative to its natural size: enough for numbers that were written with ten
/// digits, far too little for a wrong length. The first step removes what is left.
pub const START_TOLERANCE: f64 = 1e-9;

/// A start that fits, with the manifold standing at it.
pub(crate) struct Checked<'s, S: ?Sized> {
    pub(crate) manifold: Manifold<'s, S>,
    pub(crate) state: State,
}

/// Checks the options that SHAKE and RATTLE have.
pub(crate) fn check_options(
    method: &'static str,
    tolerance: f64,
    iterations: u32,
    step: f64,
) -> Result<(), StartError> {
    if !(step > 0.0 && step.is_finite()) {
        return Err(StartError::StepNotPositive { step });
    }
    if !(tolerance > 0.0 && tolerance <= 1e-3) {
        return Err(StartError::OptionOutOfRange {
            method,
            option: "tolerance",
            value: tolerance,
            interval: "(0, 0.001]",
        });
    }
    if iterations == 0 {
        return Err(StartError::OptionOutOfRange {
            method,
            option: "iterations",
            value: 0.0,
            interval: "[1, 4294967295]",
        });
    }
    Ok(())
}

/// Checks that a state fits the system, is finite and lies on the constraints.
pub(crate) fn check_start<S: Constrained + ?Sized>(
    system: &S,
    state: State,
) -> Result<Checked<'_, S>, StartError> {
    check_length(system, "positions", &state.q)?;
    check_length(system, "velocities", &state.v)?;
    check_finite(system, "position", &state.q)?;
    check_finite(system, "velocity", &state.v)?;
    if !state.t.is_finite() {
        return Err(StartError::NotFinite { quantity: "time", coordinate: "t".to_owned(), value: state.t });
    }
    let mut manifold = Manifold::new(system)?;
    manifold.evaluate(&state.q, state.t);
    if let Some((row, residual, tolerance)) = manifold.worst_value(&state.q, START_TOLERANCE) {
        let equation = system.constraint_name(row);
        return Err(StartError::OffConstraints { equation, residual, tolerance });
    }
    if let Some((row, residual, tolerance)) =
        manifold.worst_rate(&state.q, &state.v, state.t, START_TOLERANCE)
    {
        let equation = system.constraint_name(row);
        return Err(StartError::VelocityOffConstraints { equation, residual, tolerance });
    }
    manifold.settle().map_err(|zero| StartError::Singular {
        system: system.name().to_owned(),
        matrix: "the constraint matrix G M⁻¹ Gᵀ (the constraints are redundant or the configuration is singular)",
        pivot: zero.pivot,
        place: system.constraint_name(zero.row),
    })?;
    Ok(Checked { manifold, state })
}

pub(super) fn check_length<S: Constrained + ?Sized>(
    system: &S,
    quantity: &'static str,
    values: &[f64],
) -> Result<(), StartError> {
    let expected = system.dimension();
    if values.len() == expected {
        return Ok(());
    }
    Err(StartError::WrongLength { system: system.name().to_owned(), quantity, expected, found: values.len() })
}

pub(super) fn check_finite<S: Constrained + ?Sized>(
    system: &S,
    quantity: &'static str,
    values: &[f64],
) -> Result<(), StartError> {
    match values.iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(index) => Err(StartError::NotFinite {
            quantity,
            coordinate: system.layout().name_of(index),
            value: values[index],
        }),
    }
}
