//! Failed projections onto a slow manifold.

use super::{ForceError, errors};
use crate::system::State;
use thiserror::Error;

errors! {
    /// IPA did not reach the slow manifold; the last iterate is kept.
    #[derive(Debug, Clone, PartialEq, Error)]
    #[non_exhaustive]
    SlowManifoldError:

    /// The iterates still change.
    #[error(
        "the projection onto the slow manifold did not converge: iteration {iterations} changes `{place}` by {change:.3e}, \
         {contraction:.2} times as much as the one before (tolerance {tolerance:.1e}): {remedy}"
    )]
    NotConverged {
        iterations,
        place: String = "The entry of the fast part that changes most.",
        change: f64 = "The change of that entry in the last iteration.",
        contraction: f64 = "The last change divided by the one before.",
        tolerance: f64 = "The largest accepted change.",
        remedy: &'static str = "The advice for another attempt.",
        last: State = "The last iterate.",
    },
    /// The micro-integration fails, as where it blows up.
    #[error("the projection onto the slow manifold failed: {}", told(cause, place, *iteration))]
    Failed {
        iteration: u32 = "The number of the iteration, counted from 1.",
        cause: ForceError = "The cause.",
        place: String = "The degree of freedom, or the equation.",
        last: State = "The last iterate.",
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
