//! The statistics of a fit.

use nalgebra::{DMatrix, SVD};

use super::course::Course;
use super::motions::Motions;
use crate::least_squares::{Solution, Status};

/// The part of the largest singular value below which the data do not determine a direction.
const SINGULAR: f64 = 1e-11;
/// The correlation from which two numbers are named.
const CORRELATED: f64 = 0.95;
/// The part of the largest entry from which a number belongs to a direction.
const BELONGS: f64 = 0.05;

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
    /// The condition number of the derivatives, each number in units of its column.
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
}

impl Fitted {
    /// The value of a number by its name.
    pub fn value(&self, name: &str) -> Option<f64> {
        self.estimates.iter().find(|estimate| estimate.name == name).map(|estimate| estimate.value)
    }
}

pub(super) fn estimate<M: Motions>(course: &Course<M>, solution: Solution) -> Fitted {
    let Solution { x, .. } = &solution;
    // Jumps stand behind the samples.
    let samples = course.pieces.iter().map(|piece| piece.samples.len()).sum();
    let residuals = &solution.residuals[..samples];
    let free = course.free;
    let bound = |index: usize| course.unknowns[index].bounds.into_iter().find(|bound| *bound == x[index]);
    let moving: Vec<usize> = (0..free).filter(|index| bound(*index).is_none()).collect();
    let jacobian = reduced(course, &solution, &moving);
    let norms: Vec<f64> = jacobian.column_iter().map(|column| column.norm()).collect();
    let unit = |norm: f64| if norm > 0.0 { norm } else { 1.0 };
    let scaled =
        DMatrix::from_fn(jacobian.nrows(), norms.len(), |row, k| jacobian[(row, k)] / unit(norms[k]));
    let SVD { singular_values, v_t, .. } =
        if scaled.nrows() > scaled.ncols() { scaled.qr().r() } else { scaled }.svd(false, true);
    let (most, least) = (singular_values.max(), singular_values.min());
    let rows: Vec<Vec<f64>> =
        v_t.map_or_else(Vec::new, |v_t| v_t.row_iter().map(|row| row.iter().copied().collect()).collect());
    let (known, lost): (Vec<_>, Vec<_>) =
        singular_values.iter().zip(&rows).partition(|(value, _)| **value > SINGULAR * most);
    let degrees = residuals.len() - known.len();
    let square = residuals.iter().map(|r| r * r).sum::<f64>();
    let sigma = if degrees > 0 { (square / degrees as f64).sqrt() } else { 0.0 };
    let spread = if course.has_sigma { 1.0 } else { sigma };
    let covariance = |a: usize, b: usize| -> f64 {
        let terms = known.iter().map(|(value, row)| row[a] * row[b] / (*value * *value));
        spread * spread * terms.sum::<f64>() / (unit(norms[a]) * unit(norms[b]))
    };
    let belongs = |row: &[f64], k: usize| {
        let largest = row.iter().fold(0.0_f64, |most, entry| most.max(entry.abs()));
        row[k].abs() > BELONGS * largest
    };
    let is_lost = |k: usize| lost.iter().any(|(_, row)| belongs(row, k));
    let shown = |k: usize| course.unknowns[moving[k]].shown.clone();
    let undetermined = lost.iter().map(|(_, row)| {
        let members: Vec<usize> = (0..row.len()).filter(|k| belongs(row, *k)).collect();
        let change = |k: usize| {
            let value = x[moving[k]].abs();
            row[k] / (unit(norms[k]) * if value > 0.0 { value } else { 1.0 })
        };
        let largest =
            members.iter().map(|k| change(*k)).max_by(|a, b| a.abs().total_cmp(&b.abs())).unwrap_or(1.0);
        members.into_iter().map(|k| (shown(k), change(k) / largest)).collect()
    });
    let undetermined = undetermined.collect();
    let errors: Vec<Option<f64>> =
        (0..moving.len()).map(|k| (!is_lost(k)).then(|| covariance(k, k).sqrt())).collect();
    let mut correlations = Vec::new();
    for (a, of_a) in errors.iter().enumerate() {
        for (b, of_b) in errors.iter().enumerate().skip(a + 1) {
            if let (Some(of_a), Some(of_b)) = (of_a, of_b) {
                let correlation = covariance(a, b) / (of_a * of_b);
                if correlation.abs() > CORRELATED {
                    correlations.push((shown(a), shown(b), correlation));
                }
            }
        }
    }
    let estimate = |index: usize| {
        let error = moving.iter().position(|own| *own == index).and_then(|k| errors[k]);
        Estimate { name: course.unknowns[index].shown.clone(), value: x[index], error, bound: bound(index) }
    };
    let estimates = (0..free).map(estimate).collect();
    let condition = if least > 0.0 { most / least } else { f64::INFINITY };
    let between =
        course.pieces.iter().flat_map(|piece| &piece.samples).filter(|sample| sample.is_between).count();
    let curves = curves(course, residuals);
    let Solution { x, iterations, status, .. } = solution;
    Fitted {
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
    }
}

/// The derivatives of the residuals by free numbers, where the states at cuts follow by continuity.
fn reduced<M>(course: &Course<M>, solution: &Solution, moving: &[usize]) -> DMatrix<f64> {
    let slopes = &solution.slopes;
    let mut follow = DMatrix::<f64>::zeros(solution.x.len(), moving.len());
    moving.iter().enumerate().for_each(|(k, unknown)| follow[(*unknown, k)] = 1.0);
    // The states at a cut depend on the piece before, whose states are known by then.
    let mut terms: Vec<_> =
        slopes.constraints.triplet_iter().filter(|(row, column, _)| *column != course.free + row).collect();
    terms.sort_by_key(|(row, column, _)| (*row, *column));
    for (row, column, value) in terms {
        for k in 0..moving.len() {
            follow[(course.free + row, k)] += value * follow[(column, k)];
        }
    }
    let mut jacobian = DMatrix::zeros(slopes.residuals.nrows(), moving.len());
    for (row, column, value) in slopes.residuals.triplet_iter() {
        for k in 0..moving.len() {
            jacobian[(row, k)] += value * follow[(column, k)];
        }
    }
    jacobian
}

fn curves<M>(course: &Course<M>, residuals: &[f64]) -> Vec<Curve> {
    let mut curves: Vec<((usize, usize), Curve)> = Vec::new();
    let samples =
        course.pieces.iter().flat_map(|piece| piece.samples.iter().map(move |sample| (piece, sample)));
    for ((piece, sample), residual) in samples.zip(residuals) {
        let key = (piece.recording, sample.column);
        let place = curves.iter().position(|(own, _)| *own == key).unwrap_or_else(|| {
            let (data, column) =
                (course.names[piece.recording].clone(), piece.columns[sample.column].clone());
            curves.push((
                key,
                Curve { data, column, times: Vec::new(), samples: Vec::new(), motion: Vec::new() },
            ));
            curves.len() - 1
        });
        let curve = &mut curves[place].1;
        curve.times.push(sample.time);
        curve.samples.push(sample.value);
        curve.motion.push(sample.value + residual / sample.scale);
    }
    curves.sort_by_key(|(key, _)| *key);
    curves.into_iter().map(|(_, curve)| curve).collect()
}
