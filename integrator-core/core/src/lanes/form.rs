//! Numbers in memory, and in kernels: one at a time, or a register of them.

use super::{Lanes, Real};
use pulp::Simd;

/// How numbers stand in memory, and the numbers that are computed with.
pub(crate) trait NumberForm: Copy {
    /// In memory.
    type Stored: Copy;
    /// In computations.
    type Number: Real;

    /// From memory.
    fn number(self, stored: Self::Stored) -> Self::Number;
    /// To memory.
    fn stored(self, number: Self::Number) -> Self::Stored;
    /// One number in all places.
    fn splat(self, number: f64) -> Self::Number;
}

/// One number at a time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct One;

impl NumberForm for One {
    type Stored = f64;
    type Number = f64;

    #[inline(always)]
    fn number(self, stored: f64) -> f64 {
        stored
    }

    #[inline(always)]
    fn stored(self, number: f64) -> f64 {
        number
    }

    #[inline(always)]
    fn splat(self, number: f64) -> f64 {
        number
    }
}

/// Registers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Several<S>(pub(crate) S);

impl<S: Simd> NumberForm for Several<S> {
    type Stored = S::f64s;
    type Number = Lanes<S>;

    #[inline(always)]
    fn number(self, stored: S::f64s) -> Lanes<S> {
        Lanes::of(self.0, stored)
    }

    #[inline(always)]
    fn stored(self, number: Lanes<S>) -> S::f64s {
        number.values()
    }

    #[inline(always)]
    fn splat(self, number: f64) -> Lanes<S> {
        Lanes::splat(self.0, number)
    }
}
