//! The failures of a constrained step, and their errors.

use super::leap::Leap;
use crate::error::StepError;
use crate::method::force_error::UNSTABLE;
use crate::method::half_kick::KickMatrix;
use crate::sparse::FactorError;
use crate::system::Constrained;

/// The reason why the equations of a step have no solution.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Failure {
    /// An equation depends on the others.
    Zero(FactorError),
    Turned {
        row: usize,
        cosine: f64,
    },
    /// A row jumps, or its correction goes far.
    Leap(Leap),
    NotFinite,
    /// M − c ∂F/∂v has no inverse.
    Kick(FactorError),
    KickNotConverged {
        iterations: u32,
        index: usize,
        correction: f64,
        tolerance: f64,
    },
    NotConverged {
        iterations: u32,
        row: usize,
        residual: f64,
        tolerance: f64,
    },
}

impl Failure {
    /// The error of the step that began at `time` and had reached the positions `q`.
    pub(crate) fn in_step<S: Constrained + ?Sized>(
        self,
        system: &S,
        method: &'static str,
        step: u64,
        time: f64,
        size: f64,
        q: &[f64],
    ) -> StepError {
        match self {
            Self::Zero(zero) => StepError::Singular {
                method,
                matrix: "the constraint matrix G M⁻¹ Gᵀ",
                step,
                time,
                pivot: zero.pivot,
                place: system.constraint_name(zero.index),
                remedy: "the configuration is singular, or not finite: try a smaller step",
            },
            Self::Turned { row, cosine } => StepError::Turned {
                method,
                step,
                time,
                place: system.constraint_name(row),
                degrees: cosine.clamp(-1.0, 1.0).acos().to_degrees(),
            },
            Self::Leap(Leap { row, jumps, size }) => {
                StepError::Leap { method, step, time, place: system.constraint_name(row), jumps, size }
            }
            Self::Kick(error) => StepError::Singular {
                method,
                matrix: KickMatrix::NAME,
                step,
                time,
                pivot: error.pivot,
                place: system.layout().name_of(error.index),
                remedy: UNSTABLE,
            },
            Self::KickNotConverged { iterations, index, correction, tolerance } => StepError::NotConverged {
                method,
                unknown: "the velocities between two kicks",
                step,
                time,
                iterations,
                is_correction: true,
                residual: correction,
                place: system.layout().name_of(index),
                tolerance,
                remedy: "try a smaller step",
            },
            Self::NotFinite => {
                let index = q.iter().position(|value| !value.is_finite());
                let coordinate =
                    index.map_or_else(|| system.constraint_name(0), |i| system.layout().name_of(i));
                StepError::NotFinite { method, coordinate, step, time, size }
            }
            Self::NotConverged { iterations, row, residual, tolerance } => StepError::NotConverged {
                method,
                unknown: "the multipliers",
                step,
                time,
                iterations,
                is_correction: false,
                residual,
                place: system.constraint_name(row),
                tolerance,
                remedy: "the step is probably above the stability limit, try a smaller one",
            },
        }
    }
}
