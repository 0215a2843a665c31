//! The operations on numbers that a kernel needs.

use super::functions;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// A real number, or one in each lane of a register.
///
/// All operations act lane by lane. Kernels have no branches: [`Real::select`] chooses between values.
pub trait Real:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + Add<f64, Output = Self>
    + Sub<f64, Output = Self>
    + Mul<f64, Output = Self>
{
    /// The result of a comparison in each lane.
    type Mask: Copy;

    /// `value` in every lane.
    #[must_use]
    fn number(self, value: f64) -> Self;

    /// self · factor + summand, rounded once if the lanes can.
    #[must_use]
    fn multiply_add(self, factor: Self, summand: Self) -> Self;

    /// 1 / self.
    #[must_use]
    fn recip(self) -> Self;

    /// The square root.
    #[must_use]
    fn sqrt(self) -> Self;

    /// 1 / √self.
    #[must_use]
    fn recip_sqrt(self) -> Self;

    /// The absolute value.
    #[must_use]
    fn abs(self) -> Self;

    /// The sine of an angle in radians.
    #[must_use]
    fn sin(self) -> Self;

    /// The cosine of an angle in radians.
    #[must_use]
    fn cos(self) -> Self;

    /// The tangent of an angle in radians.
    #[must_use]
    fn tan(self) -> Self;

    /// The arcsine in radians.
    #[must_use]
    fn asin(self) -> Self;

    /// The arccosine in radians.
    #[must_use]
    fn acos(self) -> Self;

    /// The arctangent in radians.
    #[must_use]
    fn atan(self) -> Self;

    /// The angle of the point (x, self) in radians.
    #[must_use]
    fn atan2(self, x: Self) -> Self;

    /// The hyperbolic sine.
    #[must_use]
    fn sinh(self) -> Self;

    /// The hyperbolic cosine.
    #[must_use]
    fn cosh(self) -> Self;

    /// The hyperbolic tangent.
    #[must_use]
    fn tanh(self) -> Self;

    /// The inverse of the hyperbolic sine.
    #[must_use]
    fn asinh(self) -> Self;

    /// The inverse of the hyperbolic cosine.
    #[must_use]
    fn acosh(self) -> Self;

    /// The inverse of the hyperbolic tangent.
    #[must_use]
    fn atanh(self) -> Self;

    /// The exponential.
    #[must_use]
    fn exp(self) -> Self;

    /// exp(self) − 1, accurate for small arguments.
    #[must_use]
    fn exp_m1(self) -> Self;

    /// The natural logarithm.
    #[must_use]
    fn ln(self) -> Self;

    /// ln(1 + self), accurate for small arguments.
    #[must_use]
    fn ln_1p(self) -> Self;

    /// The cube root.
    #[must_use]
    fn cbrt(self) -> Self;

    /// The error function 2/√π ∫₀ˣ exp(−t²) dt.
    #[must_use]
    fn erf(self) -> Self;

    /// The complementary error function 1 − erf x, accurate where it is small.
    #[must_use]
    fn erfc(self) -> Self;

    /// exp(−self²).
    #[must_use]
    fn gaussian(self) -> Self;

    /// The nearest integer, ties to even.
    #[must_use]
    fn round_ties_even(self) -> Self;

    /// self^exponent.
    #[must_use]
    fn powf(self, exponent: Self) -> Self;

    /// self < other; false where either is NaN.
    #[must_use]
    fn lt(self, other: Self) -> Self::Mask;

    /// self ≤ other; false where either is NaN.
    #[must_use]
    fn le(self, other: Self) -> Self::Mask;

    /// The lanes in which both masks hold.
    #[must_use]
    fn both(a: Self::Mask, b: Self::Mask) -> Self::Mask;

    /// The lanes in which at least one mask holds.
    #[must_use]
    fn either(a: Self::Mask, b: Self::Mask) -> Self::Mask;

    /// The lanes in which the mask does not hold.
    #[must_use]
    fn not(mask: Self::Mask) -> Self::Mask;

    /// `yes` in the lanes where `mask` holds, `no` in the others;
    /// the other value may be anything, NaN included.
    #[must_use]
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;

    /// Applies a function of single numbers to each lane.
    #[must_use]
    fn lanewise<const I: usize, const O: usize>(
        self,
        inputs: [Self; I],
        function: impl FnMut([f64; I]) -> [f64; O],
    ) -> [Self; O];
}

/// Methods with the name of the method of `f64`.
macro_rules! same {
    ($($name:ident),+) => {
        $(
            #[inline(always)]
            fn $name(self) -> Self {
                self.$name()
            }
        )+
    };
}

impl Real for f64 {
    type Mask = bool;

    same!(recip, sqrt, abs, sin, cos, tan, asin, acos, atan, sinh, cosh, tanh);
    same!(asinh, acosh, atanh, exp, exp_m1, ln, ln_1p, cbrt);

    #[inline(always)]
    fn number(self, value: f64) -> Self {
        value
    }

    #[inline(always)]
    fn multiply_add(self, factor: Self, summand: Self) -> Self {
        // Without the instruction a fused operation would be a call; plain builds round twice.
        self * factor + summand
    }

    #[inline(always)]
    fn recip_sqrt(self) -> Self {
        1.0 / self.sqrt()
    }

    // The standard library has none: these are the functions of a single lane.
    #[inline]
    fn erf(self) -> Self {
        functions::erf(pulp::Scalar, self)
    }

    #[inline]
    fn erfc(self) -> Self {
        functions::erfc(pulp::Scalar, self)
    }

    #[inline(always)]
    fn gaussian(self) -> Self {
        (-self * self).exp()
    }

    #[inline(always)]
    fn round_ties_even(self) -> Self {
        self.round_ties_even()
    }

    #[inline(always)]
    fn atan2(self, x: Self) -> Self {
        self.atan2(x)
    }

    #[inline(always)]
    fn powf(self, exponent: Self) -> Self {
        self.powf(exponent)
    }

    #[inline(always)]
    fn lt(self, other: Self) -> bool {
        self < other
    }

    #[inline(always)]
    fn le(self, other: Self) -> bool {
        self <= other
    }

    #[inline(always)]
    fn both(a: bool, b: bool) -> bool {
        a & b
    }

    #[inline(always)]
    fn either(a: bool, b: bool) -> bool {
        a | b
    }

    #[inline(always)]
    fn not(mask: bool) -> bool {
        !mask
    }

    #[inline(always)]
    fn select(mask: bool, yes: Self, no: Self) -> Self {
        if mask { yes } else { no }
    }

    #[inline(always)]
    fn lanewise<const I: usize, const O: usize>(
        self,
        inputs: [Self; I],
        mut function: impl FnMut([f64; I]) -> [f64; O],
    ) -> [Self; O] {
        function(inputs)
    }
}
