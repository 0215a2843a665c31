//! Sums of numbers in registers.

use super::{Lanes, MOST_LANES};
use pulp::Simd;

/// A sum over numbers in registers, register by register.
///
/// It has as many parts as the widest registers have lanes,
/// added in one order: all widths give the same bits.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(crate) struct Sum([f64; MOST_LANES]);

impl Sum {
    pub(crate) const ZERO: Self = Self([0.0; MOST_LANES]);

    /// Adds the register with number `register`; lanes after the last number are zero.
    #[inline(always)]
    pub(crate) fn add<S: Simd>(&mut self, register: usize, value: Lanes<S>) {
        let part = &mut S::as_mut_simd_f64s(&mut self.0).0[register % (MOST_LANES / Lanes::<S>::COUNT)];
        *part = (value + Lanes::of(value.simd(), *part)).values();
    }

    /// The sum.
    pub(crate) fn total(self) -> f64 {
        self.total_from(0)
    }

    /// The sum of numbers that began in lane `lead`, as if they had begun in the first.
    #[inline]
    pub(crate) fn total_from(self, lead: usize) -> f64 {
        let [a, b, c, d, e, f, g, h] = std::array::from_fn(|lane| self.0[(lane + lead) % MOST_LANES]);
        ((a + e) + (c + g)) + ((b + f) + (d + h))
    }
}
