//! The elementary functions of a scalar, with rates by the chain rule.
//!
//! Most come from `num_dual`. It lacks the others, or is not finite at some points where they are
//! smooth: they come from `continued`.
//!
//! Never inlined, like the operators: with dual numbers they compile to long code.

use super::continued::{self, angle, power};
use super::{Number, Scalar};
use num_dual::{Dual, DualNum};
use std::f64::consts::PI;

/// Functions of one scalar, each with its formula for dual numbers.
macro_rules! functions {
    ($($(#[$doc:meta])+ $function:ident: $dual:expr;)+) => {
        impl<T: Number> Scalar<T> {$(
            $(#[$doc])+
            #[must_use]
            #[inline(never)]
            pub fn $function(self) -> Self {
                let dual = $dual;
                Self(dual(self.0))
            }
        )+}
    };
}

functions! {
    /// The sine.
    sin: |x: Dual<T>| x.sin();
    /// The cosine.
    cos: |x: Dual<T>| x.cos();
    /// The tangent.
    tan: |x: Dual<T>| x.tan();
    /// The arcsine.
    asin: |x: Dual<T>| x.asin();
    /// The arccosine.
    acos: |x: Dual<T>| x.acos();
    /// The arctangent.
    atan: continued::atan;
    /// The hyperbolic sine.
    sinh: |x: Dual<T>| x.sinh();
    /// The hyperbolic cosine.
    cosh: |x: Dual<T>| x.cosh();
    /// The inverse hyperbolic sine.
    asinh: continued::asinh;
    /// The inverse hyperbolic cosine.
    acosh: continued::acosh;
    /// The inverse hyperbolic tangent.
    atanh: |x: Dual<T>| x.atanh();
    /// The exponential function.
    exp: |x: Dual<T>| x.exp();
    /// The power 2ˣ.
    exp2: |x: Dual<T>| x.exp2();
    /// The difference eˣ − 1.
    exp_m1: |x: Dual<T>| x.exp_m1();
    /// The natural logarithm.
    ln: |x: Dual<T>| x.ln();
    /// The natural logarithm of 1 + x.
    ln_1p: |x: Dual<T>| x.ln_1p();
    /// The logarithm to base 2.
    log2: |x: Dual<T>| x.log2();
    /// The logarithm to base 10.
    log10: |x: Dual<T>| x.log10();
    /// The square root.
    sqrt: |x: Dual<T>| x.sqrt();
    /// The cube root.
    cbrt: |x: Dual<T>| x.cbrt();
    /// The reciprocal 1/x.
    recip: |x: Dual<T>| x.recip();
    /// The hyperbolic tangent.
    tanh: continued::tanh;
    /// The error function erf x = 2/√π ∫₀ˣ exp(−t²) dt.
    erf: continued::erf;
    /// The complementary error function 1 − erf x, accurate where it is small.
    erfc: continued::erfc;
    /// The angle in radians of an angle in degrees.
    to_radians: |x: Dual<T>| x * (PI / 180.0);
    /// The angle in degrees of an angle in radians.
    to_degrees: |x: Dual<T>| x * (180.0 / PI);
}

impl<T: Number> Scalar<T> {
    /// Sine and cosine.
    #[must_use]
    #[inline(never)]
    pub fn sin_cos(self) -> (Self, Self) {
        let (sine, cosine) = self.0.sin_cos();
        (Self(sine), Self(cosine))
    }

    /// The integer power xⁿ.
    #[must_use]
    #[inline(never)]
    pub fn powi(self, n: i32) -> Self {
        Self(power(self.0, self.0.re.re().powi(n), f64::from(n)))
    }

    /// The real power xᵖ.
    #[must_use]
    #[inline(never)]
    pub fn powf(self, p: impl Exponent<T>) -> Self {
        p.of(self)
    }

    /// The logarithm to a base.
    #[must_use]
    #[inline(never)]
    pub fn log(self, base: impl Into<Self>) -> Self {
        self.ln() / base.into().ln()
    }

    /// The sum x a + b.
    #[must_use]
    #[inline(never)]
    pub fn mul_add(self, a: impl Into<Self>, b: impl Into<Self>) -> Self {
        self * a.into() + b.into()
    }

    /// The length √(x² + y²).
    #[must_use]
    #[inline(never)]
    pub fn hypot(self, other: impl Into<Self>) -> Self {
        let other = other.into();
        (self * self + other * other).sqrt()
    }

    /// The angle of the point (x, y) = (`x`, `self`), in (−π, π].
    #[must_use]
    #[inline(never)]
    pub fn atan2(self, x: impl Into<Self>) -> Self {
        Self(angle(self.0, x.into().0))
    }

    /// The absolute value; at 0 it has the derivative from the right.
    #[must_use]
    #[inline(never)]
    pub fn abs(self) -> Self {
        if self < 0.0 { -self } else { self }
    }

    /// The sign, 1 or −1; it is 1 at 0, and the derivative is 0 everywhere.
    #[must_use]
    #[inline(never)]
    pub fn signum(self) -> Self {
        Self::from(if self < 0.0 { -1.0 } else { 1.0 })
    }

    /// The nearest number between `low` and `high`, that is `max(low).min(high)`.
    #[must_use]
    #[inline(never)]
    pub fn clamp(self, low: impl Into<Self>, high: impl Into<Self>) -> Self {
        self.max(low).min(high)
    }

    /// The smaller of both; of equal values, `self`.
    #[must_use]
    #[inline(never)]
    pub fn min(self, other: impl Into<Self>) -> Self {
        let other = other.into();
        if other < self { other } else { self }
    }

    /// The larger of both; of equal values, `self`.
    #[must_use]
    #[inline(never)]
    pub fn max(self, other: impl Into<Self>) -> Self {
        let other = other.into();
        if other > self { other } else { self }
    }
}

/// The exponent of a power: a number, or a scalar that varies and needs a positive base.
pub trait Exponent<T> {
    /// The power of this base.
    fn of(self, base: Scalar<T>) -> Scalar<T>;
}

impl<T: Number> Exponent<T> for f64 {
    fn of(self, Scalar(base): Scalar<T>) -> Scalar<T> {
        Scalar(power(base, base.re.re().powf(self), self))
    }
}

impl<T: Number> Exponent<T> for Scalar<T> {
    fn of(self, base: Scalar<T>) -> Scalar<T> {
        (self * base.ln()).exp()
    }
}
