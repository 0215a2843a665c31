//! The times of a comparison: until when, and with which steps, from the model's own times unless they are given.

use least_action::drive::Plan;
use least_action::method::stability::{fastest_frequency, fastest_tangential_frequency};
use least_action::method::{Method as _, Reference, Stepper as _};
use least_action::system::State;

use crate::arguments::Bench;
use crate::error::Error;
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
    pub(super) fn of(instance: &Instance, state: &State, arguments: &Bench) -> Result<Self, Error> {
        if let Some(step) = arguments.step.filter(|step| !(step.is_finite() && *step > 0.0)) {
            let reason = "the step must be positive and finite";
            return Err(Error::BadNumber { flag: "--step", value: step, reason });
        }
        if let Some(until) = arguments.until.filter(|until| !(until.is_finite() && *until > state.t)) {
            let reason = "the time must be finite and later than the start";
            return Err(Error::BadNumber { flag: "--until", value: until, reason });
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

/// The fastest frequency at the start: of the linearized system where its mass is constant, or as fast as the state changes.
fn frequency(instance: &Instance, state: &State) -> Option<f64> {
    let linear = match (instance.system.constrained(), instance.system.natural()) {
        (Some(constrained), _) => fastest_tangential_frequency(constrained, state),
        (None, Some(natural)) => fastest_frequency(natural, state),
        (None, None) => None,
    };
    linear.filter(|omega| omega.is_finite() && *omega > 0.0).or_else(|| rate_of_change(instance, state))
}

/// The rate at which the state changes at first, as parts of its size: the change over a time so short that it is small.
fn rate_of_change(instance: &Instance, state: &State) -> Option<f64> {
    /// The change that is looked for.
    const CHANGE: f64 = 0.01;
    let system = instance.system.lagrangian();
    let size = |of: &[f64]| of.iter().fold(0.0_f64, |size, entry| size.max(entry.abs()));
    let or_one = |size: f64| if size > 0.0 { size } else { 1.0 };
    let (of_q, of_v) = (or_one(size(&state.q)), or_one(size(&state.v)));
    // From the shortest time up, so that nothing long is computed.
    (-40..=40).map(|power| 2.0_f64.powi(power)).find_map(|time| {
        let mut stepper = Reference { tolerance: 1e-6 }.start(system, state.clone(), time).ok()?;
        stepper.step().ok()?;
        let after = stepper.state();
        let change = |before: &[f64], after: &[f64], size: f64| {
            before.iter().zip(after).fold(0.0_f64, |most, (before, after)| most.max((after - before).abs()))
                / size
        };
        let change = change(&state.q, &after.q, of_q).max(change(&state.v, &after.v, of_v));
        (change > CHANGE).then(|| change / time)
    })
}

/// A time of two digits.
fn rounded(time: f64) -> f64 {
    // As it is printed, so that it can be repeated.
    format!("{time:.1e}").parse().unwrap_or(time)
}
