//! The elementary functions of a scalar, with rates by the chain rule.
//!
//! Most come from `num_dual`. The others are here,
//! because `num_dual` lacks them or is undefined for some x.
//!
//! Never inlined, like the operators: with dual numbers they compile to long code.

use super::{Number, Scalar, erf, erfc};
use num_dual::{Dual, DualNum};
use std::f64::consts::{FRAC_2_SQRT_PI, FRAC_PI_2, PI};

/// Functions of one scalar from `num_dual`.
macro_rules! of_num_dual {
    ($($(#[$doc:meta])+ $function:ident;)+) => {
        impl<T: Number> Scalar<T> {$(
            $(#[$doc])+
            #[must_use]
            #[inline(never)]
            pub fn $function(self) -> Self {
                Self(self.0.$function())
            }
        )+}
    };
}

/// Functions of one scalar defined here: f(x) and f'(x) of the value x.
macro_rules! stated {
    ($($(#[$doc:meta])+ $function:ident: |$x:ident| $value:expr, $derivative:expr;)+) => {
        impl<T: Number> Scalar<T> {$(
            $(#[$doc])+
            #[must_use]
            #[inline(never)]
            pub fn $function(self) -> Self {
                let $x = self.value();
                self.chain($value, $derivative)
            }
        )+}
    };
}

of_num_dual! {
    /// The sine.
    sin;
    /// The cosine.
    cos;
    /// The tangent.
    tan;
    /// The arcsine.
    asin;
    /// The arccosine.
    acos;
    /// The arctangent.
    atan;
    /// The hyperbolic sine.
    sinh;
    /// The hyperbolic cosine.
    cosh;
    /// The inverse hyperbolic sine.
    asinh;
    /// The inverse hyperbolic cosine.
    acosh;
    /// The inverse hyperbolic tangent.
    atanh;
    /// The exponential function.
    exp;
    /// The power 2ˣ.
    exp2;
    /// The difference eˣ − 1.
    exp_m1;
    /// The natural logarithm.
    ln;
    /// The natural logarithm of 1 + x.
    ln_1p;
    /// The logarithm to base 2.
    log2;
    /// The logarithm to base 10.
    log10;
    /// The square root.
    sqrt;
    /// The cube root.
    cbrt;
    /// The reciprocal 1/x.
    recip;
}

stated! {
    /// The hyperbolic tangent; the quotient of `num_dual` is NaN where sinh and cosh are infinite.
    tanh: |x| x.tanh(), T::one() - x.tanh() * x.tanh();
    /// The error function erf x = 2/√π ∫₀ˣ exp(−t²) dt.
    erf: |x| erf(x), (-x * x).exp() * FRAC_2_SQRT_PI;
    /// The complementary error function 1 − erf x, accurate where it is small.
    erfc: |x| erfc(x), (-x * x).exp() * -FRAC_2_SQRT_PI;
}

impl<T: Number> Scalar<T> {
    /// f(x) with the given f'(x): the chain rule.
    fn chain(self, value: T, derivative: T) -> Self {
        Self::new(value, derivative * self.rate())
    }

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
        Self(self.0.powi(n))
    }

    /// The real power xᵖ; `num_dual` divides by x³, which is NaN at zero.
    #[must_use]
    #[inline(never)]
    pub fn powf(self, p: f64) -> Self {
        if p == 0.0 {
            return Self::constant(T::one());
        }
        self.chain(self.value().powf(p), self.value().powf(p - 1.0) * p)
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
        Self(angle_of(self.0, x.into().0))
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

/// The angle of (x, y) by the quotient with the larger denominator,
/// so that all derivatives are finite except at the origin; `num_dual` divides by x.
fn angle_of<T: Number>(y: Dual<T>, x: Dual<T>) -> Dual<T> {
    let (of_y, of_x) = (y.re.re(), x.re.re());
    if of_y.abs() <= of_x.abs() {
        let angle = (y / x).atan();
        if of_x > 0.0 {
            angle
        } else if of_y.is_sign_negative() {
            angle - PI
        } else {
            angle + PI
        }
    } else {
        let complement = (x / y).atan();
        -complement + if of_y > 0.0 { FRAC_PI_2 } else { -FRAC_PI_2 }
    }
}
