//! The options of projections onto slow manifolds.

use least_action_core::error::StartError;
use least_action_core::method::slow_manifold::{SlowFast, SlowManifold};
use least_action_core::system::State;

use crate::options::Options;

/// The projection by the options; without them `default`, with as many micro-steps as the system needs.
///
/// # Errors
/// An option that is no whole number, or a system that no window resolves.
pub fn manifold<F: SlowFast>(
    options: &Options,
    default: SlowManifold,
    system: &F,
    state: &State,
) -> Result<SlowManifold, StartError> {
    let number = |name, default: f64| options.get(name).unwrap_or(default);
    let manifold = SlowManifold {
        window: number("window", default.window),
        micro_steps: count(options, "micro_steps", default.micro_steps)?,
        tolerance: number("tolerance", default.tolerance),
        force_tolerance: number("force_tolerance", default.force_tolerance),
        iterations: count(options, "iterations", default.iterations)?,
    };
    match options.get("micro_steps") {
        Some(_) => Ok(manifold),
        None => manifold.resolving(system, state),
    }
}

/// An option that is a whole number.
///
/// # Errors
/// Its value is no whole number.
pub fn count(options: &Options, option: &'static str, default: u32) -> Result<u32, StartError> {
    let Some(value) = options.get(option) else { return Ok(default) };
    if value.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&value) {
        return Ok(value as u32);
    }
    let (method, interval) = ("slow manifold", "the whole numbers");
    Err(StartError::OptionOutOfRange { method, option, value, interval })
}
