//! The statistics of a fit.

use std::f64::consts::TAU;

use nalgebra::{DMatrix, SVD};
use nalgebra_sparse::CsrMatrix;
use serde::Serialize;
use statrs::function::gamma::checked_gamma_ur;

use super::course::Course;
use super::curve::{Curve, Smooth, curves, smooth};
use super::doubt::doubt;
use super::loss::Loss;
use super::motions::Motions;
use super::second::Minimum;
use crate::least_squares::{Problem, Slopes, Solution, Status};

/// The part of the largest singular value below which the data do not determine a direction.
const SINGULAR: f64 = 1e-11;
/// The correlation from which two numbers are named.
const CORRELATED: f64 = 0.95;
/// The part of the largest entry from which a number belongs to a direction.
const BELONGS: f64 = 0.05;
/// The part of the largest entry from which a number is not determined.
const LOST: f64 = 1e-6;
/// The rounds of the decomposition at most for each number; two or three suffice in practice.
const ROUNDS: usize = 50;

/// A number of a fit.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Estimate {
    /// The name, such as `masses[1]`, or `der.bob.x of FILE` with several recordings.
    pub name: String,
    /// The value.
    pub value: f64,
    /// The value with two digits of its error, in units of the last digit, 12.345(67), or 12.3(1.2).
    pub printed: String,
    /// The standard error; none at a bound, and where the data do not determine the number.
    pub error: Option<f64>,
    /// The bound at which it stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<f64>,
}

/// The quality of a fit as a whole. Priors count as samples.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Quality {
    /// χ² = Σ ((x − x*)/σ)², or the sum of a robust loss; without a given σ the sum of squares.
    pub chi_square: f64,
    /// ν, the number of samples less the number of determined unknowns.
    pub degrees: usize,
    /// √(χ²/ν). With given standard deviations it is near 1 where the model is right, and the errors
    /// do not depend on it; without, it is the estimate of σ.
    pub sigma: f64,
    /// The probability of a larger χ² under normal noise; none without a given σ or with a robust loss.
    pub probability: Option<f64>,
    /// −2 ln L + 2k of normal noise, and σ among the k numbers where it is estimated (H. Akaike, 1974);
    /// none with a robust loss.
    pub aic: Option<f64>,
    /// −2 ln L + k ln n (G. Schwarz, 1978), likewise.
    pub bic: Option<f64>,
}

impl Quality {
    /// Of the residuals, which determine k unknowns.
    fn of<M: Motions>(course: &Course<M>, residuals: &[f64], k: usize) -> Self {
        let (n, chi_square) = (residuals.len() as f64, residuals.iter().map(|r| r * r).sum::<f64>());
        let degrees = residuals.len() - k;
        let nu = degrees as f64;
        let sigma = if degrees > 0 { (chi_square / nu).sqrt() } else { 0.0 };
        let is_normal = course.loss == Loss::Squares;
        let known = is_normal && course.has_sigma;
        let probability = checked_gamma_ur(0.5 * nu, 0.5 * chi_square).ok().filter(|_| known);
        let samples = course.samples().map(|(_, sample)| sample.scale.recip());
        let sigmas = samples.chain(course.priors.iter().map(|(_, [_, sigma])| *sigma));
        let (minus_two_log, k) = if course.has_sigma {
            (chi_square + sigmas.map(|sigma| (TAU * sigma * sigma).ln()).sum::<f64>(), k as f64)
        } else {
            (n * ((TAU * chi_square / n).ln() + 1.0), k as f64 + 1.0)
        };
        let with =
            |penalty: f64| Some(minus_two_log + penalty * k).filter(|number| is_normal && number.is_finite());
        Self { chi_square, degrees, sigma, probability, aic: with(2.0), bic: with(n.ln()) }
    }
}

