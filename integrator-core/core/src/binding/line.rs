//! Rows of elements in lanes, and the lines of numbers of their inputs.

use crate::lanes::MOST_LANES;

/// The number of elements between two checks of bounds.
pub(super) const BLOCK: usize = 16 * MOST_LANES;

/// The number of registers of a column of elements that have lists: columns stay in the nearest cache.
/// An odd number: columns at one distance of a power of two would share their places in the cache.
pub(super) const COLUMN: usize = 33;

/// Consecutive elements.
#[derive(Debug, Clone, Copy)]
pub struct ElementRow {
    /// The number of elements.
    pub count: u32,
    /// The number of places before the first element: a loop over registers begins at a cache line.
    pub lead: u32,
    /// The first place of their coefficients; equal ones are shared by several rows.
    pub coefficient: u32,
    /// The first place of their numbers in each column of the matrix.
    pub number: u32,
}

/// The line of an input of a row in the memory of a layout.
#[derive(Default, Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line {
    /// The place that the first element reads.
    pub start: u32,
    /// The place to which the first element adds.
    pub target: u32,
    /// Whether the place advances by one from element to element; else all elements use one place.
    pub advances: bool,
}
