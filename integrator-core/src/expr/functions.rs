//! The elementary functions of a scalar. Each states f and f'; the chain rule does the rest.
//!
//! Never inlined, as the operators: what they compile to with dual numbers is long.

use super::{Number, Scalar, erf, erfc};
use std::f64::consts::{FRAC_2_SQRT_PI, FRAC_PI_2, LN_2, LN_10, PI};

impl<T: Number> Scalar<T> {
    /// The sine.
    #[must_use]
    #[inline(never)]
    pub fn sin(self) -> Self {
        self.chain(self.value.sin(), self.value.cos())
    }

    /// The cosine.
    #[must_use]
    #[inline(never)]
    pub fn cos(self) -> Self {
        self.chain(self.value.cos(), -self.value.sin())
    }

    /// Sine and cosine.
    #[must_use]
    #[inline(never)]
    pub fn sin_cos(self) -> (Self, Self) {
        (self.sin(), self.cos())
    }

    /// The tangent.
    #[must_use]
    #[inline(never)]
    pub fn tan(self) -> Self {
        let tangent = self.value.tan();
        self.chain(tangent, tangent * tangent + 1.0)
    }

    /// The arcsine.
    #[must_use]
    #[inline(never)]
    pub fn asin(self) -> Self {
        self.chain(self.value.asin(), (T::one() - self.value * self.value).sqrt().recip())
    }

    /// The arccosine.
    #[must_use]
    #[inline(never)]
    pub fn acos(self) -> Self {
        self.chain(self.value.acos(), -(T::one() - self.value * self.value).sqrt().recip())
    }

    /// The arctangent.
    #[must_use]
    #[inline(never)]
    pub fn atan(self) -> Self {
        self.chain(self.value.atan(), (self.value * self.value + 1.0).recip())
    }

    /// The angle of the point (x, y) = (`x`, `self`), in (−π, π].
    #[must_use]
    #[inline(never)]
    pub fn atan2(self, x: impl Into<Self>) -> Self {
        let (y, x) = (self, x.into());
        let rate = (x.value * y.rate - y.value * x.rate) / (x.value * x.value + y.value * y.value);
        Self::new(angle_of(y.value, x.value), rate)
    }

    /// The hyperbolic sine.
    #[must_use]
    #[inline(never)]
    pub fn sinh(self) -> Self {
        self.chain(self.value.sinh(), self.value.cosh())
    }

    /// The hyperbolic cosine.
    #[must_use]
    #[inline(never)]
    pub fn cosh(self) -> Self {
        self.chain(self.value.cosh(), self.value.sinh())
    }

    /// The hyperbolic tangent.
    #[must_use]
    #[inline(never)]
    pub fn tanh(self) -> Self {
        let tangent = self.value.tanh();
        self.chain(tangent, T::one() - tangent * tangent)
    }

    /// The inverse hyperbolic sine.
    #[must_use]
    #[inline(never)]
    pub fn asinh(self) -> Self {
        self.chain(self.value.asinh(), (self.value * self.value + 1.0).sqrt().recip())
    }

    /// The inverse hyperbolic cosine.
    #[must_use]
    #[inline(never)]
    pub fn acosh(self) -> Self {
        self.chain(self.value.acosh(), (self.value * self.value - 1.0).sqrt().recip())
    }

    /// The inverse hyperbolic tangent.
    #[must_use]
    #[inline(never)]
    pub fn atanh(self) -> Self {
        self.chain(self.value.atanh(), (T::one() - self.value * self.value).recip())
    }

    /// The exponential function.
    #[must_use]
    #[inline(never)]
    pub fn exp(self) -> Self {
        let power = self.value.exp();
        self.chain(power, power)
    }

    /// The power 2ˣ.
    #[must_use]
    #[inline(never)]
    pub fn exp2(self) -> Self {
        let power = self.value.exp2();
        self.chain(power, power * LN_2)
    }

    /// The difference eˣ − 1.
    #[must_use]
    #[inline(never)]
    pub fn exp_m1(self) -> Self {
        self.chain(self.value.exp_m1(), self.value.exp())
    }

