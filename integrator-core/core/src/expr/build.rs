//! The functions of the language: vectors of components, sums, families of equations, time derivatives.

use super::array::Array;
use super::{Mat3, Number, Scalar, Vec2, Vec3};
use crate::system::{Signal, SignalPiece};
use std::iter::Sum;

/// The vector (x, y) of scalars or numbers.
pub fn vec2<T: Number, X: Into<Scalar<T>>, Y: Into<Scalar<T>>>(x: X, y: Y) -> Vec2<T> {
    Vec2::new(x.into(), y.into())
}

/// The vector (x, y, z) of scalars or numbers.
pub fn vec3<T: Number, X: Into<Scalar<T>>, Y: Into<Scalar<T>>, Z: Into<Scalar<T>>>(
    x: X,
    y: Y,
    z: Z,
) -> Vec3<T> {
    Vec3::new(x.into(), y.into(), z.into())
}

/// The constant vector of a coordinate-free value: an array, or a value that becomes one, such as
/// `nalgebra::Vector2<f64>`. Declarations write `vec2(a)`.
pub fn vec2_from<T: Number, A: Into<[f64; 2]>>(a: A) -> Vec2<T> {
    let [x, y] = a.into();
    vec2(x, y)
}

/// The constant vector of a coordinate-free value: an array, or a value that becomes one, such as
/// `nalgebra::Vector3<f64>`. Declarations write `vec3(a)`.
pub fn vec3_from<T: Number, A: Into<[f64; 3]>>(a: A) -> Vec3<T> {
    let [x, y, z] = a.into();
    vec3(x, y, z)
}

/// Σ `term(item)` over `items`, zero without items. Terms are scalars, vectors or plain numbers.
pub fn sum<I, F, R>(items: I, term: F) -> R
where
    I: IntoIterator,
    F: FnMut(I::Item) -> R,
    R: Sum<R>,
{
    items.into_iter().map(term).sum()
}

/// The array of `entry(item)` over `items`, in order.
pub fn each<I, F, R>(items: I, entry: F) -> Array<R>
where
    I: IntoIterator,
    F: FnMut(I::Item) -> R,
{
    items.into_iter().map(entry).collect()
}

/// All pairs (i, j) with 0 ≤ i < j < n, by rows.
pub fn pairs(n: usize) -> impl Iterator<Item = (usize, usize)> + Clone {
    Pairs { n, next: (0, 1) }
}

/// Pairs with a known number, so that too many are refused before they are counted.
#[derive(Debug, Clone)]
struct Pairs {
    n: usize,
    next: (usize, usize),
}

impl Iterator for Pairs {
    type Item = (usize, usize);

    fn next(&mut self) -> Option<Self::Item> {
        let (i, j) = self.next;
        if j >= self.n {
            return None;
        }
        self.next = if j + 1 < self.n { (i, j + 1) } else { (i + 1, i + 2) };
        Some((i, j))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let (i, j) = self.next;
        // The pairs of later rows, and the rest of this one.
        let rows = self.n.saturating_sub(i + 1);
        let behind = (rows as u128 * rows.saturating_sub(1) as u128 / 2).try_into().unwrap_or(usize::MAX);
        let length = self.n.saturating_sub(j).saturating_add(behind);
        (length, (length < usize::MAX).then_some(length))
    }
}

/// The value of a signal at the time t; its slope is the rate.
pub fn table<T: Number>(t: Scalar<T>, signal: &Signal) -> Scalar<T> {
    let SignalPiece { value, slope, start } = signal.piece_at(t.value().re());
    (t - start) * slope + value
}

/// An expression that has a rate of change with time.
#[diagnostic::on_unimplemented(
    message = "`der` takes a scalar, a vector or an array of them, not `{Self}`",
    label = "has no time derivative"
)]
pub trait Rate {
    /// The rate of change, whose own rate is unknown (NaN).
    #[must_use]
    fn rate_of_change(self) -> Self;
}

/// The total time derivative of an expression of positions and time.
///
/// The rate of the result is NaN: accelerations are unknown, so `der` of `der` is NaN.
pub fn der<E: Rate>(expression: E) -> E {
    expression.rate_of_change()
}

macro_rules! rates {
    ($($type:ty: |$own:ident| $rate:expr;)+) => {
        $(impl<T: Number> Rate for $type {
            fn rate_of_change(self) -> Self {
                let $own = self;
                $rate
            }
        })+
    };
}

rates! {
    Scalar<T>: |own| Self::without_rate(own.rate());
    Vec2<T>: |own| own.map(der);
    Vec3<T>: |own| own.map(der);
    Mat3<T>: |own| own.map(der);
}

/// A number does not change.
impl Rate for f64 {
    fn rate_of_change(self) -> Self {
        0.0
    }
}

impl<E: Rate> Rate for Array<E> {
    fn rate_of_change(self) -> Self {
        self.into_iter().map(Rate::rate_of_change).collect()
    }
}

/// Marks a part of the potential as stiff; returns the part.
pub fn stiff<E>(part: E) -> E {
    part
}

/// A value that can stand for an expression in T: an expression, or a number as a constant scalar.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither a number, nor a scalar, a vector or an array of them",
    label = "not an expression"
)]
pub trait Lift<T> {
    /// The expression.
    type Lifted;

    fn lift(self) -> Self::Lifted;
}

/// A value as an expression in T: numbers become constant scalars, expressions are unchanged.
///
/// It gives the branches of an `if` one type if one is a number and the other depends on coordinates.
pub fn lift<T: Number, E: Lift<T>>(value: E) -> E::Lifted {
    value.lift()
}

impl<T: Number> Lift<T> for f64 {
    type Lifted = Scalar<T>;

    fn lift(self) -> Scalar<T> {
        self.into()
    }
}

/// Values that are expressions already.
macro_rules! lifted {
    ($($type:ty),+) => {$(
        impl<T: Number> Lift<T> for $type {
            type Lifted = Self;

            fn lift(self) -> Self {
                self
            }
        }
    )+};
}

lifted!(Scalar<T>, Vec2<T>, Vec3<T>, Mat3<T>);

impl<T: Number, E: Lift<T>> Lift<T> for Array<E> {
    type Lifted = Array<E::Lifted>;

    fn lift(self) -> Self::Lifted {
        self.into_iter().map(Lift::lift).collect()
    }
}

impl<T: Number, E: Lift<T>, const N: usize> Lift<T> for [E; N] {
    type Lifted = Array<E::Lifted>;

    fn lift(self) -> Self::Lifted {
        self.into_iter().map(Lift::lift).collect()
    }
}
