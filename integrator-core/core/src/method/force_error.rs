use super::flow::Substep;
use crate::binding::threads::first_not_finite;
use crate::error::{NO_VALUE, SMALLER, StartError, StepError};
use crate::sparse::{FactorError, SolveError};
use crate::system::Layout;

/// The failure of a force or of the solution of an implicit step.
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
    /// The solution of Newton's method violates a constraint.
    RowNotKept {
        /// The unknowns of the equation, such as the new positions.
        unknown: &'static str,
        /// The iterations done.
        iterations: u32,
        /// The row: n plus the number of the constraint.
        index: usize,
        /// The residual of the constraint.
        residual: f64,
        /// The largest acceptable residual.
        accepted: f64,
    },
    /// A row jumps, or its correction goes far.
    Leap {
        /// The row: n plus the number of the constraint.
        index: usize,
        /// True if the row jumps; false if its correction goes far.
        jumps: bool,
        /// The jump, or the correction relative to the motion.
        size: f64,
    },
    /// The solution of Newton's method is out of the [reach](super::reach) of the motion.
    OutOfReach {
        /// The unknowns of the equation, such as the new positions.
        unknown: &'static str,
        /// The degree of freedom that is farthest away.
        index: usize,
        /// Its distance from the guess.
        moved: f64,
        /// h |v| + h² |a|.
        motion: f64,
    },
    /// Newton's method did not converge.
    NotConverged {
        /// The unknowns of the equation, such as the new positions.
        unknown: &'static str,
        /// The iterations done.
        iterations: u32,
        /// The last correction.
        correction: f64,
        /// Its degree of freedom.
        index: usize,
        /// The largest acceptable correction.
        tolerance: f64,
    },
}

/// A part of a step, or the reason why it failed.
pub(crate) type Attempt<T = ()> = Result<T, ForceError>;

/// Refuses values if one is infinite or not a number.
#[inline]
pub(super) fn check_finite(values: &[f64]) -> Result<(), ForceError> {
    first_not_finite(values).map_or(Ok(()), |index| Err(ForceError::NotFinite { index }))
}

/// The remedies for matrices without an inverse: of a step, of its mass, and with constraints.
const OUTWEIGHED: &str =
    "forces that push away from there outweigh the mass in a step as long; try a smaller one";
const MASSLESS: &str =
    "the mass has no inverse there: give the motion kinetic energy, or constraints that hold it";
pub(super) const WITH_ROWS: &str = "the constraints there depend on each other, or hold the motion fast; try a smaller step, or other positions";
/// The name of the mass of a Lagrangian.
pub(super) const MASS: &str = "∂²L/∂v∂v";
pub(super) const CONSTANT_MASS: &str = "the mass matrix";
const CONTRADICTORY: &str =
    "try a smaller step, or look for constraints that contradict each other or hold the system fast there";

impl ForceError {
    /// With the index of a whole system, from the index among some of its coordinates.
    #[cold]
    pub(super) fn renumbered(mut self, of: impl Fn(usize) -> usize) -> Self {
        match &mut self {
            Self::Singular { error: FactorError { index, .. }, .. }
            | Self::Unsolved { error: SolveError { index, .. }, .. }
            | Self::NotFinite { index }
            | Self::OutOfReach { index, .. }
            | Self::NotConverged { index, .. } => *index = of(*index),
            Self::PotentialNotFinite | Self::Stuck | Self::RowNotKept { .. } | Self::Leap { .. } => {}
        }
        self
    }

    /// The error of a step that begins at `time`; `place` names the rows, `remedy` is the advice if a
    /// matrix is at fault.
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

    /// [`Self::in_step`] for a method whose rows are degrees of freedom and whose step is limited.
    #[cold]
    pub(super) fn in_step_of(
        self,
        method: &'static str,
        layout: &Layout,
        substep: &Substep,
        time: f64,
    ) -> StepError {
        let singular = matches!(self, Self::Singular { matrix: MASS | CONSTANT_MASS, .. });
        let remedy = if singular { MASSLESS } else { OUTWEIGHED };
        self.in_step(method, |index| layout.name_of(index), substep, time, remedy)
    }

    /// Compiled once for all types of `place`.
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
                StepError::NotFinite { method, coordinate: place(index), step, time, size, cause: NO_VALUE }
            }
            Self::Leap { index, jumps, size } => {
                StepError::Leap { method, step, time, place: place(index), jumps, size }
            }
            Self::PotentialNotFinite => StepError::PotentialNotFinite { method, step, time },
            Self::Stuck => StepError::Stuck { method, step, time },
            Self::OutOfReach { unknown, index, moved, motion } => {
                StepError::OutOfReach { method, unknown, place: place(index), step, time, moved, motion }
            }
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

/// The error of a method before its first step, on this system; `place` names the rows of the matrix.
pub(super) fn at_start(system: &str, place: impl Fn(usize) -> String, error: ForceError) -> StartError {
    at_named_start(system, &place, error)
}

/// Compiled once for all types of `place`.
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
        ForceError::PotentialNotFinite | ForceError::Stuck | ForceError::OutOfReach { .. } => {
            StartError::PotentialNotFinite { system, value: f64::NAN }
        }
        ForceError::Leap { index, size: residual, .. } => {
            StartError::OffConstraints { equation: place(index), residual, tolerance: 0.0 }
        }
        ForceError::RowNotKept { unknown, iterations, residual: correction, index, accepted: tolerance }
        | ForceError::NotConverged { unknown, iterations, correction, index, tolerance } => {
            let place = place(index);
            StartError::NotConverged { system, unknown, iterations, correction, place, tolerance }
        }
    }
}
