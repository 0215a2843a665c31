use super::window::Window;
use crate::error::StepError;
use crate::method::flow::Substep;
use crate::method::force_error::ForceError;
use crate::system::System;

/// The reason why the fast motion could not be followed through a window.
#[derive(Debug)]
pub struct MicroError {
    pub(super) error: ForceError,
    /// The micro-step, counted from 1, at which the constraints have no solution.
    /// `None` for a force or a mass matrix.
    pub(super) micro_step: Option<usize>,
}

impl From<ForceError> for MicroError {
    fn from(error: ForceError) -> Self {
        Self { error, micro_step: None }
    }
}

impl MicroError {
    /// The error of the macro-step that begins at `time`.
    pub(super) fn in_step<S: System + ?Sized>(
        self,
        system: &S,
        method: &'static str,
        substep: &Substep,
        time: f64,
        window: &Window,
    ) -> StepError {
        let names = |row: usize| {
            system
                .holonomic()
                .map_or_else(String::new, |holonomic| holonomic.constraint_name(row - system.dimension()))
        };
        let step = substep.number;
        let Self { error, micro_step } = self;
        let reason = match (error, micro_step) {
            (_, Some(_)) => reason(error, &names),
            (ForceError::NotFinite { index }, None) => {
                format!("`{}` is not finite", system.layout().name_of(index))
            }
            _ => return error.in_step_of(method, system.layout(), substep, time),
        };
        StepError::FastMotion {
            method,
            step,
            time,
            place: micro_step.map_or_else(String::new, |k| format!(" at micro-step {k}")),
            reason,
            per_period: window.per_period,
        }
    }
}

/// Describes the failure of the constraints in a micro-step.
fn reason(failure: ForceError, names: &dyn Fn(usize) -> String) -> String {
    match failure {
        ForceError::Singular { error, .. } => {
            format!("the constraint `{}` depends on the others", names(error.index))
        }
        ForceError::Turned { index, .. } => {
            format!("the constraint `{}` turned by more than a right angle", names(index))
        }
        ForceError::Leap { index, .. } => format!("the constraint `{}` leaps", names(index)),
        ForceError::RowNotKept { index, residual, .. } => {
            format!("Newton's method left `{}` at {residual:.3e}", names(index))
        }
        _ => "the constraints are not finite".to_owned(),
    }
}
