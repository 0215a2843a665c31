//! Sums, products and quotients of numbers, scalars and vectors, as values and references.

use super::{Mat3, Number, Scalar, Vec2, Vec3};
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

/// A binary operator for values and references on both sides.
///
/// Never inlined: products of dual numbers are long, and declarations are rarely evaluated on them.
macro_rules! binary {
    ($left:ty, $operator:ident :: $method:ident, $right:ty => $output:ty, |$a:ident, $b:ident| $result:expr) => {
        impl<T: Number> $operator<$right> for $left {
            type Output = $output;

            #[inline(never)]
            fn $method(self, right: $right) -> $output {
                let ($a, $b) = (self, right);
                $result
            }
        }

        impl<T: Number> $operator<&$right> for $left {
            type Output = $output;

            fn $method(self, right: &$right) -> $output {
                $operator::$method(self, *right)
            }
        }

        impl<T: Number> $operator<$right> for &$left {
            type Output = $output;

            fn $method(self, right: $right) -> $output {
                $operator::$method(*self, right)
            }
        }

        impl<T: Number> $operator<&$right> for &$left {
            type Output = $output;

            fn $method(self, right: &$right) -> $output {
                $operator::$method(*self, *right)
            }
        }
    };
}

/// An assigning operator from its plain form.
macro_rules! assigning {
    ($left:ty, $operator:ident :: $method:ident, $right:ty, $plain:tt) => {
        impl<T: Number> $operator<$right> for $left {
            fn $method(&mut self, right: $right) {
                *self = *self $plain right;
            }
        }

        impl<T: Number> $operator<&$right> for $left {
            fn $method(&mut self, right: &$right) {
                *self = *self $plain *right;
            }
        }
    };
}

/// Negation and sums.
macro_rules! additive {
    ($type:ty, |$a:ident| $negated:expr) => {
        impl<T: Number> Neg for $type {
            type Output = $type;

            fn neg(self) -> $type {
                let $a = self;
                $negated
            }
        }

        impl<T: Number> Neg for &$type {
            type Output = $type;

            fn neg(self) -> $type {
                -*self
            }
        }

        impl<T: Number> Sum for $type {
            fn sum<I: Iterator<Item = Self>>(terms: I) -> Self {
                terms.fold(Self::zero(), |total, term| total + term)
            }
        }

        impl<'a, T: Number> Sum<&'a $type> for $type {
            fn sum<I: Iterator<Item = &'a Self>>(terms: I) -> Self {
                terms.copied().sum()
            }
        }

        assigning!($type, AddAssign::add_assign, $type, +);
        assigning!($type, SubAssign::sub_assign, $type, -);
        assigning!($type, MulAssign::mul_assign, Scalar<T>, *);
        assigning!($type, MulAssign::mul_assign, f64, *);
        assigning!($type, DivAssign::div_assign, Scalar<T>, /);
        assigning!($type, DivAssign::div_assign, f64, /);
    };
}

/// All operators of a vector.
macro_rules! vector {
    ($vector:ident, $($component:ident),+) => {
        binary!($vector<T>, Add::add, $vector<T> => $vector<T>, |a, b| $vector::new($(a.$component + b.$component),+));
        binary!($vector<T>, Sub::sub, $vector<T> => $vector<T>, |a, b| $vector::new($(a.$component - b.$component),+));
        binary!($vector<T>, Mul::mul, Scalar<T> => $vector<T>, |a, factor| a.map(|component| component * factor));
        binary!(Scalar<T>, Mul::mul, $vector<T> => $vector<T>, |factor, a| a.map(|component| factor * component));
        binary!($vector<T>, Mul::mul, f64 => $vector<T>, |a, factor| a.map(|component| component * factor));
        binary!(f64, Mul::mul, $vector<T> => $vector<T>, |factor, a| a.map(|component| factor * component));
        binary!($vector<T>, Div::div, Scalar<T> => $vector<T>, |a, divisor| a.map(|component| component / divisor));
        binary!($vector<T>, Div::div, f64 => $vector<T>, |a, divisor| a.map(|component| component / divisor));
        additive!($vector<T>, |a| a.map(|component| -component));
    };
}

binary!(Scalar<T>, Add::add, Scalar<T> => Scalar<T>, |a, b| Scalar(a.0 + b.0));
binary!(Scalar<T>, Add::add, f64 => Scalar<T>, |a, b| Scalar(a.0 + b));
binary!(f64, Add::add, Scalar<T> => Scalar<T>, |a, b| Scalar(b.0 + a));

