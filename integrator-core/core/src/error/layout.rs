//! Names and numbers that do not fit a layout.

use crate::system::Kind;
use thiserror::Error;

/// A vector that does not fit the named coordinates.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LayoutError {
    /// There is no such coordinate.
    #[error("there is no coordinate `{coordinate}`: the coordinates are `{known}`")]
    UnknownCoordinate {
        /// The given name.
        coordinate: String,
        /// The known names.
        known: String,
    },
    /// The number of values is wrong.
    #[error("`{coordinate}` takes {expected} values, but {found} were given")]
    WrongLength {
        /// The coordinate.
        coordinate: String,
        /// The number needed.
        expected: usize,
        /// The number given.
        found: usize,
    },
    /// The values are of another kind than the entries of the coordinate.
    #[error("`{coordinate}` is made of {expected:?}, not of {found:?}")]
    WrongKind {
        /// The coordinate.
        coordinate: String,
        /// The kind of its entries.
        expected: Kind,
        /// The kind of the given or requested entries.
        found: Kind,
    },
    /// The number of indices is wrong.
    #[error("`{coordinate}` takes {expected} indices, but {found} were given")]
    WrongIndices {
        /// The coordinate.
        coordinate: String,
        /// The number needed.
        expected: usize,
        /// The number given.
        found: usize,
    },
    /// An index is past the end of an array.
    #[error("index {index} is outside `{coordinate}`, whose length in dimension {dimension} is {length}")]
    IndexOutOfRange {
        /// The coordinate.
        coordinate: String,
        /// The number of the index, counted from 0 for the outermost.
        dimension: usize,
        /// The index.
        index: usize,
        /// The length of the array in that dimension.
        length: usize,
    },
    /// A value is missing.
    #[error("`{coordinate}` has not been set")]
    NotSet {
        /// The degree of freedom.
        coordinate: String,
    },
}
