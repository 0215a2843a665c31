use super::substep::Substep;
use crate::binding::threads::first_not_finite;
pub(crate) use crate::error::ForceError;
use crate::error::{FailedStep, StartError, StepError};
use crate::sparse::{FactorError, SolveError};
use crate::system::{Constrained, Layout, System};

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
/// The name of G M⁻¹ Gᵀ.
pub(super) const OF_ROWS: &str = "the constraint matrix G M⁻¹ Gᵀ";
const NO_POSITION: &str = "the configuration is singular, or not finite: try a smaller step";
const DRIVEN: &str = "forces that grow with the velocity outweigh the mass; try a smaller step";
const NOT_KEPT: &str = "a constraint may jump or bend on the way, contradict the others or hold the system fast there; try a smaller \
     step";
const NO_VALUE: &str =
    "a force has no value on the way; try a smaller step, or look where its terms are singular";
pub(super) const SMALLER: &str = "try a smaller step";

impl ForceError {
    /// The row, or the degree of freedom.
    pub(super) fn index_mut(&mut self) -> Option<&mut usize> {
        match self {
            Self::Singular { error: FactorError { index, .. }, .. }
            | Self::Unsolved { error: SolveError { index, .. }, .. }
            | Self::NotFinite { index }
            | Self::Turned { index, .. }
            | Self::Leap { index, .. }
            | Self::OutOfReach { index, .. }
            | Self::RowNotKept { index, .. }
            | Self::NotConverged { index, .. } => Some(index),
            _ => None,
        }
    }

    /// With the index of a whole system, from the index among some of its coordinates.
    #[cold]
    pub(super) fn renumbered(mut self, of: impl Fn(usize) -> usize) -> Self {
        if !matches!(self, Self::RowNotKept { .. } | Self::Leap { .. } | Self::Turned { .. })
            && let Some(index) = self.index_mut()
        {
            *index = of(*index);
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

    /// [`Self::in_step`] on the constraint manifold of a system.
    #[cold]
    pub(super) fn in_step_on<S: Constrained + ?Sized>(
        self,
        system: &S,
        method: &'static str,
        substep: &Substep,
        time: f64,
    ) -> StepError {
        let (n, layout) = (system.dimension(), system.layout());
        let remedy =
            if matches!(self, Self::Singular { matrix: OF_ROWS, .. }) { NO_POSITION } else { DRIVEN };
        let name = |index: usize| {
            index.checked_sub(n).map_or_else(|| layout.name_of(index), |row| system.constraint_name(row))
        };
        self.in_step(method, name, substep, time, remedy)
    }

    /// Compiled once for all types of `place`.
    fn in_named_step(
        mut self,
        method: &'static str,
        place: &dyn Fn(usize) -> String,
        substep: &Substep,
        time: f64,
        of_matrix: &'static str,
    ) -> StepError {
        let remedy = match self {
            Self::NotFinite { .. } => NO_VALUE,
            Self::RowNotKept { .. } => NOT_KEPT,
            Self::Singular { .. } | Self::Unsolved { .. } => of_matrix,
            _ => SMALLER,
        };
        let place = self.index_mut().map_or_else(String::new, |index| place(*index));
        self.at(method, place, substep, time, remedy)
    }

    /// The error of a step that begins at `time`, without a place.
    #[cold]
    pub(super) fn of_step(self, method: &'static str, substep: &Substep, time: f64) -> StepError {
        self.at(method, String::new(), substep, time, SMALLER)
    }

    /// The error of a step that begins at `time`, with this advice.
    pub(super) fn at(
        self,
        method: &'static str,
        place: String,
        &Substep { number: step, size, .. }: &Substep,
        time: f64,
        remedy: &'static str,
    ) -> StepError {
        StepError::Failed(Box::new(FailedStep { method, step, time, size, cause: self, place, remedy }))
    }
}

/// The error of a matrix without factors, or without memory, before the first step: its pivot and row.
#[cold]
pub(super) fn no_factors(
    system: &(impl System + ?Sized),
    matrix: &'static str,
    (pivot, index): (f64, usize),
) -> StartError {
    let (place, system) = (system.layout().name_of(index), system.name().to_owned());
    StartError::Singular { system, matrix, pivot, place }
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
        ForceError::Leap { index, size: residual, .. } => {
            StartError::OffConstraints { equation: place(index), residual, tolerance: 0.0 }
        }
        ForceError::RowNotKept { unknown, iterations, residual: correction, index, accepted: tolerance }
        | ForceError::NotConverged { unknown, iterations, correction, index, tolerance } => {
            let place = place(index);
            StartError::NotConverged { system, unknown, iterations, correction, place, tolerance }
        }
        _ => StartError::PotentialNotFinite { system, value: f64::NAN },
    }
}
