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
    /// Writes numbers one after the other, as far as there is room for whole ones.
    fn write_all(self, numbers: &[Self::Stored], to: &mut [f64]);
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

    fn write_all(self, numbers: &[f64], to: &mut [f64]) {
        to.iter_mut().zip(numbers).for_each(|(to, number)| *to = *number);
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

    #[inline(always)]
    fn write_all(self, numbers: &[S::f64s], to: &mut [f64]) {
        S::as_mut_simd_f64s(to).0.iter_mut().zip(numbers).for_each(|(to, number)| *to = *number);
    }
}
