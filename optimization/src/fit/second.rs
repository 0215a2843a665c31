//! A second start of a fit, beside the minimum that the first one has found.

use std::ops::ControlFlow;

use serde::Serialize;

use super::course::Course;
use super::motions::Motions;
use crate::least_squares::{Iteration, Options, Solution, Status, minimize};

/// The places beside a minimum at which the sum is looked at: by these factors of each number, by these
/// σ of a prior, for so many numbers.
const FACTORS: [f64; 6] = [0.5, 0.7, 0.85, 1.2, 1.4, 2.0];
const OF_PRIOR: [f64; 6] = [-3.0, -2.0, -1.0, 1.0, 2.0, 3.0];
const NUMBERS: usize = 8;
/// A sum that is a smaller part of its quadratic form around the minimum belongs to another one.
const BELOW: f64 = 0.5;
/// The iterations of a second start, at least and at most.
const ITERATIONS: [usize; 2] = [20, 50];
/// The part by which a lower sum is lower.
const LOWER: f64 = 1e-6;
/// The distance from the minimum from which a start returns, in σ of a sample, and as a part of the
/// data.
const NEAR: f64 = 0.1;
const ROUNDING: f64 = 1e-6;
/// The part of both residuals by which two minima differ.
const OTHER: f64 = 1e-3;

/// A minimum that lies above the one of the fit.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Minimum {
    /// Its χ².
    pub chi_square: f64,
    /// The free numbers there.
    pub values: Vec<(String, f64)>,
    /// True if the first guess leads there, and the second start to the lower one.
    pub of_guess: bool,
}

/// Begins a second time, where the motion allows it: the lower one of both minima, and the other one.
pub(super) fn begin<M: Motions>(
    course: &mut Course<M>,
    first: Solution,
    options: &Options,
) -> (Solution, Option<Minimum>) {
    let samples = course.pieces.iter().flat_map(|piece| &piece.samples);
    let size = samples.map(|sample| (sample.scale * sample.value).powi(2)).sum::<f64>().sqrt();
    let square = |residuals: &[f64]| residuals.iter().map(|r| r * r).sum::<f64>();
    let of_sample = (square(&first.residuals) / first.residuals.len() as f64).sqrt();
    let near = (NEAR * of_sample).max(ROUNDING * size);
    let slopes = &first.slopes.residuals;
    // |J (x − x₁)|².
    let linear = |x: &[f64]| {
        let mut change = vec![0.0; slopes.nrows()];
        let away = |column: usize| x[column] - first.x[column];
        slopes.triplet_iter().for_each(|(row, column, slope)| change[row] += slope * away(column));
        square(&change)
    };
    let of_minimum = square(&first.residuals);
    let begins = beside(course, &first.x).into_iter().filter_map(|x| {
        let found = square(&course.residuals_at(&x).ok()?);
        (found < BELOW * (of_minimum + linear(&x))).then_some((found, x))
    });
    let Some((_, x)) = begins.min_by(|a, b| a.0.total_cmp(&b.0)) else { return (first, None) };
    let returns = |at: &Iteration<'_>| {
        if linear(at.x).sqrt() <= near { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let iterations = first.iterations.clamp(ITERATIONS[0], ITERATIONS[1]).min(options.iterations);
    let second = minimize(course, &x, &Options { iterations, ..*options }, |at| returns(at)).ok();
    let Some(second) = second.filter(|second| second.status != Status::Stopped) else { return (first, None) };
    let (lower, upper) = (of_minimum, square(&second.residuals));
    let is_lower = upper < (1.0 - LOWER) * lower;
    let changes = second.residuals.iter().zip(&first.residuals).map(|(a, b)| a - b);
    let apart = square(&changes.collect::<Vec<_>>()).sqrt();
    let is_other = apart > OTHER * (lower.sqrt() + upper.sqrt()) && apart > ROUNDING * size;
    if !is_other || (second.status == Status::Limit && !is_lower) {
        return (first, None);
    }
    let (found, other) = if is_lower { (second, first) } else { (first, second) };
    let values = course.names().map(str::to_owned).zip(other.x).collect();
    (found, Some(Minimum { chi_square: square(&other.residuals), values, of_guess: is_lower }))
}

/// Places beside a minimum, each with another value of one number.
fn beside<M>(course: &Course<M>, minimum: &[f64]) -> Vec<Vec<f64>> {
    let mut all = Vec::new();
    for (index, (own, guess)) in minimum.iter().zip(&course.first).enumerate().take(NUMBERS) {
        let prior = course.priors.iter().find(|(unknown, _)| *unknown == index);
        let values = match prior {
            Some((_, [mean, sigma])) => OF_PRIOR.map(|part| mean + part * sigma),
            // A number at zero has no size but its way from the first guess.
            None => FACTORS.map(|factor| own + (factor - 1.0) * if *own == 0.0 { *guess } else { *own }),
        };
        let [lower, upper] = course.unknowns[index].bounds;
        let inside =
            values.into_iter().filter(|value| (lower..=upper).contains(value) && (value - own).abs() > 0.0);
        all.extend(inside.map(|value| {
            let mut x = minimum.to_vec();
            x[index] = value;
            x
        }));
    }
    all
}
