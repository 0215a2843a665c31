//! The places of the entries of a vector in the columns of a strided layout.

use crate::binding::line::BLOCK;
use crate::lanes::MOST_LANES;

/// The places of the entries of a vector after staging.
#[derive(Debug, Clone, Copy)]
pub(super) struct Staging {
    pub(super) stride: usize,
    pub(super) height: usize,
}

impl Staging {
    pub(super) fn new(length: usize, stride: usize) -> Self {
        // The last register of a row reaches beyond the row, but not into another column.
        Self { stride, height: (length.div_ceil(stride) + MOST_LANES).next_multiple_of(MOST_LANES) }
    }

    /// The place of an entry.
    pub(super) fn place(self, index: u32) -> u32 {
        (index as usize % self.stride * self.height + index as usize / self.stride) as u32
    }

    /// The entry at a place.
    pub(super) fn index(self, place: usize) -> usize {
        place % self.height * self.stride + place / self.height
    }

    /// The length of a plane: a block may be read at its last entry.
    pub(super) fn length(self) -> usize {
        self.stride * self.height + BLOCK
    }
}