/// The result of a fit.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Fitted {
    /// The parameters, the entries of starts and the numbers of sensors that were free.
    pub estimates: Vec<Estimate>,
    /// The covariance of the estimates; none where one of both has no error.
    pub covariance: Vec<Vec<Option<f64>>>,
    /// χ² and its relatives.
    #[serde(flatten)]
    pub quality: Quality,
    /// The condition number of the derivatives along continuous motions, each unknown in its own unit.
    pub condition: f64,
    /// Directions in which the numbers can change together and the samples do not: for each number its
    /// relative change, or its change where it is zero.
    pub undetermined: Vec<Vec<(String, f64)>>,
    /// The columns of the data beside the motion.
    #[serde(rename = "columns")]
    pub curves: Vec<Curve>,
    /// The number of samples between two steps, where the motion is a cubic.
    pub between: usize,
    /// All unknowns, to go on from.
    #[serde(skip)]
    pub x: Vec<f64>,
    /// The number of steps of the solver.
    pub iterations: usize,
    /// The reason for their end.
    pub status: Status,
    /// The names of the free parameters that the model's own start follows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub follows: Vec<String>,
    /// The largest factor by which a segment amplifies a change of its start.
    #[serde(skip)]
    pub growth: f64,
    /// The reason not to believe the numbers, which have no errors then.
    #[serde(skip)]
    pub doubt: Option<String>,
    /// A minimum above this one, where a second start has found one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other: Option<Minimum>,
}

impl Fitted {
    /// The value of a number by its name.
    pub fn value(&self, name: &str) -> Option<f64> {
        self.estimates.iter().find(|estimate| estimate.name == name).map(|estimate| estimate.value)
    }

    /// The correlations of the estimates.
    pub fn correlations(&self) -> Vec<Vec<Option<f64>>> {
        let (error, all) = (|k: usize| self.estimates[k].error, 0..self.estimates.len());
        let entry = |a: usize, b: usize| Some(self.covariance[a][b]? / (error(a)? * error(b)?));
        all.clone().map(|a| all.clone().map(|b| entry(a, b)).collect()).collect()
    }

    /// Pairs of numbers with a correlation above 0.95.
    pub fn correlated(&self) -> Vec<(&str, &str, f64)> {
        let (all, name) = (self.correlations(), |k: usize| &*self.estimates[k].name);
        let pairs = (0..all.len()).flat_map(|a| (a + 1..all.len()).map(move |b| (a, b)));
        let near = pairs.filter_map(|(a, b)| Some((name(a), name(b), all[a][b]?)));
        near.filter(|(.., correlation)| correlation.abs() > CORRELATED).collect()
    }
}

/// The residuals as they are, and the derivatives; with a robust loss both have its weight in a
/// solution.
fn plain<M: Motions>(course: &mut Course<M>, solution: &mut Solution) -> Result<Vec<f64>, M::Error> {
    let loss = std::mem::take(&mut course.loss);
    if loss != Loss::Squares {
        let found = course.evaluate(&solution.x)?.residuals;
        solution.slopes = course.linearize(&solution.x)?;
        course.loss = loss;
        return Ok(found);
    }
    Ok(solution.residuals.clone())
}

