//! Numbers in memory, and in kernels: one at a time, or a register of them.

use super::{Exact, LaneMask, Lanes, Real, Registers};
use num_dual::Dual64;
use pulp::{Simd, WithSimd};

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

/// Numbers in columns of memory.
pub(crate) trait ColumnForm: NumberForm {
    /// True if a mask is known to hold nowhere.
    fn holds_nowhere(self, mask: <Self::Number as Real>::Mask) -> bool;
    /// Memory in this form.
    fn all(self, numbers: &[f64]) -> &[Self::Stored];
    /// See [`all`](Self::all).
    fn all_mut(self, numbers: &mut [f64]) -> &mut [Self::Stored];
}

/// Numbers of single elements.
pub(crate) trait ElementForm: NumberForm {
    /// In vectors.
    type Entry: Real;

    /// An entry that is known.
    fn known(self, entry: Self::Entry) -> Self::Number;
    /// An input with its rate, which rates read.
    #[inline(always)]
    fn input(self, value: Self::Entry, _rate: impl FnOnce() -> f64) -> Self::Number {
        self.known(value)
    }

    /// The part of a number that is the result.
    fn result(self, number: Self::Number) -> Self::Entry;
}

/// Work on numbers in any form.
pub(crate) trait InForm {
    /// Works.
    fn run<L: ColumnForm>(self, form: L);
}

/// Works in registers, or on one number at a time.
#[inline]
pub(crate) fn in_form<W: InForm>(registers: Option<Registers>, work: W) {
    match registers {
        Some(registers) => registers.run(InRegisters(work)),
        None => work.run(One),
    }
}

struct InRegisters<W>(W);

impl<W: InForm> WithSimd for InRegisters<W> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        self.0.run(Several(simd));
    }
}

/// Numbers that stand in memory as they are.
macro_rules! same_in_memory {
    ($Number:ty) => {
        type Stored = $Number;
        type Number = $Number;

        #[inline(always)]
        fn number(self, stored: $Number) -> $Number {
            stored
        }

        #[inline(always)]
        fn stored(self, number: $Number) -> $Number {
            number
        }
    };
}

/// One number at a time.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct One;

impl NumberForm for One {
    same_in_memory!(f64);

    #[inline(always)]
    fn splat(self, number: f64) -> f64 {
        number
    }
}

impl ColumnForm for One {
    #[inline(always)]
    fn holds_nowhere(self, mask: bool) -> bool {
        !mask
    }

    #[inline(always)]
    fn all(self, numbers: &[f64]) -> &[f64] {
        numbers
    }

    #[inline(always)]
    fn all_mut(self, numbers: &mut [f64]) -> &mut [f64] {
        numbers
    }
}

impl ElementForm for One {
    type Entry = f64;

    #[inline(always)]
    fn known(self, entry: f64) -> f64 {
        entry
    }

    #[inline(always)]
    fn result(self, number: f64) -> f64 {
        number
    }
}

/// One number with its rate at a time: the result is the rate.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Rated;

impl NumberForm for Rated {
    same_in_memory!(Dual64);

    #[inline(always)]
    fn splat(self, number: f64) -> Dual64 {
        Dual64::from_re(number)
    }
}

impl ElementForm for Rated {
    type Entry = f64;

    #[inline(always)]
    fn known(self, entry: f64) -> Dual64 {
        Dual64::from_re(entry)
    }

    #[inline(always)]
    fn input(self, value: f64, rate: impl FnOnce() -> f64) -> Dual64 {
        Dual64::new(value, rate())
    }

    #[inline(always)]
    fn result(self, number: Dual64) -> f64 {
        number.eps
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

impl<S: Simd> ColumnForm for Several<S> {
    #[inline(always)]
    fn holds_nowhere(self, _: LaneMask<S>) -> bool {
        false
    }

    #[inline(always)]
    fn all(self, numbers: &[f64]) -> &[S::f64s] {
        S::as_simd_f64s(numbers).0
    }

    #[inline(always)]
    fn all_mut(self, numbers: &mut [f64]) -> &mut [S::f64s] {
        S::as_mut_simd_f64s(numbers).0
    }
}

/// The numbers of several members, which round as single ones.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Together<S>(pub(crate) S);

impl<S: Simd> NumberForm for Together<S> {
    same_in_memory!(Exact<S>);

    #[inline(always)]
    fn splat(self, number: f64) -> Exact<S> {
        Exact::all(self.0, number)
    }
}

impl<S: Simd> ElementForm for Together<S> {
    type Entry = Exact<S>;

    #[inline(always)]
    fn known(self, entry: Exact<S>) -> Exact<S> {
        entry
    }

    #[inline(always)]
    fn result(self, number: Exact<S>) -> Exact<S> {
        number
    }
}
