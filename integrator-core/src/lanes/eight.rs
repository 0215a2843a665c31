//! Eight numbers side by side in memory.

use super::MOST_LANES;
use std::ops::{Deref, DerefMut};

/// The same number of eight things: what one register holds, or two of half the size.
///
/// Aligned to a cache line: a register that straddles two is moved at half the speed.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(align(64))]
pub struct Eight(pub [f64; MOST_LANES]);

impl Eight {
    /// Zero in each lane.
    pub const ZERO: Self = Self([0.0; MOST_LANES]);
}

impl Deref for Eight {
    type Target = [f64; MOST_LANES];

    #[inline(always)]
    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Eight {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}
