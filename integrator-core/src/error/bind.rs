//! Parameters that make no system.

use super::LayoutError;
use thiserror::Error;

/// A model instance that cannot be bound: its parameters make no system.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum BindError {
    /// An element reads past the end of a coordinate array.
    #[error("{place}: {source}")]
    IndexOutOfRange {
        /// The family that reads it.
        place: &'static str,
        /// What it reads.
        source: LayoutError,
    },
    /// An index runs past the end of an `each(…)`.
    #[error(
        "index {index} is past the end of the `each(…)` that it reads: check the parameters of the model"
    )]
    EachTooShort {
        /// The index that was asked for.
        index: usize,
    },
    /// A coefficient is infinite or not a number.
    #[error("a coefficient of {place} is {value}: check the parameters of the model")]
    CoefficientNotFinite {
        /// The family.
        place: String,
        /// Its value.
        value: f64,
    },
    /// A diagonal entry of the mass matrix is not positive.
    #[error(
        "the mass of `{coordinate}` is {value}, but it must be positive: check the parameters of `{model}`"
    )]
    MassNotPositive {
        /// The model.
        model: &'static str,
        /// The degree of freedom.
        coordinate: String,
        /// The diagonal entry.
        value: f64,
    },
    /// A force has another number of components than the coordinate that it acts on.
    #[error(
        "the force `{force}` has {found} components, but `{coordinate}`, on which it acts, has {expected}"
    )]
    ForceLength {
        /// The method.
        force: &'static str,
        /// The coordinate.
        coordinate: String,
        /// Its number of components.
        expected: usize,
        /// That of the force.
        found: usize,
    },
    /// There is nothing to move.
    #[error("`{model}` has no degrees of freedom with these parameters: the length of an array is zero")]
    Empty {
        /// The model.
        model: &'static str,
    },
    /// The coordinates cannot be numbered.
    #[error("`{coordinate}` is too long: a system can have at most {limit} degrees of freedom")]
    TooLarge {
        /// The coordinate.
        coordinate: String,
        /// The limit.
        limit: usize,
    },
}