    /// The natural logarithm.
    #[must_use]
    #[inline(never)]
    pub fn ln(self) -> Self {
        self.chain(self.value.ln(), self.value.recip())
    }

    /// The natural logarithm of 1 + x.
    #[must_use]
    #[inline(never)]
    pub fn ln_1p(self) -> Self {
        self.chain(self.value.ln_1p(), (self.value + 1.0).recip())
    }

    /// The logarithm to base 2.
    #[must_use]
    #[inline(never)]
    pub fn log2(self) -> Self {
        self.chain(self.value.log2(), (self.value * LN_2).recip())
    }

    /// The logarithm to base 10.
    #[must_use]
    #[inline(never)]
    pub fn log10(self) -> Self {
        self.chain(self.value.log10(), (self.value * LN_10).recip())
    }

    /// The error function erf x = 2/√π ∫₀ˣ exp(−t²) dt.
    #[must_use]
    #[inline(never)]
    pub fn erf(self) -> Self {
        self.chain(erf(self.value), (-self.value * self.value).exp() * FRAC_2_SQRT_PI)
    }

    /// The complementary error function 1 − erf x, accurate where it is small.
    #[must_use]
    #[inline(never)]
    pub fn erfc(self) -> Self {
        self.chain(erfc(self.value), (-self.value * self.value).exp() * -FRAC_2_SQRT_PI)
    }

    /// The square root.
    #[must_use]
    #[inline(never)]
    pub fn sqrt(self) -> Self {
        let root = self.value.sqrt();
        self.chain(root, root.recip() * 0.5)
    }

    /// The cube root.
    #[must_use]
    #[inline(never)]
    pub fn cbrt(self) -> Self {
        let root = self.value.cbrt();
        self.chain(root, (root * root * 3.0).recip())
    }

    /// The integer power xⁿ.
    #[must_use]
    #[inline(never)]
    pub fn powi(self, n: i32) -> Self {
        if n == 0 {
            return Self::constant(T::one());
        }
        self.chain(self.value.powi(n), self.value.powi(n - 1) * f64::from(n))
    }

    /// The real power xᵖ.
    #[must_use]
    #[inline(never)]
    pub fn powf(self, p: f64) -> Self {
        if p == 0.0 {
            return Self::constant(T::one());
        }
        self.chain(self.value.powf(p), self.value.powf(p - 1.0) * p)
    }

    /// The reciprocal 1/x.
    #[must_use]
    #[inline(never)]
    pub fn recip(self) -> Self {
        let reciprocal = self.value.recip();
        self.chain(reciprocal, -reciprocal * reciprocal)
    }

    /// The length √(x² + y²).
    #[must_use]
    #[inline(never)]
    pub fn hypot(self, other: impl Into<Self>) -> Self {
        let other = other.into();
        (self * self + other * other).sqrt()
    }

    /// The absolute value; at 0, where it has a kink, the derivative is that of the branch to the right.
    #[must_use]
    #[inline(never)]
    pub fn abs(self) -> Self {
        if self.value.re() < 0.0 { -self } else { self }
    }

    /// The sign, 1 or −1; at 0 it is 1, and the derivative is 0 everywhere.
    #[must_use]
    #[inline(never)]
    pub fn signum(self) -> Self {
        Self::from(if self.value.re() < 0.0 { -1.0 } else { 1.0 })
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
        if other.value.re() < self.value.re() { other } else { self }
    }

    /// The larger of both; of equal values, `self`.
    #[must_use]
    #[inline(never)]
    pub fn max(self, other: impl Into<Self>) -> Self {
        let other = other.into();
        if other.value.re() > self.value.re() { other } else { self }
    }
}

/// The angle of (x, y), through the quotient whose denominator is the larger coordinate, so that all derivatives are
/// finite everywhere but at the origin.
fn angle_of<T: Number>(y: T, x: T) -> T {
    if y.re().abs() <= x.re().abs() {
        let angle = (y / x).atan();
        if x.re() > 0.0 {
            angle
        } else if y.re().is_sign_negative() {
            angle - PI
        } else {
            angle + PI
        }
    } else {
        let complement = (x / y).atan();
        -complement + if y.re() > 0.0 { FRAC_PI_2 } else { -FRAC_PI_2 }
    }
}
