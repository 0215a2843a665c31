//! Two numbers, or two registers of numbers, side by side.
//!
//! An operation waits for its operands several cycles, and processors look ahead only so far: where one element is a long chain of operations,
//! two of them take hardly longer than one.

use super::Real;
use std::array;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// Two numbers; each operation is that of either.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Two<T>(pub(crate) T, pub(crate) T);

macro_rules! operators {
    ($($trait:ident $method:ident),+) => {
        $(
            impl<T: Real> $trait for Two<T> {
                type Output = Self;

                #[inline(always)]
                fn $method(self, other: Self) -> Self {
                    Self(self.0.$method(other.0), self.1.$method(other.1))
                }
            }
        )+
    };
}

macro_rules! operators_with_one_number {
    ($($trait:ident $method:ident),+) => {
        $(
            impl<T: Real> $trait<f64> for Two<T> {
                type Output = Self;

                #[inline(always)]
                fn $method(self, other: f64) -> Self {
                    Self(self.0.$method(other), self.1.$method(other))
                }
            }
        )+
    };
}

operators!(Add add, Sub sub, Mul mul, Div div);
operators_with_one_number!(Add add, Sub sub, Mul mul);

impl<T: Real> Neg for Two<T> {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self(-self.0, -self.1)
    }
}

macro_rules! functions {
    ($($name:ident),+) => {
        $(
            #[inline(always)]
            fn $name(self) -> Self {
                Self(self.0.$name(), self.1.$name())
            }
        )+
    };
}

macro_rules! of_two_numbers {
    ($($name:ident),+) => {
        $(
            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                Self(self.0.$name(other.0), self.1.$name(other.1))
            }
        )+
    };
}

macro_rules! comparisons {
    ($($name:ident),+) => {
        $(
            #[inline(always)]
            fn $name(self, other: Self) -> Self::Mask {
                (self.0.$name(other.0), self.1.$name(other.1))
            }
        )+
    };
}

impl<T: Real> Real for Two<T> {
    type Mask = (T::Mask, T::Mask);

    functions!(recip, sqrt, recip_sqrt, abs, round_ties_even, sin, cos, tan, asin, acos, atan);
    functions!(sinh, cosh, tanh, asinh, acosh, atanh);
    functions!(exp, exp_m1, ln, ln_1p, cbrt, erf, erfc, gaussian);
    of_two_numbers!(atan2, powf);
    comparisons!(lt, le);

    #[inline(always)]
    fn number(self, value: f64) -> Self {
        Self(self.0.number(value), self.1.number(value))
    }

    #[inline(always)]
    fn multiply_add(self, factor: Self, summand: Self) -> Self {
        Self(self.0.multiply_add(factor.0, summand.0), self.1.multiply_add(factor.1, summand.1))
    }

    #[inline(always)]
    fn both(a: Self::Mask, b: Self::Mask) -> Self::Mask {
        (T::both(a.0, b.0), T::both(a.1, b.1))
    }

    #[inline(always)]
    fn either(a: Self::Mask, b: Self::Mask) -> Self::Mask {
        (T::either(a.0, b.0), T::either(a.1, b.1))
    }

    #[inline(always)]
    fn not(mask: Self::Mask) -> Self::Mask {
        (T::not(mask.0), T::not(mask.1))
    }

    #[inline(always)]
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self {
        Self(T::select(mask.0, yes.0, no.0), T::select(mask.1, yes.1, no.1))
    }

    #[inline(always)]
    fn lanewise<const I: usize, const O: usize>(
        self,
        inputs: [Self; I],
        mut function: impl FnMut([f64; I]) -> [f64; O],
    ) -> [Self; O] {
        let first = self.0.lanewise(inputs.map(|input| input.0), &mut function);
        let second = self.1.lanewise(inputs.map(|input| input.1), &mut function);
        array::from_fn(|k| Self(first[k], second[k]))
    }
}
