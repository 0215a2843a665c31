//! Failed projections onto a slow manifold.

use super::ForceError;
use crate::system::State;
use thiserror::Error;

/// IPA did not reach the slow manifold; the last iterate is kept.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum SlowManifoldError {
    /// The iterates still change.
    #[error(
        "the projection onto the slow manifold did not converge: iteration {iterations} changes `{place}` by {change:.3e}, \
         {contraction:.2} times as much as the one before (tolerance {tolerance:.1e}): {remedy}"
    )]
    NotConverged {
        /// The iterations done.
        iterations: u32,
        /// The entry of the fast part that changes most.
        place: String,
        /// The change of that entry in the last iteration.
        change: f64,
        /// The last change divided by the one before.
        contraction: f64,
        /// The largest accepted change.
        tolerance: f64,
        /// The advice for another attempt.
        remedy: &'static str,
        /// The last iterate.
        last: State,
    },
    /// The micro-integration fails, as where it blows up.
    #[error("the projection onto the slow manifold failed: {}", told(cause, place, *iteration))]
    Failed {
        /// The number of the iteration, counted from 1.
        iteration: u32,
        /// The cause.
        cause: ForceError,
        /// The degree of freedom, or the equation.
        place: String,
        /// The last iterate.
        last: State,
    },
}

fn told(cause: &ForceError, place: &str, iteration: u32) -> String {
    match cause {
        ForceError::Singular { matrix, error } => format!(
            "{matrix} is singular or indefinite in iteration {iteration} (pivot {:.3e} at `{place}`)",
            error.pivot
        ),
        ForceError::Unsolved { matrix, error } => format!(
            "{matrix} is singular to working precision in iteration {iteration} (relative residual {:.3e}, worst in `{place}`)",
            error.residual
        ),
        _ => format!(
            "`{place}` is not finite in iteration {iteration}; start nearer to the slow manifold, or take more micro-steps in a \
             period, which keep the micro-step below the stability limit"
        ),
    }
}

impl SlowManifoldError {
    /// The last iterate.
    pub fn last(&self) -> &State {
        match self {
            Self::NotConverged { last, .. } | Self::Failed { last, .. } => last,
        }
    }
}
