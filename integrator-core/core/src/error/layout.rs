//! Names and numbers that do not fit a layout.

use super::errors;
use crate::system::Kind;
use thiserror::Error;

errors! {
    /// A vector that does not fit the named coordinates.
    #[derive(Debug, Clone, PartialEq, Eq, Error)]
    #[non_exhaustive]
    LayoutError:

    /// There is no such coordinate.
    #[error("there is no coordinate `{coordinate}`: the coordinates are `{known}`")]
    UnknownCoordinate { coordinate: String = "The given name.", known: String = "The known names." },
    /// The number of values is wrong.
    #[error("`{coordinate}` takes {expected} values, but {found} were given")]
    WrongLength { coordinate, expected: usize = "The number needed.", found: usize = "The number given." },
    /// The values are of another kind than the entries of the coordinate.
    #[error("`{coordinate}` is made of {expected:?}, not of {found:?}")]
    WrongKind {
        coordinate,
        expected: Kind = "The kind of its entries.",
        found: Kind = "The kind of the given or requested entries.",
    },
    /// The number of indices is wrong.
    #[error("`{coordinate}` takes {expected} indices, but {found} were given")]
    WrongIndices { coordinate, expected: usize = "The number needed.", found: usize = "The number given." },
    /// An index is past the end of an array.
    #[error("index {index} is outside `{coordinate}`, whose length in dimension {dimension} is {length}")]
    IndexOutOfRange {
        coordinate,
        dimension: usize = "The number of the index, counted from 0 for the outermost.",
        index: usize = "The index.",
        length: usize = "The length of the array in that dimension.",
    },
    /// A value is missing.
    #[error("`{coordinate}` has not been set")]
    NotSet { coordinate: String = "The degree of freedom." },
}
