//! Sums of numbers that stand in registers.

use super::{Lanes, MOST_LANES};
use pulp::Simd;

/// A sum over numbers in registers, one register after the other.
///
/// It has as many parts as the widest registers have lanes, and they are added in one order: registers of any width give the same bits.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(crate) struct Sum([f64; MOST_LANES]);

impl Sum {
    /// Nothing yet.
    pub(crate) const ZERO: Self = Self([0.0; MOST_LANES]);

    /// Adds the numbers of a register, which is the one with this number; lanes behind the last number are zero.
    #[inline(always)]
    pub(crate) fn add<S: Simd>(&mut self, register: usize, value: Lanes<S>) {
        let part = &mut S::as_mut_simd_f64s(&mut self.0).0[register % (MOST_LANES / Lanes::<S>::COUNT)];
        *part = (value + Lanes::of(value.simd(), *part)).values();
    }

    /// The sum.
    pub(crate) fn total(self) -> f64 {
        self.total_from(0)
    }

    /// The sum of numbers of which the first one stood in this lane: as if it had stood in the first.
    #[inline]
    pub(crate) fn total_from(self, lead: usize) -> f64 {
        let [a, b, c, d, e, f, g, h] = std::array::from_fn(|lane| self.0[(lane + lead) % MOST_LANES]);
        ((a + e) + (c + g)) + ((b + f) + (d + h))
    }
}