pub(super) fn estimate<M: Motions>(
    course: &mut Course<M>,
    mut solution: Solution,
    other: Option<Minimum>,
) -> Result<Fitted, M::Error> {
    let plain = plain(course, &mut solution)?;
    let smooth =
        if solution.status == Status::Stopped { Smooth::new() } else { smooth(course, &solution.x)? };
    let course = &*course;
    let Solution { x, .. } = &solution;
    // Priors stand behind the samples, and jumps behind them.
    let samples = course.samples().count();
    let rows = samples + course.priors.len();
    let residuals = &solution.residuals[..rows];
    let free = course.free;
    let bound = |index: usize| {
        course.unknowns[index].bounds.into_iter().find(|bound| (bound - x[index]).abs() == 0.0)
    };
    let moving: Vec<usize> = (0..free).filter(|index| bound(*index).is_none()).collect();
    let units = units(course, &solution);
    let basis = continuous(course, &solution, &moving, &units);
    let mut jacobian = &in_units(&solution.slopes.residuals, &units) * &basis;
    let pulls = plain[..samples].iter().map(|r| course.loss.of(*r).pull);
    let [square, slope] =
        pulls.fold([0.0; 2], |[square, all], [pull, slope]| [square + pull * pull, all + slope]);
    let slope = slope.max(f64::EPSILON) / samples.max(1) as f64;
    let is_robust = course.loss != Loss::Squares;
    if is_robust {
        jacobian.rows_mut(0, samples).scale_mut(slope.sqrt());
    }
    let (values, v_t) = decomposed(&jacobian);
    let [most, least] = [values.first(), values.last()].map(|value| *value.unwrap_or(&1.0));
    let all = &v_t * basis.rows(0, free).transpose();
    let is_known = |k: &usize| values[*k] > SINGULAR * most;
    let (known, lost): (Vec<usize>, Vec<usize>) = (0..values.len()).partition(is_known);
    let quality = Quality::of(course, residuals, known.len());
    // G M Gᵀ with G = V Σ⁻¹ and M = Uᵀ Ω U: the rows of a robust loss have the weights ψ̄² / ψ̄′ (P. J.
    // Huber, Robust Statistics, 1981, section 7.6), samples without a given σ have its estimate.
    let half = DMatrix::from_fn(free, known.len(), |a, k| all[(known[k], a)] / (values[known[k]] * units[a]));
    let spread = if course.has_sigma { 1.0 } else { quality.sigma };
    let mut covariance = if is_robust {
        let directions =
            DMatrix::from_fn(moving.len(), known.len(), |a, k| v_t[(known[k], a)] / values[known[k]]);
        let mut left = jacobian * directions;
        let weight = square / (quality.degrees.max(1) as f64 * slope);
        left.rows_mut(0, samples).scale_mut(weight.sqrt());
        &half * (left.transpose() * left) * half.transpose()
    } else {
        &half * half.transpose() * (spread * spread)
    };
    covariance.fill_lower_triangle_with_upper_triangle();
    let has_part = |row: &dyn Fn(usize) -> f64, k: usize, part: f64| {
        let largest = (0..free).fold(0.0_f64, |most, k| most.max(row(k).abs()));
        row(k).abs() > part * largest
    };
    let is_lost = |k: usize| lost.iter().any(|row| has_part(&|k| all[(*row, k)], k, LOST));
    let shown = |k: usize| course.unknowns[k].shown.clone();
    let undetermined = lost.iter().map(|row| {
        let row = |k: usize| all[(*row, k)];
        let change = |k: usize| {
            let value = x[k].abs();
            row(k) / (units[k] * if value > 0.0 { value } else { 1.0 })
        };
        let belongs = |k: &usize| has_part(&row, *k, BELONGS) || has_part(&change, *k, BELONGS);
        let members: Vec<usize> = (0..free).filter(belongs).collect();
        let largest =
            members.iter().map(|k| change(*k)).max_by(|a, b| a.abs().total_cmp(&b.abs())).unwrap_or(1.0);
        members.into_iter().map(|k| (shown(k), change(k) / largest)).collect()
    });
    let undetermined = undetermined.collect();
    let (growth, own_start) = match solution.status {
        Status::Stopped => (1.0, None),
        _ => (course.growth(x)?, course.own_start(x, true)?),
    };
    let noise = course.has_sigma.then_some(quality.sigma).filter(|_| quality.degrees > 0);
    let doubt = doubt(course, residuals, growth, noise);
    let has_error = |k: usize| bound(k).is_none() && !is_lost(k) && doubt.is_none();
    let has_error: Vec<bool> = (0..free).map(has_error).collect();
    let entry = |a: usize, b: usize| (has_error[a] && has_error[b]).then(|| covariance[(a, b)]);
    let covariance: Vec<Vec<_>> = (0..free).map(|a| (0..free).map(|b| entry(a, b)).collect()).collect();
    let error = |k: usize| covariance[k][k].map(f64::sqrt);
    let estimate = |k: usize| {
        let (value, error) = (x[k], error(k));
        let printed = error.map_or_else(|| value.to_string(), |error| concise(value, error));
        Estimate { name: shown(k), value, printed, error, bound: bound(k) }
    };
    let estimates = (0..free).map(estimate).collect();
    let condition = if least > 0.0 { most / least } else { f64::INFINITY };
    let between = course.samples().filter(|(_, sample)| sample.is_between).count();
    let curves = curves(course, &plain, spread, smooth);
    let follows = course.following(own_start.as_ref());
    let Solution { x, iterations, status, .. } = solution;
    Ok(Fitted {
        estimates,
        covariance,
        quality,
        condition,
        undetermined,
        curves,
        between,
        x,
        iterations,
        status,
        follows,
        growth,
        doubt,
        other,
    })
}

