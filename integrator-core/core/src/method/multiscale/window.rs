//! A window on the micro-grid: the step, the phases and the weights of the filter.

use super::Filter;
use crate::error::{Begun, StartError};
use crate::method::check::check_option;
use std::f64::consts::TAU;

/// The most micro-steps of one window: more is a mistake in the options.
const MOST: f64 = 1e8;

/// The largest difference of the mass ∫ K(x) dx of a kernel from 1.
const MASS_TOLERANCE: f64 = 1e-6;

/// The largest difference from 1 of the sum of the weights; above it the grid is too coarse.
const SUM_TOLERANCE: f64 = 1e-3;

/// The micro-grid about the centre of a window, with the weights of the trapezoidal rule.
#[derive(Debug, Clone)]
pub struct Window {
    /// The micro-step h = 2π/(ω N), positive.
    pub(super) step: f64,
    /// The weight of the centre.
    pub centre: f64,
    /// The weights of the points 1, 2, … on one side; doubled if one side represents both.
    pub side: Vec<f64>,
    /// True if one side represents both.
    pub(super) half: bool,
    pub(super) per_period: usize,
    /// The phases at the points ½, 1, 1½, … after the centre relative to it, reduced to one turn.
    turns: Vec<f64>,
}

impl Window {
    /// The window of a filter for the frequency ω, with `per_period` micro-steps in a period; `half` if
    /// the force along it is even.
    ///
    /// # Errors
    /// The frequency, the micro-steps or a parameter of the filter is out of range, or the weights do
    /// not add up to one.
    pub fn new(
        filter: &dyn Filter,
        method: &'static str,
        system: &str,
        frequency: f64,
        per_period: u32,
        half: bool,
    ) -> Begun<Self> {
        let period = TAU / frequency.abs();
        if !(frequency.is_finite() && frequency != 0.0 && period.is_finite()) {
            return Err(StartError::FrequencyOutOfRange {
                method,
                system: system.to_owned(),
                value: frequency,
            });
        }
        let number = f64::from(per_period);
        check_option(method, per_period >= 4, ("micro_steps_per_period", number, "[4, ∞)"))?;
        let periods = filter.periods();
        let steps = 0.5 * periods * number;
        let long = "[1, ∞), in periods: a shorter one cannot tell fast from slow";
        check_option(method, periods >= 1.0 && periods.is_finite(), ("window", periods, long))?;
        let whole = "the whole numbers of periods, over which alone a plain mean is one";
        let is_whole = |number: f64| !filter.takes_whole_periods() || number.fract() == 0.0;
        check_option(method, is_whole(periods), ("window", periods, whole))?;
        check_option(method, steps <= MOST, ("window", periods, "[1, 2·10⁸/micro_steps_per_period]"))?;
        let even = "the even numbers, for a window of an odd number of periods";
        check_option(method, is_whole(steps), ("micro_steps_per_period", number, even))?;
        check_mass(filter, method)?;
        let count = steps.round().max(1.0) as usize;
        let weight = |k: usize| filter.kernel(k as f64 / count as f64) / count as f64;
        let mut side: Vec<f64> = (1..=count).map(weight).collect();
        side[count - 1] *= 0.5;
        let centre = weight(0);
        let sum = centre + 2.0 * side.iter().sum::<f64>();
        if (sum - 1.0).abs() > SUM_TOLERANCE || sum.is_nan() {
            return Err(StartError::FilterMass {
                method,
                filter: filter.name(),
                mass: sum,
                points: 2 * count + 1,
            });
        }
        if half {
            side.iter_mut().for_each(|weight| *weight *= 2.0);
        }
        let step = period / f64::from(per_period);
        let per_period = per_period as usize;
        let halves = 2 * per_period;
        let part = |k: usize| (k % halves) as f64 / halves as f64;
        let turns = (1..=2 * count).map(|k| frequency.signum() * TAU * part(k)).collect();
        Ok(Self { step, centre, side, half, per_period, turns })
    }

    /// The directions of time in which the window is followed; one if one side represents both.
    pub(super) fn sides(&self) -> &'static [f64] {
        if self.half { &[1.0] } else { &[1.0, -1.0] }
    }

    /// The part of the centre's weight that each side counts.
    pub(super) fn share(&self) -> f64 {
        self.centre / self.sides().len() as f64
    }

    /// The phase at point k ≥ 1 on the side `direction` relative to the centre: counted in whole
    /// micro-steps and reduced to one turn, so that points a whole period apart have equal bits.
    #[inline]
    pub fn turn(&self, k: usize, direction: f64) -> f64 {
        direction * self.turns[2 * k - 1]
    }

    /// The phase midway between the points k ≥ 0 and k + 1 relative to the centre.
    #[inline]
    pub(super) fn half_turn(&self, k: usize, direction: f64) -> f64 {
        direction * self.turns[2 * k]
    }

    /// The micro-steps of a window.
    pub fn steps(&self) -> u64 {
        (self.side.len() * self.sides().len()) as u64
    }
}

/// Refuses a kernel whose integral is not 1.
fn check_mass(filter: &dyn Filter, method: &'static str) -> Begun {
    const POINTS: usize = 4096;
    let mut mass = filter.kernel(0.0) + filter.kernel(1.0);
    mass += 2.0 * (1..POINTS).map(|k| filter.kernel(k as f64 / POINTS as f64)).sum::<f64>();
    mass /= POINTS as f64;
    if (mass - 1.0).abs() <= MASS_TOLERANCE {
        return Ok(());
    }
    Err(StartError::FilterMass { method, filter: filter.name(), mass, points: 2 * POINTS + 1 })
}
