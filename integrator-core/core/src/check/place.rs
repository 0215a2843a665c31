//! The places of numbers that are compared.

/// The place of a number in a vector or a matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// An entry, by row and column.
    Entry(usize, usize),
    /// A row, along a direction.
    Row(usize),
    /// The weighted sum of all entries.
    Sum,
}
