//! Failed projections onto constraints.

use super::{SlowManifoldError, StartError, errors};
use thiserror::Error;

errors! {
    /// Positions or velocities that cannot be projected onto the constraints.
    #[derive(Debug, Clone, PartialEq, Error)]
    #[non_exhaustive]
    ProjectionError:

    /// The positions or velocities do not fit the system, or are not finite.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The constraints depend on each other here.
    #[error(
        "the matrix of the constraints is singular in `{equation}` (pivot {pivot:.3e}): the configuration is singular, or \
         not finite"
    )]
    Redundant { equation: String = "The equation.", pivot: f64 = "The pivot." },
    /// The slow manifold was not reached.
    #[error(transparent)]
    NotSlow(#[from] Box<SlowManifoldError>),
    /// No point of the constraint manifold was found.
    #[error(
        "the projection did not converge: after {iterations} iterations `{equation}` is {residual:.3e} (tolerance \
         {tolerance:.1e}); start nearer to the constraints, or with a larger tolerance"
    )]
    NotConverged {
        iterations,
        equation: String = "The most violated equation.",
        residual: f64 = "The value g_c of the equation.",
        tolerance: f64 = "The largest accepted residual.",
    },
}
