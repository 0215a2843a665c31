use super::{BindError, errors};
use thiserror::Error;

errors! {
    /// A quantity that a system does not have.
    #[derive(Debug, Clone, PartialEq, Error)]
    #[non_exhaustive]
    MeasureError:

    /// The system has no points, or the chosen coordinates have none.
    #[error("`{quantity}` is a quantity of points, and no coordinate of `{model}` is a Vec2 or Vec3")]
    NoPoints { quantity, model },
    /// The system is not in a periodic cell.
    #[error(
        "`{quantity}` is a quantity of points in a cell, and `{model}` has no sum over near pairs in one that repeats in all directions, \
         `within(…).periodic(cell)`, or several of them, or a penalty instead of its constraints"
    )]
    NoCell { quantity, model },
    /// The mass matrix depends on the state, or is singular.
    #[error("`{quantity}` needs a constant mass matrix with an inverse, and that of `{model}` is none")]
    NoMass { quantity, model },
    /// The potential is not known to be invariant under translations of all points.
    #[error(
        "`{quantity}` is a quantity of forces between points, and `{model}` has a term that is not known to be one: it reads where points \
         are, as a field, a wall and waves in a cell do"
    )]
    Placed { quantity, model },
    /// Constraints read a sum over near pairs.
    #[error(
        "`{quantity}` of `{model}` is not known: a constraint reads the near pairs of `{term}`, and what holds it is not known pair by pair; \
         hold it by a term of the Lagrangian instead"
    )]
    Held {
        quantity, model,
        term: String = "The sum.",
    },
    /// A term of the potential repeats with the cell, but is not a sum over near pairs.
    #[error(
        "`{quantity}` of `{model}` is not known: `{term}` depends on the cell in a way that is not declared; write pairs with `within`, and \
         molecules that are whole without `periodic`"
    )]
    Repeating {
        quantity, model,
        term: String = "The term.",
    },
    /// Too many constraints depend on each other to be counted.
    #[error(
        "the degrees of freedom of `{model}` are not known: more than {counted} of its constraints depend on others"
    )]
    Uncounted { model, counted: usize = "The number counted so far." },
    /// There are no bins, or too many.
    #[error("`{quantity}`: the number of bins is {bins}, and must be from 1 to {most}")]
    Bins { quantity, bins: usize = "The number of bins.", most: usize = "The most." },
    /// Boltzmann's constant or a distance is out of range.
    #[error("`{quantity}`: the {option} is {value}, and must be positive and finite")]
    OutOfRange { quantity, option, value: f64 = "Its value." },
    /// The pairs within a distance cannot be found.
    #[error("{0}")]
    Pairs(#[from] BindError),
}
