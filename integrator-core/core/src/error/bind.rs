//! Parameters that make no system.

use super::{LayoutError, errors};
use crate::system::cell::Cell;
use thiserror::Error;

errors! {
    /// A model instance that cannot be bound: its parameters make no system.
    #[derive(Debug, Clone, PartialEq, Error)]
    #[non_exhaustive]
    BindError:

    /// An element reads past the end of a coordinate array.
    #[error("{}: {source}", beginning(place))]
    IndexOutOfRange {
        place: String = "The family that reads it.",
        source: LayoutError = "The coordinate and the index that the element reads.",
    },
    /// An index runs past the end of an `each(…)`.
    #[error(
        "index {index} is past the end of the `each(…)` that it reads: check the parameters of the model"
    )]
    EachTooShort { index: usize = "The index." },
    /// A matrix is too full, because functions of sums couple all terms of a sum.
    #[error(
        "{what} of `{model}` have more than {limit} entries, because functions of sums couple all that a sum adds up ({entries} were counted): \
         choose a method that needs the gradient and products alone, such as `verlet`, or smaller parameters"
    )]
    FullThroughSums {
        model,
        what: String = "The matrix.",
        entries: usize = "A lower bound of the number of entries.",
        limit: usize = "The limit.",
    },
    /// The slope of a table in time that jumps is needed.
    #[error(
        "`{table}` jumps from value to value, and the model needs its slope: give it a linear course (`\"kind\": \"linear\"`, with a \
         value at each time)"
    )]
    SlopeOfJumps { table: String = "The table, as declared." },
    /// A table of the model is too short.
    #[error(
        "{}: index {index} is outside `{table}`, whose length is {length}: check the parameters of the model",
        beginning(place)
    )]
    TableTooShort {
        place: String = "The declaration that reads the table.",
        table: String = "The table, as declared.",
        length: usize = "The length of the table.",
        index: String = "The index or the range.",
    },
    /// An operation on whole numbers, such as indices, has no result.
    #[error(
        "{}: `{expression}` is {left} {operation} {right}, which is {fault}: check the parameters of the model",
        beginning(place)
    )]
    Arithmetic {
        place: String = "The declaration of the operation.",
        expression: String = "The operation, as declared.",
        operation: char = "One of `+ - * / %`.",
        left: i128 = "The left side of the operation.",
        right: i128 = "The right side of the operation.",
        fault: &'static str = "The fault of the result, in words.",
    },
    /// A coefficient is infinite or NaN.
    #[error("a coefficient of {} is {value}: check the parameters of the model", beginning(place))]
    CoefficientNotFinite { place: String = "The family.", value: f64 = "The value of the coefficient." },
    /// A sum has too many elements to count.
    #[error(
        "{} has more than {limit} elements, which cannot be counted: check the parameters of the model",
        beginning(place)
    )]
    TooManyElements { place: String = "The family.", limit: usize = "The limit." },
    /// A diagonal entry of the mass matrix is not positive.
    #[error(
        "the mass of `{coordinate}` is {value}, but it must be positive: check the parameters of `{model}`"
    )]
    MassNotPositive { model, coordinate, value: f64 = "The diagonal entry." },
    /// Not as many numbers as the sensitive parameters of a model have.
    #[error("`{model}` has {expected} sensitive parameters, and {found} numbers are given for them")]
    ParameterCount {
        model,
        expected: usize = "The number of its parameters.",
        found: usize = "The number of numbers.",
    },
    /// A force has more or fewer components than its coordinate.
    #[error(
        "the force `{force}` has {found} components, but `{coordinate}`, on which it acts, has {expected}"
    )]
    ForceLength {
        force: String = "The method.",
        coordinate,
        expected: usize = "The number of components of the coordinate.",
        found: usize = "The number of components of the force.",
    },
    /// The model has no degrees of freedom.
    #[error("`{model}` has no degrees of freedom with these parameters: the length of an array is zero")]
    Empty { model },
    /// A part of the system needs too much memory.
    #[error(
        "{} would take {}, and {} may be taken: {remedy}, or allow more memory",
        beginning(part), gigabytes(*needed), gigabytes(*room)
    )]
    TooMuchMemory {
        part: String = "The part.",
        needed: u64 = "The estimate of its memory in bytes.",
        room: u64 = "The memory that is left, in bytes.",
        remedy: &'static str = "A change that makes the part smaller or avoids it.",
    },
    /// The cutoff of a sum over near pairs is not positive and finite.
    #[error(
        "{}: the cutoff is {cutoff}, but it must be positive and finite: check the parameters of the model",
        beginning(place)
    )]
    CutoffNotPositive { place: String = "The sum.", cutoff: f64 = "The cutoff." },
    /// A switch ends before it begins.
    #[error(
        "`{}` begins to fall at {on} and has to end behind it, not at {off}: check the parameters of the model",
        beginning(place)
    )]
    SwitchOutOfOrder {
        place: String = "The call, as declared.",
        on: f64 = "The distance at which the function begins to fall.",
        off: f64 = "The distance from which on it is zero.",
    },
    /// Two images of one point could be near at once.
    #[error(
        "{}: the cutoff {cutoff} is more than half of {width}, the smallest distance between opposite faces of the cell, so that two images \
         of one point could be near: repeat the cell to make a larger one, or choose a smaller cutoff",
        beginning(place)
    )]
    CutoffTooLarge {
        place: String = "The sum.",
        cutoff: f64 = "The cutoff.",
        width: f64 = "The smallest distance of opposite faces.",
    },
    /// An edge of a cell is infinite or NaN.
    #[error(
        "{}: the cell {cell} has an edge that is not finite: check the parameters of the model",
        beginning(place)
    )]
    CellNotFinite { place: String = "The sum in the cell.", cell: Box<Cell> = "The cell." },
    /// The edges of a cell lie in a plane, or an edge of a cell for the plane leaves it.
    #[error(
        "{}: the cell {cell} has no volume: give edges that are independent, and `None` for a direction that is open",
        beginning(place)
    )]
    CellWithoutVolume { place: String = "The sum in the cell.", cell: Box<Cell> = "The cell." },
    /// An edge along an axis has a negative length.
    #[error("{}: the cell {cell} has an edge of negative length: give positive lengths", beginning(place))]
    CellNegative { place: String = "The sum in the cell.", cell: Box<Cell> = "The cell." },
    /// An excluded pair has an unknown point.
    #[error(
        "{}: the exception ({first}, {second}) has a point past the end: there are {length}",
        beginning(place)
    )]
    UnknownException {
        place: String = "The sum.",
        first: usize = "The first point of the pair.",
        second: usize = "The second point of the pair.",
        length: usize = "The number of points.",
    },
    /// The neighbours of an unknown point are asked for.
    #[error(
        "{}: the neighbours of point {point} are asked for, but there are {length} points",
        beginning(place)
    )]
    UnknownNeighbours {
        place: String = "The sum.",
        point: usize = "The point.",
        length: usize = "The number of points.",
    },
    /// A coefficient of pairs has too many classes of ends for a table.
    #[error(
        "{}: {} and {} different ends are told apart by {expressions}, and a table for all their pairs may have at most {limit} entries: \
         let it depend on a few kinds of points, or make it arithmetic of numbers that each belong to one end",
        beginning(place), classes[0], classes[1]
    )]
    TooManyClasses {
        place: String = "The sum.",
        expressions: String = "The expressions, as declared.",
        classes: [usize; 2] = "The numbers of classes of first and second ends.",
        limit: usize = "The limit.",
    },
    /// Second derivatives of sums over near pairs have too many entries:
    /// one for each pair that can be near.
    #[error(
        "the second derivatives of `{model}` have up to {entries} entries, one for each pair that can ever be near, and more than {limit} are not \
         assembled: choose a method that needs the gradient alone, such as verlet, or rattle under constraints"
    )]
    TooManyPairs {
        model,
        entries: u64 = "The number of entries.",
        limit: u64 = "The limit.",
    },
    /// A coefficient of a contact is outside of its interval.
    #[error("{place} is {value}, outside of {interval}: check the parameters of the model")]
    ContactOutOfRange {
        place: String = "The coefficient.",
        value: f64 = "Its value.",
        interval: &'static str = "The interval.",
    },
    /// There are too many degrees of freedom to number.
    #[error("`{coordinate}` is too long: a system can have at most {limit} degrees of freedom")]
    TooLarge { coordinate, limit: usize = "The limit." },
}

/// The number of characters of an expression in a message.
const SHOWN: usize = 120;

/// A number of bytes in words.
fn gigabytes(bytes: u64) -> String {
    match bytes as f64 {
        few if few < 1e6 => format!("{bytes} bytes"),
        some if some < 1e9 => format!("{:.0} MB", some / 1e6),
        many => format!("{:.1} GB", many / 1e9),
    }
}

/// The beginning of an expression, which may fill pages.
fn beginning(place: &str) -> String {
    match place.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &place[..end]),
        None => place.to_owned(),
    }
}
