//! Elements in lanes: the rows that they stand in, and the lines of numbers that their inputs read.

use crate::lanes::MOST_LANES;

/// So many elements are computed between two checks of bounds.
pub(super) const BLOCK: usize = 16 * MOST_LANES;

/// Consecutive elements.
#[derive(Debug, Clone, Copy)]
pub struct ElementRow {
    /// How many elements there are.
    pub count: u32,
    /// How many places before the first one a loop over registers begins, at a cache line.
    pub lead: u32,
    /// Where their coefficients begin; equal ones may stand there for several rows.
    pub coefficient: u32,
    /// Where their numbers of the matrix begin, in each column.
    pub number: u32,
}

/// Where an input of a row stands in the memory of a layout.
#[derive(Default, Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line {
    /// Where the first element reads.
    pub start: u32,
    /// Where the first element adds.
    pub target: u32,
    /// Whether it advances by one from element to element; else all elements read the same number and add to it.
    pub advances: bool,
}
