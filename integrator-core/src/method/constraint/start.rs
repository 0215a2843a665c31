use super::manifold::Manifold;
use crate::error::StartError;
use crate::method::check::{check_state, check_step};
use crate::system::{Constrained, State};

/// The largest residual of a constraint at a start, relative to its natural size: enough for numbers that were written with ten
/// digits, far too little for a wrong length. The first step removes the residual.
pub const START_TOLERANCE: f64 = 1e-9;

/// A start on the constraints, with the manifold standing at it.
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
    check_step(step)?;
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

/// The manifold with its foot at a state, which must fit the system, be finite and lie on the constraints.
pub(crate) fn stand_on<S: Constrained + ?Sized>(
    system: &S,
    state: State,
) -> Result<Checked<'_, S>, StartError> {
    check_state(system, &state)?;
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
        place: system.constraint_name(zero.index),
    })?;
    Ok(Checked { manifold, state })
}
