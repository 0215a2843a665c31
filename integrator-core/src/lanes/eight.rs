//! Eight numbers side by side in memory.

use super::{Lanes, MOST_LANES};
use pulp::Simd;
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

    /// Each number times `factor`.
    #[must_use]
    pub fn scaled(mut self, factor: f64) -> Self {
        self.0.iter_mut().for_each(|number| *number *= factor);
        self
    }

    /// The register that begins at lane `first`.
    #[inline(always)]
    pub(crate) fn part<S: Simd>(&self, simd: S, first: usize) -> Lanes<S> {
        Lanes::load(simd, &self.0, first)
    }

    /// Replaces the lanes from `first` on.
    #[inline(always)]
    pub(crate) fn set_part<S: Simd>(&mut self, values: Lanes<S>, first: usize) {
        values.write(&mut self.0, first);
    }
}

/// Where registers begin among the first `lanes` lanes.
#[inline(always)]
pub(crate) fn parts<S: Simd>(lanes: usize) -> impl Iterator<Item = usize> {
    (0..const { MOST_LANES / Lanes::<S>::COUNT })
        .map(|part| part * Lanes::<S>::COUNT)
        .filter(move |first| *first < lanes)
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
