use num_dual::{Dual, DualNum};
use std::cmp::Ordering;

/// A number on which declarations can be evaluated: `f64`, or a dual number of any order over it.
pub trait Number: DualNum<Primitive = f64> + Copy {}

impl<T: DualNum<Primitive = f64> + Copy> Number for T {}

/// A scalar expression: its value and its rate of change with time.
///
/// The rate is not a number (NaN) where it is unknown: for what [`der`](super::der) returned, and for coordinates of
/// a constraint, which has no velocities.
#[derive(Debug, Clone, Copy)]
pub struct Scalar<T> {
    pub(super) value: T,
    pub(super) rate: T,
}

impl<T: Number> Scalar<T> {
    /// The quantity with this value and this rate of change.
    pub fn new(value: T, rate: T) -> Self {
        Self { value, rate }
    }

    /// A quantity that does not change: rate 0.
    pub fn constant(value: T) -> Self {
        Self::new(value, T::zero())
    }

    /// The time t: rate 1.
    pub fn time(t: T) -> Self {
        Self::new(t, T::one())
    }

    /// The phase ω t + θ₀: rate ω.
    pub fn phase(t: T, frequency: f64, initial: f64) -> Self {
        Self::new(t * frequency + initial, T::from(frequency))
    }

    /// Value and rate as one dual number, for functions that know nothing of this type.
    pub fn dual(scalar: impl Into<Self>) -> Dual<T> {
        let scalar = scalar.into();
        Dual::new(scalar.value, scalar.rate)
    }

    /// The quantity with the value and the rate of a dual number.
    pub fn of_dual(dual: Dual<T>) -> Self {
        Self::new(dual.re, dual.eps)
    }

    /// A quantity whose rate is unknown: NaN.
    pub fn without_rate(value: T) -> Self {
        Self::new(value, T::from(f64::NAN))
    }

    /// The constant 0.
    pub fn zero() -> Self {
        Self::constant(T::zero())
    }

    /// The value.
    pub fn value(self) -> T {
        self.value
    }

    /// The rate of change with time; NaN where it is unknown.
    pub fn rate(self) -> T {
        self.rate
    }

    /// f(x) with f'(x) given: the chain rule.
    pub(super) fn chain(self, value: T, derivative: T) -> Self {
        Self::new(value, derivative * self.rate)
    }
}

impl<T: Number> From<f64> for Scalar<T> {
    fn from(value: f64) -> Self {
        Self::constant(T::from(value))
    }
}

impl<T: Number> From<&Scalar<T>> for Scalar<T> {
    fn from(scalar: &Scalar<T>) -> Self {
        *scalar
    }
}

/// Compares values; rates and derivatives do not matter.
impl<T: Number> PartialEq for Scalar<T> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

/// Compares values; rates and derivatives do not matter.
impl<T: Number> PartialOrd for Scalar<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.value.partial_cmp(&other.value)
    }
}

/// Compares the value with a number.
impl<T: Number> PartialEq<f64> for Scalar<T> {
    fn eq(&self, other: &f64) -> bool {
        self.value.re() == *other
    }
}

/// Compares the value with a number.
impl<T: Number> PartialOrd<f64> for Scalar<T> {
    fn partial_cmp(&self, other: &f64) -> Option<Ordering> {
        self.value.re().partial_cmp(other)
    }
}

/// Compares a number with the value.
impl<T: Number> PartialEq<Scalar<T>> for f64 {
    fn eq(&self, other: &Scalar<T>) -> bool {
        *self == other.value.re()
    }
}

/// Compares a number with the value.
impl<T: Number> PartialOrd<Scalar<T>> for f64 {
    fn partial_cmp(&self, other: &Scalar<T>) -> Option<Ordering> {
        self.partial_cmp(&other.value.re())
    }
}
