use super::flow::Substep;
use crate::binding::threads::first_not_finite;
use crate::error::{StartError, StepError};
use crate::sparse::{FactorError, SolveError};
use crate::system::Layout;

/// A force, or the solution of an implicit step, that could not be computed.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum ForceError {
    /// A matrix has no factors.
    Singular {
        /// The name of the matrix.
        matrix: &'static str,
        /// Pivot and row.
        error: FactorError,
    },
    /// A solution fails its check.
    Unsolved {
        /// The name of the matrix.
        matrix: &'static str,
        /// Residual and row.
        error: SolveError,
    },
    /// A force is infinite or not a number.
    NotFinite {
        /// The degree of freedom.
        index: usize,
    },
    /// The potential, or its slope, is infinite or not a number.
    PotentialNotFinite,
    /// The motion meets too many edges of a piecewise potential at one instant.
    Stuck,
    /// Newton's method found a motion that does not keep a constraint.
    RowNotKept {
        /// The unknowns of the equation, such as the new positions.
        unknown: &'static str,
        /// The iterations done.
        iterations: u32,
        /// The row: n and the number of the constraint.
        index: usize,
        /// The residual of the constraint.
        residual: f64,
        /// The largest residual that would be accepted.
        accepted: f64,
    },
    /// Newton's method did not converge.
    NotConverged {
        /// The unknowns of the equation, such as the new positions.
        unknown: &'static str,
        /// The iterations done.
        iterations: u32,
        /// The last correction that was asked for.
        correction: f64,
        /// The degree of freedom where it is.
        index: usize,
        /// The largest correction that would be accepted.
        tolerance: f64,
    },
}

/// Refuses values of which one is infinite or not a number.
#[inline]
pub(super) fn check_finite(values: &[f64]) -> Result<(), ForceError> {
    first_not_finite(values).map_or(Ok(()), |index| Err(ForceError::NotFinite { index }))
}

/// The remedy for a matrix without factors, in a method whose step is limited.
pub(super) const UNSTABLE: &str = "the step is probably above the stability limit, try a smaller one";
const CONTRADICTORY: &str =
    "try a smaller step, or look for constraints that contradict each other or hold the system fast there";
const SMALLER: &str = "try a smaller step, or a larger tolerance when the correction is near it";

impl ForceError {
    /// The error of the step in which it happened, which begins at `time`; `place` names the rows, `remedy` says
    /// the advice when a matrix is at fault.
    pub(super) fn in_step(
        self,
        method: &'static str,
        place: impl Fn(usize) -> String,
        substep: &Substep,
        time: f64,
        remedy: &'static str,
    ) -> StepError {
        self.in_named_step(method, &place, substep, time, remedy)
    }

    /// The same of a method whose rows are degrees of freedom, and whose step is limited.
    #[cold]
    pub(super) fn in_step_of(
        self,
        method: &'static str,
        layout: &Layout,
        substep: &Substep,
        time: f64,
    ) -> StepError {
        self.in_step(method, |index| layout.name_of(index), substep, time, UNSTABLE)
    }

    /// The error, compiled once for all types of `place`.
    fn in_named_step(
        self,
        method: &'static str,
        place: &dyn Fn(usize) -> String,
        substep: &Substep,
        time: f64,
        remedy: &'static str,
    ) -> StepError {
        let (step, size) = (substep.number, substep.size);
        match self {
            Self::Singular { matrix, error } => {
                let (pivot, place) = (error.pivot, place(error.index));
                StepError::Singular { method, matrix, step, time, pivot, place, remedy }
            }
            Self::Unsolved { matrix, error } => {
                let (residual, place) = (error.residual, place(error.index));
                StepError::Unsolved { method, matrix, step, time, residual, place, remedy }
            }
            Self::NotFinite { index } => {
                StepError::NotFinite { method, coordinate: place(index), step, time, size }
            }
            Self::PotentialNotFinite => StepError::PotentialNotFinite { method, step, time },
            Self::Stuck => StepError::Stuck { method, step, time },
            Self::RowNotKept { unknown, iterations, index, residual, accepted: tolerance } => {
                let (place, remedy) = (place(index), CONTRADICTORY);
                StepError::NotConverged {
                    method,
                    unknown,
                    step,
                    time,
                    iterations,
                    is_correction: false,
                    residual,
                    place,
                    tolerance,
                    remedy,
                }
            }
            Self::NotConverged { unknown, iterations, correction: residual, index, tolerance } => {
                let (place, remedy) = (place(index), SMALLER);
                StepError::NotConverged {
                    method,
                    unknown,
                    step,
                    time,
                    iterations,
                    is_correction: true,
                    residual,
                    place,
                    tolerance,
                    remedy,
                }
            }
        }
    }
}

/// The error of a method that failed before its first step, for a system of this name; `place` names the rows of the matrix.
pub(super) fn at_start(system: &str, place: impl Fn(usize) -> String, error: ForceError) -> StartError {
    at_named_start(system, &place, error)
}

/// The error, compiled once for all types of `place`.
fn at_named_start(system: &str, place: &dyn Fn(usize) -> String, error: ForceError) -> StartError {
    let system = system.to_owned();
    match error {
        ForceError::Singular { matrix, error } => {
            StartError::Singular { system, matrix, pivot: error.pivot, place: place(error.index) }
        }
        ForceError::Unsolved { matrix, error } => {
            StartError::Unsolved { system, matrix, residual: error.residual, place: place(error.index) }
        }
        ForceError::NotFinite { index } => {
            StartError::ForceNotFinite { coordinate: place(index), value: f64::NAN }
        }
        ForceError::PotentialNotFinite | ForceError::Stuck => {
            StartError::PotentialNotFinite { system, value: f64::NAN }
        }
        ForceError::RowNotKept { unknown, iterations, residual: correction, index, accepted: tolerance }
        | ForceError::NotConverged { unknown, iterations, correction, index, tolerance } => {
            let place = place(index);
            StartError::NotConverged { system, unknown, iterations, correction, place, tolerance }
        }
    }
}
