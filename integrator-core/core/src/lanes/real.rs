//! The operations on numbers that a kernel needs.

use super::functions;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// Functions of one number.
macro_rules! unary {
    ($($(#[$documentation:meta])+ $name:ident;)+) => {$(
        $(#[$documentation])+
        #[must_use]
        fn $name(self) -> Self;
    )+};
}

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

    unary! {
        /// 1 / self.
        recip;
        /// The square root.
        sqrt;
        /// 1 / √self.
        recip_sqrt;
        /// The absolute value.
        abs;
        /// The sine of an angle in radians.
        sin;
        /// The cosine of an angle in radians.
        cos;
        /// The tangent of an angle in radians.
        tan;
        /// The arcsine in radians.
        asin;
        /// The arccosine in radians.
        acos;
        /// The arctangent in radians.
        atan;
        /// The hyperbolic sine.
        sinh;
        /// The hyperbolic cosine.
        cosh;
        /// The hyperbolic tangent.
        tanh;
        /// The inverse of the hyperbolic sine.
        asinh;
        /// The inverse of the hyperbolic cosine.
        acosh;
        /// The inverse of the hyperbolic tangent.
        atanh;
        /// The exponential.
        exp;
        /// exp(self) − 1, accurate for small arguments.
        exp_m1;
        /// The natural logarithm.
        ln;
        /// ln(1 + self), accurate for small arguments.
        ln_1p;
        /// The cube root.
        cbrt;
        /// The error function 2/√π ∫₀ˣ exp(−t²) dt.
        erf;
        /// The complementary error function 1 − erf x, accurate where it is small.
        erfc;
        /// exp(−self²).
        gaussian;
        /// The nearest integer, ties to even.
        round_ties_even;
    }

    /// The angle of the point (x, self) in radians.
    #[must_use]
    fn atan2(self, x: Self) -> Self;

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

/// The operations on masks of a single lane.
macro_rules! of_truths {
    () => {
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
    };
}

pub(super) use of_truths;

impl Real for f64 {
    type Mask = bool;

    same!(recip, sqrt, abs, sin, cos, tan, asin, acos, atan, sinh, cosh, tanh);
    same!(asinh, acosh, atanh, exp, exp_m1, ln, ln_1p, cbrt, round_ties_even);
    of_truths!();

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
    fn lanewise<const I: usize, const O: usize>(
        self,
        inputs: [Self; I],
        mut function: impl FnMut([f64; I]) -> [f64; O],
    ) -> [Self; O] {
        function(inputs)
    }
}
