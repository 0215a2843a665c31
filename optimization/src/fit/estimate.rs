//! The statistics of a fit.

use std::collections::BTreeMap;

use least_action_core::drive::gradient::Following;
use nalgebra::{DMatrix, SVD};
use nalgebra_sparse::{CooMatrix, CsrMatrix};

use super::course::{Course, Place};
use super::doubt::Doubt;
use super::motions::Motions;
use crate::least_squares::{Slopes, Solution, Status};

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
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Estimate {
    /// The name, such as `masses[1]`, or `der.bob.x of FILE` with several recordings.
    pub name: String,
    /// The value.
    pub value: f64,
    /// The standard error; none at a bound, and where the data do not determine the number.
    pub error: Option<f64>,
    /// The bound at which it stands.
    pub bound: Option<f64>,
}

/// A column of data beside the motion.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Curve {
    /// The name of the recording.
    pub data: String,
    /// The column.
    pub column: String,
    /// The times of the samples.
    pub times: Vec<f64>,
    /// The samples.
    pub samples: Vec<f64>,
    /// The motion at these times.
    pub motion: Vec<f64>,
}

impl Curve {
    /// The root of the mean square of the differences.
    pub fn rms(&self) -> f64 {
        let squares = self.samples.iter().zip(&self.motion).map(|(sample, motion)| (sample - motion).powi(2));
        (squares.sum::<f64>() / self.samples.len() as f64).sqrt()
    }
}

/// The result of a fit.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Fitted {
    /// The parameters and the entries of starts that were free.
    pub estimates: Vec<Estimate>,
    /// σ: the root of |r|² by the degrees of freedom. With given standard deviations it is near 1 where
    /// the model is right, and the errors do not depend on it; without, it is the estimate of σ.
    pub sigma: f64,
    /// The number of samples less the number of determined unknowns.
    pub degrees: usize,
    /// Pairs of numbers with a correlation above 0.95.
    pub correlations: Vec<(String, String, f64)>,
    /// The condition number of the derivatives along continuous motions, each unknown in its own unit.
    pub condition: f64,
    /// Directions in which the numbers can change together and the samples do not: for each number its
    /// relative change, or its change where it is zero.
    pub undetermined: Vec<Vec<(String, f64)>>,
    /// The columns of the data beside the motion.
    pub curves: Vec<Curve>,
    /// The number of samples between two steps, where the motion is a cubic.
    pub between: usize,
    /// All unknowns, to go on from.
    pub x: Vec<f64>,
    /// The number of steps of the solver.
    pub iterations: usize,
    /// The reason for their end.
    pub status: Status,
    /// The names of the free parameters that the model's own start follows.
    pub follows: Vec<String>,
    /// The largest factor by which a segment amplifies a change of its start.
    pub growth: f64,
    /// The reason not to believe the numbers, which have no errors then.
    pub doubt: Option<Doubt>,
}

impl Fitted {
    /// The value of a number by its name.
    pub fn value(&self, name: &str) -> Option<f64> {
        self.estimates.iter().find(|estimate| estimate.name == name).map(|estimate| estimate.value)
    }
}