/// The singular values of a matrix, and Vᵀ.
fn decomposed(matrix: &DMatrix<f64>) -> (Vec<f64>, DMatrix<f64>) {
    let width = matrix.ncols();
    // Where all numbers stand at bounds there is nothing to decompose.
    let found = (width > 0)
        .then(|| SVD::try_new(matrix.clone().qr().r(), false, true, 5.0 * f64::EPSILON, ROUNDS * width));
    match found.flatten() {
        Some(SVD { singular_values, v_t: Some(v_t), .. }) => (singular_values.iter().copied().collect(), v_t),
        // Nothing is known of their directions.
        _ => (vec![0.0; width], DMatrix::identity(width, width)),
    }
}

/// The norm of the derivatives by each unknown, where a jump counts as one sample; 1 without any.
fn units<M: Motions>(course: &Course<M>, solution: &Solution) -> Vec<f64> {
    let Slopes { residuals, constraints } = &solution.slopes;
    let mut squares = vec![0.0; solution.x.len()];
    for (matrix, scale) in [(residuals, 1.0), (constraints, course.scale())] {
        matrix.triplet_iter().for_each(|(_, column, value)| squares[column] += (scale * value).powi(2));
    }
    squares.into_iter().map(|square| if square > 0.0 { square.sqrt() } else { 1.0 }).collect()
}

fn in_units(matrix: &CsrMatrix<f64>, units: &[f64]) -> CsrMatrix<f64> {
    let mut matrix = matrix.clone();
    matrix.triplet_iter_mut().for_each(|(_, column, value)| *value /= units[column]);
    matrix
}

/// A basis of the changes of all unknowns that keep the motion continuous, orthonormal at each cut anew:
/// its directions would become parallel as the motion amplifies them (S. K. Godunov, On the numerical
/// solution of boundary value problems for systems of linear ordinary differential equations, 1961).
fn continuous<M: Motions>(
    course: &Course<M>,
    solution: &Solution,
    moving: &[usize],
    units: &[f64],
) -> DMatrix<f64> {
    let jumps = in_units(&solution.slopes.constraints, units);
    let mut basis = DMatrix::zeros(units.len(), moving.len());
    moving.iter().enumerate().for_each(|(k, unknown)| basis[(*unknown, k)] = 1.0);
    // The state at a cut follows from the piece before, whose state is known by then.
    for piece in course.joints() {
        for (cut, _) in course.joined(piece) {
            let Some(row) = jumps.get_row(cut - course.free) else { continue };
            let entries = row.col_indices().iter().zip(row.values());
            for (&column, &slope) in entries.filter(|(column, _)| **column != cut) {
                for k in 0..moving.len() {
                    basis[(cut, k)] += units[cut] * slope * basis[(column, k)];
                }
            }
        }
        basis = basis.qr().q();
    }
    basis
}

/// A value with two digits of its error: 12.345(67), 12.3(1.2), 1.23(12)e5.
fn concise(value: f64, error: f64) -> String {
    let exponent = |number: f64| -> i32 {
        let text = format!("{number:.1e}");
        text.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or_default()
    };
    if !(value.is_finite() && error.is_finite() && error > 0.0) {
        return value.to_string();
    }
    // The place of the last digit, and the power of ten that stands behind.
    let last = exponent(error) - 1;
    let size = exponent(value).max(last + 1);
    let power = if last > 0 || size < -4 { size } else { 0 };
    let (unit, places) = (10.0_f64.powi(power), (power - last).unsigned_abs() as usize);
    let error = error / unit;
    let digits = if error < 1.0 { 10.0_f64.powi(power - last) } else { 1.0 };
    let error = format!("{:.*}", if error < 1.0 { 0 } else { places }, error * digits);
    let behind = if power == 0 { String::new() } else { format!("e{power}") };
    let value = format!("{:.places$}", value / unit);
    let is_zero = value.bytes().all(|byte| b"-0.".contains(&byte));
    format!("{}({error}){behind}", if is_zero { value.trim_start_matches('-') } else { &value })
}
