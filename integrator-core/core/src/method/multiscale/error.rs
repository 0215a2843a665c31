use super::window::Window;
use crate::error::StepError;
use crate::method::flow::Substep;
use crate::method::force_error::ForceError;
use crate::system::System;

/// The reason why the fast motion could not be followed through a window.
#[derive(Debug)]
pub struct MicroError(MultiscaleCause);

#[derive(Debug)]
enum MultiscaleCause {
    /// A force or a mass matrix.
    Force(ForceError),
    /// The constraints have no solution at a micro-step, counted from 1.
    Constraint { failure: ForceError, micro_step: usize },
}

impl From<ForceError> for MicroError {
    fn from(error: ForceError) -> Self {
        Self(MultiscaleCause::Force(error))
    }
}

impl MicroError {
    /// The constraints have no solution at a micro-step, counted from 1.
    pub(super) fn constraint(failure: ForceError, micro_step: usize) -> Self {
        Self(MultiscaleCause::Constraint { failure, micro_step })
    }

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
        let (micro_step, reason) = match self.0 {
            MultiscaleCause::Force(ForceError::NotFinite { index }) => {
                (None, format!("`{}` is not finite", system.layout().name_of(index)))
            }
            MultiscaleCause::Force(error) => {
                return error.in_step_of(method, system.layout(), substep, time);
            }
            MultiscaleCause::Constraint { failure, micro_step } => {
                (Some(micro_step), reason(failure, &names))
            }
        };
        StepError::FastMotion {
            method,
            step,
            time,
            place: micro_step.map_or_else(String::new, |k| format!(" at micro-step {k}")),
            reason,
            per_period: window.per_period(),
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
