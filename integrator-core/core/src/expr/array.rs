//! Arrays of coordinates and equations, and their places in flat slices.

use super::{Mat3, Number, Scalar, Vec2, Vec3};
use std::ops::Deref;

/// An array whose length is known at run time,
/// such as `[Vec2; self.links]`; arrays of arrays are nested.
///
/// It is read like a slice: `bobs[i]`, `grid[i][j]`, `bobs.len()`, `bobs.iter()`.
///
/// # Panics
/// Indexing panics beyond the end, like a slice. Declarations are safe: binding, which comes first,
/// checks every index against the lengths and returns a [`BindError`](crate::error::BindError).
#[derive(Debug, Clone, PartialEq)]
pub struct Array<E> {
    entries: Vec<E>,
}

impl<E> Deref for Array<E> {
    type Target = [E];

    fn deref(&self) -> &[E] {
        &self.entries
    }
}

impl<E> AsRef<[E]> for Array<E> {
    fn as_ref(&self) -> &[E] {
        &self.entries
    }
}

impl<E> FromIterator<E> for Array<E> {
    fn from_iter<I: IntoIterator<Item = E>>(entries: I) -> Self {
        Self { entries: entries.into_iter().collect() }
    }
}

impl<E> IntoIterator for Array<E> {
    type Item = E;
    type IntoIter = std::vec::IntoIter<E>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

impl<'a, E> IntoIterator for &'a Array<E> {
    type Item = &'a E;
    type IntoIter = std::slice::Iter<'a, E>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.iter()
    }
}

/// A result of a constraint: a scalar, a vector,
/// or an array of them; an equation `= 0` for each component.
#[diagnostic::on_unimplemented(
    message = "a constraint returns a scalar, a vector, a matrix or an array of them, not `{Self}`",
    label = "not an equation"
)]
pub trait Equations<T> {
    /// Appends the components to `values`, arrays in row-major order.
    fn append_to(self, values: &mut Vec<T>);

    /// Appends the components to `values`; of matrices only the `kept` components (row by row).
    fn append_components(self, kept: &[usize], values: &mut Vec<T>)
    where
        Self: Sized,
    {
        let _ = kept;
        self.append_to(values);
    }
}

/// Adds the components of a force to `forces` from `begin` on, without components beyond the end.
pub fn add_components<T: Number>(force: impl Equations<T>, begin: usize, forces: &mut [T]) {
    let mut components = Vec::new();
    force.append_to(&mut components);
    for (force, component) in forces.iter_mut().skip(begin).zip(components) {
        *force += component;
    }
}

impl<T: Number> Equations<T> for f64 {
    fn append_to(self, values: &mut Vec<T>) {
        values.push(T::from(self));
    }
}

impl<T: Number> Equations<T> for Scalar<T> {
    fn append_to(self, values: &mut Vec<T>) {
        values.push(self.value());
    }
}

impl<T: Number> Equations<T> for Mat3<T> {
    fn append_to(self, values: &mut Vec<T>) {
        values.extend(self.components().map(Scalar::value));
    }

    fn append_components(self, kept: &[usize], values: &mut Vec<T>) {
        let components = self.components();
        values.extend(kept.iter().filter_map(|&k| components.get(k)).map(|component| component.value()));
    }
}

macro_rules! by_component {
    ($($vector:ty),+) => {
        $(impl<T: Number> Equations<T> for $vector {
            fn append_to(self, values: &mut Vec<T>) {
                values.extend(self.components().map(Scalar::value));
            }
        })+
    };
}

by_component!(Vec2<T>, Vec3<T>);

macro_rules! by_entry {
    ($([$($generics:tt)*] $array:ty),+) => {
        $(impl<T: Number, E: Equations<T>, $($generics)*> Equations<T> for $array {
            fn append_to(self, values: &mut Vec<T>) {
                for equation in self {
                    equation.append_to(values);
                }
            }

            fn append_components(self, kept: &[usize], values: &mut Vec<T>) {
                for equation in self {
                    equation.append_components(kept, values);
                }
            }
        })+
    };
}

by_entry!([] Array<E>, [const N: usize] [E; N]);

/// Reads coordinates from q and v in the order of the layout. Missing entries are NaN.
#[derive(Debug, Clone)]
pub struct Entries<'a, T> {
    q: &'a [T],
    v: &'a [T],
    next: usize,
}

impl<'a, T: Number> Entries<'a, T> {
    /// Coordinates with positions q and velocities v.
    pub fn new(q: &'a [T], v: &'a [T]) -> Self {
        Self { q, v, next: 0 }
    }

    /// Coordinates without velocities: their rates are NaN.
    pub fn positions(q: &'a [T]) -> Self {
        Self::new(q, &[])
    }

    /// The next scalar.
    pub fn scalar(&mut self) -> Scalar<T> {
        let read = |slice: &[T]| slice.get(self.next).copied().unwrap_or_else(|| T::from(f64::NAN));
        let scalar = Scalar::new(read(self.q), read(self.v));
        self.next += 1;
        scalar
    }

    /// The next vector in the plane.
    pub fn vec2(&mut self) -> Vec2<T> {
        Vec2::new(self.scalar(), self.scalar())
    }

    /// The next vector in space.
    pub fn vec3(&mut self) -> Vec3<T> {
        Vec3::new(self.scalar(), self.scalar(), self.scalar())
    }

    /// The next matrix.
    pub fn mat3(&mut self) -> Mat3<T> {
        Mat3::from_rows([self.vec3(), self.vec3(), self.vec3()])
    }

    /// The place of the next entry in q.
    pub fn position(&self) -> usize {
        self.next
    }

    /// The next array of `length` entries, each read by `read`.
    pub fn array<E>(&mut self, length: usize, mut read: impl FnMut(&mut Self) -> E) -> Array<E> {
        (0..length).map(|_| read(self)).collect()
    }
}