binary!(Scalar<T>, Sub::sub, Scalar<T> => Scalar<T>, |a, b| Scalar(a.0 - b.0));
binary!(Scalar<T>, Sub::sub, f64 => Scalar<T>, |a, b| Scalar(a.0 - b));
binary!(f64, Sub::sub, Scalar<T> => Scalar<T>, |a, b| Scalar(-b.0 + a));

binary!(Scalar<T>, Mul::mul, Scalar<T> => Scalar<T>, |a, b| Scalar(a.0 * b.0));
binary!(Scalar<T>, Mul::mul, f64 => Scalar<T>, |a, b| Scalar(a.0 * b));
binary!(f64, Mul::mul, Scalar<T> => Scalar<T>, |a, b| Scalar(b.0 * a));

binary!(Scalar<T>, Div::div, Scalar<T> => Scalar<T>, |a, b| Scalar(a.0 / b.0));
binary!(Scalar<T>, Div::div, f64 => Scalar<T>, |a, b| Scalar(a.0 / b));
binary!(f64, Div::div, Scalar<T> => Scalar<T>, |a, b| Scalar::from(a) / b);

additive!(Scalar<T>, |a| Scalar(-a.0));
assigning!(Scalar<T>, AddAssign::add_assign, f64, +);
assigning!(Scalar<T>, SubAssign::sub_assign, f64, -);

vector!(Vec2, x, y);
vector!(Vec3, x, y, z);

binary!(Mat3<T>, Add::add, Mat3<T> => Mat3<T>, |a, b| a.zip(b, |a, b| a + b));
binary!(Mat3<T>, Sub::sub, Mat3<T> => Mat3<T>, |a, b| a.zip(b, |a, b| a - b));
binary!(Mat3<T>, Mul::mul, Mat3<T> => Mat3<T>, |a, b| a.times(b));
binary!(Mat3<T>, Mul::mul, Vec3<T> => Vec3<T>, |a, v| a.apply(v));
binary!(Mat3<T>, Mul::mul, Scalar<T> => Mat3<T>, |a, factor| a.map(|entry| entry * factor));
binary!(Scalar<T>, Mul::mul, Mat3<T> => Mat3<T>, |factor, a| a.map(|entry| factor * entry));
binary!(Mat3<T>, Mul::mul, f64 => Mat3<T>, |a, factor| a.map(|entry| entry * factor));
binary!(f64, Mul::mul, Mat3<T> => Mat3<T>, |factor, a| a.map(|entry| factor * entry));
binary!(Mat3<T>, Div::div, Scalar<T> => Mat3<T>, |a, divisor| a.map(|entry| entry / divisor));
binary!(Mat3<T>, Div::div, f64 => Mat3<T>, |a, divisor| a.map(|entry| entry / divisor));
additive!(Mat3<T>, |a| a.map(|entry| -entry));

/// Whole numbers beside expressions. Binding refuses them and says what to write;
/// an error of these operators at the same place would only hide it.
macro_rules! whole {
    ($($integer:ty),+) => {$(
        beside!($integer, Add::add, Scalar);
        beside!($integer, Sub::sub, Scalar);
        beside!($integer, Mul::mul, Scalar, Vec2, Vec3, Mat3);
        beside!($integer, Div::div, Scalar);
        divided!($integer, Vec2, Vec3, Mat3);
    )+};
}

macro_rules! beside {
    ($integer:ty, $operator:ident :: $method:ident, $($type:ident),+) => {$(
        #[allow(clippy::cast_lossless, reason = "`usize` has no `From` for it")]
        impl<T: Number> $operator<$type<T>> for $integer {
            type Output = $type<T>;

            fn $method(self, right: $type<T>) -> $type<T> {
                $operator::$method(self as f64, right)
            }
        }

        #[allow(clippy::cast_lossless, reason = "`usize` has no `From` for it")]
        impl<T: Number> $operator<$integer> for $type<T> {
            type Output = $type<T>;

            fn $method(self, right: $integer) -> $type<T> {
                $operator::$method(self, right as f64)
            }
        }
    )+};
}

macro_rules! divided {
    ($integer:ty, $($type:ident),+) => {$(
        #[allow(clippy::cast_lossless, reason = "`usize` has no `From` for it")]
        impl<T: Number> Div<$integer> for $type<T> {
            type Output = $type<T>;

            fn div(self, divisor: $integer) -> $type<T> {
                self / divisor as f64
            }
        }
    )+};
}

whole!(usize, u32, i32, u64, i64);
