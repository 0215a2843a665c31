//! Whether an element is the same everywhere along a direction, as its expression proves.
//!
//! The kernel runs once more, on numbers that know only how fast they grow when all coordinates move along the direction: a
//! difference of two that grow alike does not grow, and nothing that is computed from such does. What the rules below do not
//! prove is unknown, so that the answer is never wrong where it is yes.

use super::instant::Instant;
use super::kernel::Kernel;
use crate::lanes::Real;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// Whether f(x + s a) = f(x) for all x and s, with these coefficients.
pub(super) fn is_invariant<K: Kernel<X, C, H>, const X: usize, const C: usize, const H: usize>(
    direction: &[f64; X],
    coefficients: &[f64; C],
) -> bool {
    let still = Growth { rate: 0.0, constant: None };
    // Loops, because `map` of a long array is much code.
    let (mut x, mut c) = ([still; X], [still; C]);
    x.iter_mut().zip(direction).for_each(|(x, rate)| x.rate = *rate);
    c.iter_mut().zip(coefficients).for_each(|(c, value)| *c = constant(*value));
    K::value(&x, &c, Instant { t: still, theta: still }).rate == 0.0
}

/// What is known of a quantity that moves along the direction.
#[derive(Debug, Clone, Copy)]
struct Growth {
    /// How fast it grows, if at a constant rate; else not a number, which every rule hands on.
    rate: f64,
    /// Its value, where that is the same everywhere.
    constant: Option<f64>,
}

fn constant(value: f64) -> Growth {
    Growth { rate: 0.0, constant: Some(value) }
}

impl Growth {
    /// What a function makes of quantities of which it is only known whether they stand still.
    fn of<const N: usize>(arguments: [Self; N]) -> Self {
        let still = arguments.iter().all(|argument| argument.rate == 0.0);
        Self { rate: if still { 0.0 } else { f64::NAN }, constant: None }
    }

    fn still(self) -> Self {
        Self::of([self])
    }
}

impl Neg for Growth {
    type Output = Self;

    fn neg(self) -> Self {
        Self { rate: -self.rate, constant: self.constant.map(Neg::neg) }
    }
}

impl Add for Growth {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let constant = self.constant.zip(other.constant).map(|(a, b)| a + b);
        Self { rate: self.rate + other.rate, constant }
    }
}

impl Sub for Growth {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Growth {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        match (self.constant, other.constant) {
            (Some(a), Some(b)) => constant(a * b),
            (Some(factor), None) => Self { rate: factor * other.rate, constant: None },
            (None, Some(factor)) => Self { rate: factor * self.rate, constant: None },
            (None, None) => Self::of([self, other]),
        }
    }
}

impl Div for Growth {
    type Output = Self;

    #[expect(
        clippy::suspicious_arithmetic_impl,
        reason = "a quotient grows like the product with the reciprocal"
    )]
    fn div(self, other: Self) -> Self {
        self * other.recip()
    }
}

impl Add<f64> for Growth {
    type Output = Self;

    fn add(self, other: f64) -> Self {
        self + constant(other)
    }
}

impl Sub<f64> for Growth {
    type Output = Self;

    fn sub(self, other: f64) -> Self {
        self - constant(other)
    }
}

impl Mul<f64> for Growth {
    type Output = Self;

    fn mul(self, other: f64) -> Self {
        self * constant(other)
    }
}

/// Functions of which nothing is known but that they stand still where their argument does.
macro_rules! any_function {
    ($($name:ident),+) => {
        $(fn $name(self) -> Self {
            self.still()
        })+
    };
}

impl Real for Growth {
    /// Whether it is the same everywhere.
    type Mask = bool;

    any_function!(sqrt, recip_sqrt, abs, sin, cos, tan, asin, acos, atan, sinh, cosh, tanh);
    any_function!(asinh, acosh, atanh, exp, exp_m1, ln, ln_1p, cbrt, erf, erfc);

    fn number(self, value: f64) -> Self {
        constant(value)
    }

    fn multiply_add(self, factor: Self, summand: Self) -> Self {
        self * factor + summand
    }

    fn recip(self) -> Self {
        Self { constant: self.constant.map(f64::recip), ..self.still() }
    }

    fn atan2(self, x: Self) -> Self {
        Self::of([self, x])
    }

    fn powf(self, exponent: Self) -> Self {
        Self::of([self, exponent])
    }

    fn lt(self, other: Self) -> bool {
        (self - other).rate == 0.0
    }

    fn le(self, other: Self) -> bool {
        (self - other).rate == 0.0
    }

    fn both(a: bool, b: bool) -> bool {
        a && b
    }

    fn either(a: bool, b: bool) -> bool {
        a && b
    }

    fn not(mask: bool) -> bool {
        mask
    }

    fn select(mask: bool, yes: Self, no: Self) -> Self {
        let alike = mask && (yes - no).rate == 0.0;
        Self { rate: if alike { yes.rate } else { f64::NAN }, constant: None }
    }

    fn lanewise<const I: usize, const O: usize>(
        self,
        inputs: [Self; I],
        _: impl FnMut([f64; I]) -> [f64; O],
    ) -> [Self; O] {
        [Self::of(inputs); O]
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "rates are exact where they are known")]
mod tests {
    use super::{Growth, Real};

    fn growing(rate: f64) -> Growth {
        Growth { rate, constant: None }
    }

    #[test]
    fn differences_of_what_grows_alike_stand_still_and_so_does_all_that_is_made_of_them() {
        let (a, b) = (growing(0.3), growing(0.3));
        let distance = ((a - b) * (a - b) + 2.0).sqrt();
        assert_eq!(((distance - 1.0) * (distance - 1.0)).rate, 0.0);
        assert_eq!((a + b * -1.0).rate, 0.0);
        assert_eq!((a * growing(0.0).number(0.0)).rate, 0.0);
        assert_eq!(Growth::select(a.lt(b), a, b).rate, 0.3);
    }

    #[test]
    fn what_is_not_proven_is_not_said() {
        let (a, b, still) = (growing(0.3), growing(0.2), growing(0.0));
        for unknown in [
            a - b + (a - b).sin(),
            a * a - b * b,
            still * a,
            a / b,
            Growth::select(a.lt(still), still, still),
            Growth::select(still.lt(still), a, still),
            a.atan2(b),
            (a * f64::INFINITY) * 0.0,
        ] {
            assert_ne!(unknown.rate, 0.0, "{unknown:?}");
        }
        assert_eq!((a * 2.0).rate, 0.6);
    }
}
