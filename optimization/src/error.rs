//! Fits and controls that are refused or fail.

use thiserror::Error;

use crate::least_squares;

/// The failure of a fit or of optimal control, over the failure of a motion.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error<E> {
    /// The first guess has no motion, or a motion has no derivative.
    #[error("{0}")]
    Motion(E),
    /// A mistake in the problem, with its place and its remedy.
    #[error("{0}")]
    Mistake(String),
    /// The solver fails.
    #[error("{0}")]
    Solver(least_squares::Error<E>),
}

impl<E> From<String> for Error<E> {
    fn from(mistake: String) -> Self {
        Self::Mistake(mistake)
    }
}

impl<E> From<least_squares::Error<E>> for Error<E> {
    fn from(error: least_squares::Error<E>) -> Self {
        match error {
            least_squares::Error::Problem(error) => Self::Motion(error),
            error => Self::Solver(error),
        }
    }
}
