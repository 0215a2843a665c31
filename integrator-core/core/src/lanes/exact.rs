//! Numbers in lanes that round as `f64` does.

use super::{Lanes, Real};
use pulp::Simd;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// One number in each lane, with the bits of [`Real`] for `f64`: sums of products are rounded twice, and
/// functions are the standard library's.
///
/// [`Lanes`] are faster and more accurate;
/// these are for members of an ensemble, which step as single runs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Exact<S: Simd>(Lanes<S>);

impl<S: Simd> Exact<S> {
    /// A register.
    #[inline(always)]
    pub(crate) fn of(simd: S, values: S::f64s) -> Self {
        Self(Lanes::of(simd, values))
    }

    /// The register.
    #[inline(always)]
    pub(crate) fn values(self) -> S::f64s {
        self.0.values()
    }

    /// One number in each lane.
    #[inline(always)]
    pub(crate) fn splat(simd: S, value: f64) -> Self {
        Self(Lanes::splat(simd, value))
    }
}

macro_rules! operators {
    ($($trait:ident $method:ident),+) => {
        $(
            impl<S: Simd> $trait for Exact<S> {
                type Output = Self;

                #[inline(always)]
                fn $method(self, other: Self) -> Self {
                    Self(self.0.$method(other.0))
                }
            }
        )+
    };
}

macro_rules! operators_with_one_number {
    ($($trait:ident $method:ident),+) => {
        $(
            impl<S: Simd> $trait<f64> for Exact<S> {
                type Output = Self;

                #[inline(always)]
                fn $method(self, other: f64) -> Self {
                    Self(self.0.$method(other))
                }
            }
        )+
    };
}

operators!(Add add, Sub sub, Mul mul, Div div);
operators_with_one_number!(Add add, Sub sub, Mul mul);

impl<S: Simd> Neg for Exact<S> {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

/// Functions of one number with correct rounding.
macro_rules! same {
    ($($name:ident),+) => {
        $(
            #[inline(always)]
            fn $name(self) -> Self {
                Self(self.0.$name())
            }
        )+
    };
}

/// Functions of one number from the standard library.
macro_rules! one_by_one {
    ($($name:ident),+) => {
        $(
            #[inline(always)]
            fn $name(self) -> Self {
                let [value] = self.lanewise([self], |[x]| [Real::$name(x)]);
                value
            }
        )+
    };
}

impl<S: Simd> Real for Exact<S> {
    type Mask = <Lanes<S> as Real>::Mask;

    same!(recip, sqrt, abs, round_ties_even);
    one_by_one!(sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, asinh, acosh, atanh);
    one_by_one!(exp, exp_m1, ln, ln_1p, cbrt, erf, erfc, gaussian);

    #[inline(always)]
    fn number(self, value: f64) -> Self {
        Self(self.0.number(value))
    }

    #[inline(always)]
    fn multiply_add(self, factor: Self, summand: Self) -> Self {
        self * factor + summand
    }

    #[inline(always)]
    fn recip_sqrt(self) -> Self {
        self.sqrt().recip()
    }

    #[inline(always)]
    fn atan2(self, x: Self) -> Self {
        let [angle] = self.lanewise([self, x], |[y, x]| [y.atan2(x)]);
        angle
    }

    #[inline(always)]
    fn powf(self, exponent: Self) -> Self {
        let [power] = self.lanewise([self, exponent], |[base, exponent]| [base.powf(exponent)]);
        power
    }

    #[inline(always)]
    fn lt(self, other: Self) -> Self::Mask {
        self.0.lt(other.0)
    }

    #[inline(always)]
    fn le(self, other: Self) -> Self::Mask {
        self.0.le(other.0)
    }

    #[inline(always)]
    fn both(a: Self::Mask, b: Self::Mask) -> Self::Mask {
        Lanes::<S>::both(a, b)
    }

    #[inline(always)]
    fn either(a: Self::Mask, b: Self::Mask) -> Self::Mask {
        Lanes::<S>::either(a, b)
    }

    #[inline(always)]
    fn not(mask: Self::Mask) -> Self::Mask {
        Lanes::<S>::not(mask)
    }

    #[inline(always)]
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self {
        Self(Lanes::select(mask, yes.0, no.0))
    }

    #[inline(always)]
    fn lanewise<const I: usize, const O: usize>(
        self,
        inputs: [Self; I],
        function: impl FnMut([f64; I]) -> [f64; O],
    ) -> [Self; O] {
        self.0.lanewise(inputs.map(|input| input.0), function).map(Self)
    }
}
