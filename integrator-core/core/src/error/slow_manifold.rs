//! Failed projections onto a slow manifold.

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
    /// The micro-integration blows up.
    #[error(
        "the projection onto the slow manifold failed: `{coordinate}` is not finite in iteration {iteration}; start nearer to \
         the slow manifold, or take more micro-steps in a period, which keep the micro-step below the stability limit"
    )]
    NotFinite {
        /// The number of the iteration, counted from 1.
        iteration: u32,
        /// The degree of freedom.
        coordinate: String,
        /// The last iterate.
        last: State,
    },
    /// A matrix could not be factored.
    #[error(
        "the projection onto the slow manifold failed: {matrix} is singular or indefinite in iteration {iteration} (pivot \
         {pivot:.3e} at `{place}`)"
    )]
    Singular {
        /// The number of the iteration, counted from 1.
        iteration: u32,
        /// The name of the matrix.
        matrix: &'static str,
        /// The pivot.
        pivot: f64,
        /// The degree of freedom or equation of the pivot.
        place: String,
        /// The last iterate.
        last: State,
    },
    /// A linear system has no accurate solution.
    #[error(
        "the projection onto the slow manifold failed: {matrix} is singular to working precision in iteration {iteration} \
         (relative residual {residual:.3e}, worst in `{place}`)"
    )]
    Unsolved {
        /// The number of the iteration, counted from 1.
        iteration: u32,
        /// The name of the matrix.
        matrix: &'static str,
        /// The relative residual.
        residual: f64,
        /// The degree of freedom or equation where the residual is largest.
        place: String,
        /// The last iterate.
        last: State,
    },
}

impl SlowManifoldError {
    /// The last iterate.
    pub fn last(&self) -> &State {
        match self {
            Self::NotConverged { last, .. }
            | Self::NotFinite { last, .. }
            | Self::Singular { last, .. }
            | Self::Unsolved { last, .. } => last,
        }
    }
}
