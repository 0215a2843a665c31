use crate::system::Signal;
use num_dual::{Dual, DualNum};
use std::cmp::Ordering;

/// A number on which declarations can be evaluated: `f64`, or a dual number of any order.
pub trait Number: DualNum<Primitive = f64> + Copy {}

impl<T: DualNum<Primitive = f64> + Copy> Number for T {}

/// A scalar expression: its value x and its rate of change dx/dt, the parts x + ẋ ε of a dual number.
///
/// [`Dual`] has its arithmetic and its functions. Declarations need more, which is added here: numbers
/// on the left of an operator, functions of values, and the branch taken by a piecewise function.
///
/// The rate is NaN if it is unknown: for results of [`der`](super::der), and for coordinates in a
/// constraint, which has no velocities.
#[derive(Debug, Clone, Copy)]
pub struct Scalar<T>(pub(super) Dual<T>);

impl<T: Number> Scalar<T> {
    /// The quantity with this value and this rate of change.
    pub fn new(value: T, rate: T) -> Self {
        Self(Dual::new(value, rate))
    }

    /// A quantity that does not change: rate 0.
    pub fn constant(value: T) -> Self {
        Self(Dual::from_re(value))
    }

    /// The time t: rate 1.
    pub fn time(t: T) -> Self {
        Self(Dual::from_re(t).derivative())
    }

    /// The phase ω t + θ₀: rate ω.
    pub fn phase(t: T, frequency: f64, initial: f64) -> Self {
        Self(Self::time(t).0 * frequency + initial)
    }

    /// An input at the time t: its value is a number, its rate unknown.
    pub fn input(t: T, signal: &Signal) -> Self {
        Self::without_rate(T::from(signal.value(t.re())))
    }

    /// Value and rate as a dual number, for functions that do not know this type.
    pub fn dual(scalar: impl Into<Self>) -> Dual<T> {
        scalar.into().0
    }

    /// The quantity with value and rate of a dual number.
    pub fn of_dual(dual: Dual<T>) -> Self {
        Self(dual)
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
        self.0.re
    }

    /// The rate of change with time; NaN if unknown.
    pub fn rate(self) -> T {
        self.0.eps
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

/// Compares values, not rates or derivatives.
impl<T: Number> PartialEq for Scalar<T> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

/// Compares values, not rates or derivatives.
impl<T: Number> PartialOrd for Scalar<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.0.partial_cmp(&other.0)
    }
}

/// Compares the value with a number.
impl<T: Number> PartialEq<f64> for Scalar<T> {
    fn eq(&self, other: &f64) -> bool {
        self.0 == *other
    }
}

/// Compares the value with a number.
impl<T: Number> PartialOrd<f64> for Scalar<T> {
    fn partial_cmp(&self, other: &f64) -> Option<Ordering> {
        self.0.partial_cmp(other)
    }
}

/// Compares a number with the value.
impl<T: Number> PartialEq<Scalar<T>> for f64 {
    fn eq(&self, other: &Scalar<T>) -> bool {
        other == self
    }
}

/// Compares a number with the value.
impl<T: Number> PartialOrd<Scalar<T>> for f64 {
    fn partial_cmp(&self, other: &Scalar<T>) -> Option<Ordering> {
        other.partial_cmp(self).map(Ordering::reverse)
    }
}
