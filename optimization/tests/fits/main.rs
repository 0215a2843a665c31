//! Fits find the numbers of a model from recordings, with honest errors.

#![expect(clippy::expect_used, clippy::panic, reason = "a test may end at a failure")]

mod chains;
mod measured;
mod refused;
mod rows;
mod segments;
mod starts;

use std::ops::ControlFlow;

use chacha20::ChaCha8Rng;
use chacha20::rand_core::SeedableRng;
use least_action_optimization::Error;
use least_action_optimization::fit::{Fit, Fitted, Motions};
use least_action_optimization::least_squares::Options;
use rand_distr::{Distribution, StandardNormal};

pub(crate) const FREE: [f64; 2] = [f64::NEG_INFINITY, f64::INFINITY];

pub(crate) fn solve<M: Motions>(fit: Fit<M>) -> Result<Fitted, Error<M::Error>> {
    fit.solve(&Options::default(), |_, _| ControlFlow::Continue(()))
}

/// Standard normal numbers.
pub(crate) fn noise(seed: u64) -> impl Iterator<Item = f64> {
    StandardNormal.sample_iter(ChaCha8Rng::seed_from_u64(seed))
}

/// Asserts that each estimate is within `most` of its standard errors of the truth, and that the sum of
/// the squares is plausible: |χ² − n| below 4 √(2n).
pub(crate) fn honest(found: &Fitted, truth: impl Fn(&str) -> f64, most: f64) {
    let mut sum = 0.0;
    for estimate in &found.estimates {
        let error = estimate.error.expect("an error");
        let away = (estimate.value - truth(&estimate.name)) / error;
        assert!(away.abs() < most, "{estimate:?} is {away} errors from {}", truth(&estimate.name));
        sum += away * away;
    }
    let n = found.estimates.len() as f64;
    assert!((sum - n).abs() < 4.0 * (2.0 * n).sqrt(), "χ² = {sum} of {n} numbers");
}
