use super::BindError;
use thiserror::Error;

/// A quantity that is not known of a system.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum MeasureError {
    /// A system has no points, or the coordinates that are asked for are none.
    #[error("`{quantity}` is a quantity of points, and no coordinate of `{model}` is a Vec2 or Vec3")]
    NoPoints {
        /// The quantity.
        quantity: &'static str,
        /// The model.
        model: String,
    },
    /// A system is not in a periodic cell.
    #[error(
        "`{quantity}` is a quantity of points in a cell, and `{model}` has no sum over near pairs in one that repeats in all directions, \
         `within(…).periodic(cell)`, or several of them, or a penalty instead of its constraints"
    )]
    NoCell {
        /// The quantity.
        quantity: &'static str,
        /// The model.
        model: String,
    },
    /// A mass matrix depends on the state, or has no inverse.
    #[error("`{quantity}` needs a constant mass matrix with an inverse, and that of `{model}` is none")]
    NoMass {
        /// The quantity.
        quantity: &'static str,
        /// The model.
        model: String,
    },
    /// A potential is not free of the place of its points as a whole.
    #[error(
        "`{quantity}` is a quantity of forces between points, and `{model}` has a term that is not known to be one: it reads where points \
         are, as a field, a wall and waves in a cell do"
    )]
    Placed {
        /// The quantity.
        quantity: &'static str,
        /// The model.
        model: String,
    },
    /// Constraints read a sum over near pairs.
    #[error(
        "`{quantity}` of `{model}` is not known: a constraint reads the near pairs of `{term}`, and what holds it is not known pair by pair; \
         hold it by a term of the Lagrangian instead"
    )]
    Held {
        /// The quantity.
        quantity: &'static str,
        /// The model.
        model: String,
        /// The sum.
        term: String,
    },
    /// A term of the potential repeats itself with the cell, but is no sum over near pairs.
    #[error(
        "`{quantity}` of `{model}` is not known: `{term}` depends on the cell in a way that is not declared; write pairs with `within`, and \
         molecules that are whole without `periodic`"
    )]
    Repeating {
        /// The quantity.
        quantity: &'static str,
        /// The model.
        model: String,
        /// The term.
        term: String,
    },
    /// So many constraints depend on each other that they are not counted.
    #[error(
        "the degrees of freedom of `{model}` are not known: more than {counted} of its constraints depend on others"
    )]
    Uncounted {
        /// The model.
        model: String,
        /// The number that was counted.
        counted: usize,
    },
    /// There are no bins, or too many.
    #[error("`{quantity}`: the number of bins is {bins}, and must be from 1 to {most}")]
    Bins {
        /// The quantity.
        quantity: &'static str,
        /// The number of bins.
        bins: usize,
        /// The most.
        most: usize,
    },
    /// Boltzmann's constant or a distance is out of range.
    #[error("`{quantity}`: the {option} is {value}, and must be positive and finite")]
    OutOfRange {
        /// The quantity.
        quantity: &'static str,
        /// The option.
        option: &'static str,
        /// Its value.
        value: f64,
    },
    /// The pairs within a distance cannot be found.
    #[error("{0}")]
    Pairs(#[from] BindError),
}
