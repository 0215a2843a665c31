//! Sums of numbers that stand in registers.

use super::{Lanes, MOST_LANES};
use pulp::Simd;

/// A sum over numbers in registers, one register after the other.
///
/// It has as many parts as the widest registers have lanes, and they are added in one order: registers of any width give the same bits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sum<S: Simd>([Lanes<S>; MOST_LANES / FEWEST_LANES]);

/// The fewest lanes of registers.
const FEWEST_LANES: usize = 2;

impl<S: Simd> Sum<S> {
    /// The registers that hold all parts.
    const REGISTERS: usize = MOST_LANES / Lanes::<S>::COUNT;

    /// Nothing yet.
    #[inline(always)]
    pub(crate) fn zero(simd: S) -> Self {
        Self([Lanes::splat(simd, 0.0); MOST_LANES / FEWEST_LANES])
    }

    /// Adds the numbers of a register, which is the one with this number; lanes behind the last number are zero.
    #[inline(always)]
    pub(crate) fn add(&mut self, register: usize, value: Lanes<S>) {
        let part = &mut self.0[register % Self::REGISTERS];
        *part = *part + value;
    }

    /// The sum.
    #[inline(always)]
    pub(crate) fn total(self) -> f64 {
        let mut parts = [0.0; MOST_LANES];
        for (place, lanes) in self.0.into_iter().take(Self::REGISTERS).enumerate() {
            lanes.write(&mut parts, place * Lanes::<S>::COUNT);
        }
        let [a, b, c, d, e, f, g, h] = parts;
        ((a + e) + (c + g)) + ((b + f) + (d + h))
    }
}
