//! The checks of every method before its first step.

use super::dissipation::check_dissipation;
use super::force_error::SMALLER;
use super::substep::Substep;
use crate::binding::threads::first_not_finite;
use crate::error::{Begun, ForceError, StartError, StepError};
use crate::system::{Coordinate, Kind, Lagrangian, Natural, Signal, State, System, Text};

/// The options of a method that are not given.
macro_rules! by_default {
    ($(#[$documentation:meta])* $Method:ident { $($option:ident: $value:expr),+ }) => {
        impl Default for $Method {
            $(#[$documentation])*
            fn default() -> Self {
                Self { $($option: $value),+ }
            }
        }
    };
}

pub(super) use by_default;

/// Refuses a state that does not fit the system or is not finite, a step that is not positive, a time
/// outside a signal, and a dissipation that is not convex.
pub(super) fn check_start(system: &(impl System + ?Sized), state: &State, step: f64) -> Begun {
    check_state(system, state)?;
    check_step(step)?;
    check_signals(system, state.t)?;
    check_defined(system, state)?;
    check_dissipation(system, state)
}

/// Refuses a start at which a term is finite and has no force.
fn check_defined(system: &(impl System + ?Sized), state: &State) -> Begun {
    let is_finite = |system: &dyn Lagrangian| system.energy(&state.q, &state.v, state.t).is_finite();
    match system.undefined(state).filter(|_| system.mechanics().is_some_and(is_finite)) {
        Some((term, index)) => {
            let n = system.dimension();
            Err(StartError::Undefined { coordinate: system.layout().name_of(index % n), term })
        }
        None => Ok(()),
    }
}

/// Refuses a start at a time outside a signal of the system.
pub(super) fn check_signals(system: &(impl System + ?Sized), time: f64) -> Begun {
    match system.signals().iter().find(|(_, signal)| !signal.reaches(time)) {
        Some((name, signal)) => {
            Err(StartError::SignalElsewhere { signal: name.to_string(), span: signal.span(), time })
        }
        None => Ok(()),
    }
}

/// The name of the first moment of a system that changes velocities.
pub(super) fn first_cut(system: &(impl System + ?Sized)) -> Option<String> {
    Some(system.moments()?.first_change()?.name.to_string())
}

/// Refuses a system with moments that change velocities.
pub(super) fn check_uncut(system: &(impl System + ?Sized), method: &'static str) -> Begun {
    let refused = |moment| StartError::MomentsNotKept { method, system: system.name().to_owned(), moment };
    first_cut(system).map_or(Ok(()), |moment| Err(refused(moment)))
}

/// Refuses a system whose angles a run must follow.
pub(super) fn check_angles(system: &(impl System + ?Sized), method: &'static str) -> Begun {
    match system.followed() {
        Some(_) => Err(StartError::AnglesNotFollowed { method, system: system.name().to_owned() }),
        None => Ok(()),
    }
}

/// Refuses a step to a time outside a signal.
#[inline]
pub(super) fn check_within_signals(
    signals: &[(Text, Signal)],
    method: &'static str,
    substep: &Substep,
    time: f64,
) -> Result<(), StepError> {
    let Some((name, signal)) = signals.iter().find(|(_, signal)| !signal.reaches(substep.end)) else {
        return Ok(());
    };
    let [_, end] = signal.span();
    Err(ForceError::SignalEnded { end }.at(method, name.to_string(), substep, time, SMALLER))
}

/// Refuses a state that does not fit the system or is not finite.
pub(super) fn check_state(system: &(impl System + ?Sized), state: &State) -> Begun {
    check_positions(system, &state.q)?;
    check_velocities(system, &state.v)?;
    if state.t.is_finite() {
        return Ok(());
    }
    Err(StartError::NotFinite { quantity: "time", coordinate: "t".to_owned(), value: state.t })
}

/// Refuses a step that is not positive and finite.
pub(super) fn check_step(step: f64) -> Begun {
    if step > 0.0 && step.is_finite() { Ok(()) } else { Err(StartError::StepNotPositive { step }) }
}

/// Refuses a Newmark parameter that is negative or not finite.
pub(super) fn check_beta(method: &'static str, beta: f64) -> Begun {
    check_option(method, beta >= 0.0 && beta.is_finite(), ("beta", beta, "[0, ∞)"))
}

/// Refuses the value of an option outside of the interval, unless it is inside.
pub(super) fn check_option(
    method: &'static str,
    is_inside: bool,
    (option, value, interval): (&'static str, f64, &'static str),
) -> Begun {
    if is_inside { Ok(()) } else { Err(StartError::OptionOutOfRange { method, option, value, interval }) }
}

/// From here on the spacing of floating-point numbers exceeds a 4000th of a radian.
const FARTHEST: f64 = (1_u64 << 40) as f64;

/// Refuses positions that do not fit the system or are not finite, and angles so large that they have
/// lost their place in a turn.
pub(super) fn check_positions(system: &(impl System + ?Sized), q: &[f64]) -> Begun {
    check_entries(system, "positions", "position", q)?;
    let angles = system.layout().coordinates().iter().filter(|coordinate| coordinate.kind == Kind::Angle);
    match angles.flat_map(Coordinate::starts).find(|index| q[*index].abs() >= FARTHEST) {
        Some(index) => {
            let (coordinate, value) = (system.layout().name_of(index), q[index]);
            Err(StartError::AngleTooFar { coordinate, value, spacing: value.abs().next_up() - value.abs() })
        }
        None => Ok(()),
    }
}

/// Refuses velocities that do not fit the system or are not finite.
pub(super) fn check_velocities(system: &(impl System + ?Sized), v: &[f64]) -> Begun {
    check_entries(system, "velocities", "velocity", v)
}

/// Refuses a system with constraints, which the method would ignore.
pub(super) fn check_unconstrained(system: &(impl System + ?Sized), method: &'static str) -> Begun {
    check_no_nonholonomic(system, method)?;
    if system.holonomic().is_none() {
        return Ok(());
    }
    Err(StartError::ConstraintsNotKept { method, system: system.name().to_owned() })
}

/// Refuses a system with nonholonomic constraints, which the method would ignore.
pub(super) fn check_no_nonholonomic(system: &(impl System + ?Sized), method: &'static str) -> Begun {
    if system.nonholonomic().is_none() {
        return Ok(());
    }
    Err(StartError::NonholonomicNotKept { method, system: system.name().to_owned() })
}

/// Refuses a system with forces beside −∇V, which the method would ignore.
pub(super) fn check_unforced(system: &(impl System + ?Sized), method: &'static str) -> Begun {
    if system.forced().is_none() {
        return Ok(());
    }
    Err(StartError::ForcesNotIncluded { method, system: system.name().to_owned() })
}

/// True if V depends explicitly on the time. Without elements, V is probed at places and times around
/// the start: the penalty of a moving constraint has ∂V/∂t = 0 on the constraint, and a drive where it
/// turns.
pub(super) fn depends_on_time<S: Natural + ?Sized>(system: &S, State { t, q, .. }: &State) -> bool {
    const PROBES: [f64; 4] = [0.0, 1e-3, -1e-2, 1e-1];
    const TIMES: [f64; 6] = [0.0, 1.1e-6, 1.3e-3, 0.17, 1.9, 230.0];
    if let Some(elements) = system.elements() {
        return elements.depends_on_time();
    }
    PROBES.into_iter().any(|probe| {
        let beside = |(k, q): (usize, &f64)| q + probe * (1.0 + q.abs()) * (1.7 * k as f64 + 0.3).sin();
        let place: Vec<f64> = q.iter().enumerate().map(beside).collect();
        TIMES.into_iter().any(|later| system.potential_rate(&place, t + later) != 0.0)
    })
}

fn check_entries(
    system: &(impl System + ?Sized),
    plural: &'static str,
    quantity: &'static str,
    values: &[f64],
) -> Begun {
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