pub(super) fn estimate<M: Motions>(course: &Course<M>, solution: Solution) -> Result<Fitted, M::Error> {
    let Solution { x, .. } = &solution;
    // Jumps stand behind the samples.
    let samples = course.pieces.iter().map(|piece| piece.samples.len()).sum();
    let residuals = &solution.residuals[..samples];
    let free = course.free;
    let bound = |index: usize| {
        course.unknowns[index].bounds.into_iter().find(|bound| (bound - x[index]).abs() == 0.0)
    };
    let moving: Vec<usize> = (0..free).filter(|index| bound(*index).is_none()).collect();
    let units = units(course, &solution);
    let basis = continuous(course, &solution, &moving, &units);
    let jacobian = &in_units(&solution.slopes.residuals, &units) * &basis;
    // Where all numbers stand at bounds there is nothing to decompose.
    let (values, directions) = if moving.is_empty() {
        (Vec::new(), None)
    } else {
        let all = basis.rows(0, free).transpose();
        match SVD::try_new(jacobian.qr().r(), false, true, 5.0 * f64::EPSILON, ROUNDS * moving.len()) {
            Some(found) => (found.singular_values.iter().copied().collect(), found.v_t.map(|v_t| v_t * all)),
            // Nothing is known of their directions.
            None => (vec![0.0; moving.len()], Some(all)),
        }
    };
    let [most, least] = [values.first(), values.last()].map(|value| *value.unwrap_or(&1.0));
    let rows = directions.iter().flat_map(|all| all.row_iter().map(|row| row.iter().copied().collect()));
    let rows: Vec<Vec<f64>> = rows.collect();
    let (known, lost): (Vec<_>, Vec<_>) =
        values.iter().zip(&rows).partition(|(value, _)| **value > SINGULAR * most);
    let degrees = residuals.len() - known.len();
    let square = residuals.iter().map(|r| r * r).sum::<f64>();
    let sigma = if degrees > 0 { (square / degrees as f64).sqrt() } else { 0.0 };
    let spread = if course.has_sigma { 1.0 } else { sigma };
    let covariance = |a: usize, b: usize| -> f64 {
        let terms = known.iter().map(|(value, row)| row[a] * row[b] / (*value * *value));
        spread * spread * terms.sum::<f64>() / (units[a] * units[b])
    };
    let has_part = |row: &[f64], k: usize, part: f64| {
        let largest = row.iter().fold(0.0_f64, |most, entry| most.max(entry.abs()));
        row[k].abs() > part * largest
    };
    let is_lost = |k: usize| lost.iter().any(|(_, row)| has_part(row, k, LOST));
    let shown = |k: usize| course.unknowns[k].shown.clone();
    let undetermined = lost.iter().map(|(_, row)| {
        let change = |k: usize| {
            let value = x[k].abs();
            row[k] / (units[k] * if value > 0.0 { value } else { 1.0 })
        };
        let changes: Vec<f64> = (0..free).map(change).collect();
        let belongs = |k: &usize| has_part(row, *k, BELONGS) || has_part(&changes, *k, BELONGS);
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
    let noise = course.has_sigma.then_some(sigma).filter(|_| degrees > 0);
    let doubt = Doubt::of(course, residuals, growth, noise);
    let is_known = |k: usize| bound(k).is_none() && !is_lost(k) && doubt.is_none();
    let errors: Vec<Option<f64>> = (0..free).map(|k| is_known(k).then(|| covariance(k, k).sqrt())).collect();
    let mut correlations = Vec::new();
    for (a, b) in (0..free).flat_map(|a| (a + 1..free).map(move |b| (a, b))) {
        let (Some(of_a), Some(of_b)) = (errors[a], errors[b]) else { continue };
        let correlation = covariance(a, b) / (of_a * of_b);
        if correlation.abs() > CORRELATED {
            correlations.push((shown(a), shown(b), correlation));
        }
    }
    let estimate = |(k, error)| Estimate { name: shown(k), value: x[k], error, bound: bound(k) };
    let estimates = errors.into_iter().enumerate().map(estimate).collect();
    let condition = if least > 0.0 { most / least } else { f64::INFINITY };
    let between =
        course.pieces.iter().flat_map(|piece| &piece.samples).filter(|sample| sample.is_between).count();
    let curves = curves(course, residuals);
    let parameters = own_start.iter().flat_map(Following::parameters);
    let follows = parameters.flat_map(|index| {
        course
            .unknowns
            .iter()
            .filter(move |own| own.place == Place::Parameter(index))
            .map(|own| own.shown.clone())
    });
    let follows = follows.collect();
    let Solution { x, iterations, status, .. } = solution;
    Ok(Fitted {
        estimates,
        sigma,
        degrees,
        correlations,
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
    })
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

fn in_units(matrix: &CooMatrix<f64>, units: &[f64]) -> CsrMatrix<f64> {
    let mut matrix = CsrMatrix::from(matrix);
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

fn curves<M>(course: &Course<M>, residuals: &[f64]) -> Vec<Curve> {
    let mut curves = BTreeMap::new();
    let samples =
        course.pieces.iter().flat_map(|piece| piece.samples.iter().map(move |sample| (piece, sample)));
    for ((piece, sample), residual) in samples.zip(residuals) {
        let curve = curves.entry((piece.recording, sample.column)).or_insert_with(|| Curve {
            data: course.names[piece.recording].clone(),
            column: piece.columns[sample.column].clone(),
            times: Vec::new(),
            samples: Vec::new(),
            motion: Vec::new(),
        });
        curve.times.push(sample.time);
        curve.samples.push(sample.value);
        curve.motion.push(sample.value + residual / sample.scale);
    }
    curves.into_values().collect()
}
