//! The times of a comparison: its end and its steps, from the model's own times unless they are given.

use least_action::drive::Plan;
use least_action::system::State;

use crate::arguments::Bench;
use crate::error::{Error, Result};
use crate::own_times::{frequency, rounded};
use crate::registry::Instance;

/// The radians of the fastest oscillation until the end, five periods.
const RADIANS: f64 = 32.0;
/// The steps at least.
const FEWEST: f64 = 20.0;
/// The longest steps of a given time at most.
const MOST: f64 = 10_000.0;

/// Until when, and with which steps.
pub(super) struct Times {
    pub(super) until: f64,
    /// The longest step.
    pub(super) step: f64,
    halvings: u32,
    /// The fastest frequency, where the end was chosen by it.
    chosen_by: Option<f64>,
}

impl Times {
    pub(super) fn of(instance: &Instance, state: &State, arguments: &Bench) -> Result<Self> {
        if let Some(step) = arguments.step.filter(|step| !(step.is_finite() && *step > 0.0)) {
            let reason = "the step must be positive and finite";
            return Err(Error::number("--step", step, reason));
        }
        if let Some(until) = arguments.until.filter(|until| !(until.is_finite() && *until > state.t)) {
            let reason = "the time must be finite and later than the start";
            return Err(Error::number("--until", until, reason));
        }
        let own = |omega: f64| 1.0 / omega;
        let (until, step, chosen_by) = match (arguments.until, arguments.step) {
            (Some(until), Some(step)) => (until, step, None),
            (Some(until), None) => {
                let span = until - state.t;
                let longest = span / FEWEST;
                let step = frequency(instance, state).map_or(longest, |omega| own(omega).min(longest));
                (until, step.max(span / MOST), None)
            }
            (None, step) => {
                let omega = frequency(instance, state).unwrap_or(1.0);
                let step = step.unwrap_or_else(|| rounded(own(omega)));
                (state.t + rounded((RADIANS / omega).max(FEWEST * step)), step, Some(omega))
            }
        };
        let times = Self { until, step, halvings: arguments.halvings, chosen_by };
        for part in times.halves() {
            Plan::until(state.t, until, step * part).map_err(Error::Plan)?;
        }
        Ok(times)
    }

    /// One, and its halves.
    pub(super) fn halves(&self) -> impl Iterator<Item = f64> + use<> {
        (0..=self.halvings).map(|k| 0.5_f64.powi(k.cast_signed()))
    }

    /// The reason for which the end is where it is, unless it was given.
    pub(super) fn reason(&self) -> String {
        match self.chosen_by {
            Some(omega) => format!(" (the fastest frequency at the start is {omega:.3})"),
            None => String::new(),
        }
    }
}
