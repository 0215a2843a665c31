//! The numbers of an evaluation: `f64`, or numbers that carry derivatives.

use least_action_core::expr::{self, Number, Scalar};
use std::ops::{Add, Div, Mul, Neg, Sub};

/// Names the functions of one number for both kinds of numbers.
macro_rules! elementary {
    ($($function:ident)*; steps $($step:ident)*) => {
        /// A function of one number, by its name in Rust.
        #[allow(non_camel_case_types, reason = "the names are those of Rust")]
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[allow(missing_docs, reason = "the names are those of Rust")]
        pub enum Elementary { $($function,)* $($step,)* erf, erfc }

        impl Elementary {
            /// The function of this name.
            pub fn named(name: &str) -> Option<Self> {
                match name {
                    $(stringify!($function) => Some(Self::$function),)*
                    $(stringify!($step) => Some(Self::$step),)*
                    "erf" => Some(Self::erf),
                    "erfc" => Some(Self::erfc),
                    _ => None,
                }
            }

            fn of(self, x: f64) -> f64 {
                match self {
                    $(Self::$function => x.$function(),)*
                    $(Self::$step => x.$step(),)*
                    Self::erf => expr::erf(x),
                    Self::erfc => expr::erfc(x),
                }
            }

            fn of_scalar<T: Number>(self, x: Scalar<T>) -> Scalar<T> {
                match self {
                    $(Self::$function => x.$function(),)*
                    $(Self::$step => Scalar::from(x.value().re().$step()),)*
                    Self::erf => x.erf(),
                    Self::erfc => x.erfc(),
                }
            }
        }
    };
}

elementary! {
    sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp exp2 exp_m1 ln ln_1p log2 log10 sqrt cbrt
    recip abs signum to_radians to_degrees;
    steps floor ceil round round_ties_even trunc
}

/// A function of two numbers, by its name in Rust.
#[allow(non_camel_case_types, missing_docs, reason = "the names are those of Rust")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OfTwo {
    powf,
    atan2,
    hypot,
    log,
    rem_euclid,
    copysign,
}

/// A number on which plain Rust is evaluated.
pub trait Numeric:
    Copy
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// A constant.
    fn of(value: f64) -> Self;
    /// Its value.
    fn real(&self) -> f64;
    /// aⁿ.
    #[must_use]
    fn power(self, exponent: i32) -> Self;
    /// A function of it.
    #[must_use]
    fn apply(self, function: Elementary) -> Self;
    /// A function of it and another.
    #[must_use]
    fn with(self, function: OfTwo, other: Self) -> Self;
    /// a b + c in one rounding, where there is such an operation.
    #[must_use]
    fn times_plus(self, factor: Self, term: Self) -> Self;
    /// Its rate of change with time.
    #[must_use]
    fn rate(self) -> Self;
    /// Its value with another rate of change.
    #[must_use]
    fn with_rate(self, rate: Self) -> Self;
    /// The value of its rate; NaN if it is unknown.
    fn real_rate(&self) -> f64;
}

impl Numeric for f64 {
    fn of(value: f64) -> Self {
        value
    }

    fn real(&self) -> f64 {
        *self
    }

    fn power(self, exponent: i32) -> Self {
        self.powi(exponent)
    }

    fn apply(self, function: Elementary) -> Self {
        function.of(self)
    }

    fn with(self, function: OfTwo, other: Self) -> Self {
        match function {
            OfTwo::powf => self.powf(other),
            OfTwo::atan2 => self.atan2(other),
            OfTwo::hypot => self.hypot(other),
            OfTwo::log => self.log(other),
            OfTwo::rem_euclid => self.rem_euclid(other),
            OfTwo::copysign => self.copysign(other),
        }
    }

    fn times_plus(self, factor: Self, term: Self) -> Self {
        self.mul_add(factor, term)
    }

    fn rate(self) -> Self {
        Self::NAN
    }

    fn with_rate(self, _: Self) -> Self {
        self
    }

    fn real_rate(&self) -> f64 {
        // What is made of a rate has none.
        if self.is_nan() { Self::NAN } else { 0.0 }
    }
}

impl<T: Number> Numeric for Scalar<T> {
    fn of(value: f64) -> Self {
        Self::from(value)
    }

    fn real(&self) -> f64 {
        self.value().re()
    }

    fn power(self, exponent: i32) -> Self {
        self.powi(exponent)
    }

    fn apply(self, function: Elementary) -> Self {
        function.of_scalar(self)
    }

    fn with(self, function: OfTwo, other: Self) -> Self {
        let quotient = self.real() / other.real();
        match function {
            OfTwo::powf => self.powf(other),
            OfTwo::atan2 => self.atan2(other),
            OfTwo::hypot => self.hypot(other),
            OfTwo::log => Scalar::log(self, other),
            OfTwo::rem_euclid if other.real() < 0.0 => self - other * quotient.ceil(),
            OfTwo::rem_euclid => self - other * quotient.floor(),
            OfTwo::copysign if self.real().is_sign_negative() != other.real().is_sign_negative() => -self,
            OfTwo::copysign => self,
        }
    }

    fn times_plus(self, factor: Self, term: Self) -> Self {
        self * factor + term
    }

    fn rate(self) -> Self {
        Self::without_rate(Scalar::rate(self))
    }

    fn with_rate(self, rate: Self) -> Self {
        Self::new(self.value(), rate.value())
    }

    fn real_rate(&self) -> f64 {
        Scalar::rate(*self).re()
    }
}

/// The constants of `std::f64` and `std::f64::consts`.
pub(crate) fn constant(name: &str) -> Option<f64> {
    use std::f64::consts as c;
    Some(match name {
        "PI" => c::PI,
        "TAU" => c::TAU,
        "E" => c::E,
        "SQRT_2" => c::SQRT_2,
        "FRAC_1_SQRT_2" => c::FRAC_1_SQRT_2,
        "FRAC_PI_2" => c::FRAC_PI_2,
        "FRAC_PI_3" => c::FRAC_PI_3,
        "FRAC_PI_4" => c::FRAC_PI_4,
        "FRAC_PI_6" => c::FRAC_PI_6,
        "LN_2" => c::LN_2,
        "EPSILON" => f64::EPSILON,
        "MIN" => f64::MIN,
        "MAX" => f64::MAX,
        "MIN_POSITIVE" => f64::MIN_POSITIVE,
        "INFINITY" => f64::INFINITY,
        "NEG_INFINITY" => f64::NEG_INFINITY,
        "NAN" => f64::NAN,
        _ => return None,
    })
}
