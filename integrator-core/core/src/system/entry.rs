//! Entries of coordinates as nalgebra values: numbers, vectors and matrices instead of slices.

use super::{Kind, Layout};
use crate::error::LayoutError;
use nalgebra::{Matrix3, Vector2, Vector3};

/// One entry of a coordinate as a value: `f64`, `Vector2<f64>`, `Vector3<f64>` or `Matrix3<f64>`.
pub trait Entry: Components + Sized {
    /// The value with these components, in the order of the layout; missing ones are NaN.
    fn from_components(components: &[f64]) -> Self;
}

/// Numbers in the order of a layout, in any form:
/// an [`Entry`], or a slice, an array or a vector of entries.
///
/// The components of a vector are contiguous, a matrix is stored row by row.
pub trait Components {
    /// The kind of each entry; `None` for plain numbers.
    const KIND: Option<Kind>;

    /// Appends all components.
    fn append_to(&self, numbers: &mut Vec<f64>);

    /// All components.
    fn components(&self) -> Vec<f64> {
        let mut numbers = Vec::new();
        self.append_to(&mut numbers);
        numbers
    }
}

/// The indices of one entry of a coordinate: `i` in an array, `[i, j]` in an array of arrays, else `[]`.
pub trait Indices {
    /// The indices, outermost first.
    fn as_slice(&self) -> &[usize];
}

macro_rules! entries {
    ($($entry:ty, $kind:expr, |$components:ident| $from:expr, |$value:ident| $numbers:expr;)+) => {$(
        impl Entry for $entry {
            fn from_components(components: &[f64]) -> Self {
                let $components = |k: usize| components.get(k).copied().unwrap_or(f64::NAN);
                $from
            }
        }

        impl Components for $entry {
            const KIND: Option<Kind> = $kind;

            fn append_to(&self, numbers: &mut Vec<f64>) {
                let $value = self;
                numbers.extend($numbers);
            }
        }
    )+};
}

entries! {
    f64, None, |component| component(0), |value| [*value];
    Vector2<f64>, Some(Kind::Vec2), |component| Self::from_fn(|k, _| component(k)), |value| value.iter();
    Vector3<f64>, Some(Kind::Vec3), |component| Self::from_fn(|k, _| component(k)), |value| value.iter();
    // nalgebra stores columns, the layout rows.
    Matrix3<f64>, Some(Kind::Mat3), |component| Self::from_fn(|i, j| component(3 * i + j)), |value| {
        (0..9).map(|k| value[(k / 3, k % 3)])
    };
}

impl<E: Entry> Components for [E] {
    const KIND: Option<Kind> = E::KIND;

    fn append_to(&self, numbers: &mut Vec<f64>) {
        for entry in self {
            entry.append_to(numbers);
        }
    }
}

impl<E: Entry, const N: usize> Components for [E; N] {
    const KIND: Option<Kind> = E::KIND;

    fn append_to(&self, numbers: &mut Vec<f64>) {
        self.as_slice().append_to(numbers);
    }
}

impl<E: Entry> Components for Vec<E> {
    const KIND: Option<Kind> = E::KIND;

    fn append_to(&self, numbers: &mut Vec<f64>) {
        self.as_slice().append_to(numbers);
    }
}

impl<C: Components + ?Sized> Components for &C {
    const KIND: Option<Kind> = C::KIND;

    fn append_to(&self, numbers: &mut Vec<f64>) {
        (**self).append_to(numbers);
    }
}

impl Indices for usize {
    fn as_slice(&self) -> &[usize] {
        std::slice::from_ref(self)
    }
}

impl Indices for [usize] {
    fn as_slice(&self) -> &[usize] {
        self
    }
}

impl<const N: usize> Indices for [usize; N] {
    fn as_slice(&self) -> &[usize] {
        self
    }
}

impl<I: Indices + ?Sized> Indices for &I {
    fn as_slice(&self) -> &[usize] {
        (**self).as_slice()
    }
}

impl Layout {
    /// The entry of a coordinate in the plane, such as a point, in positions or velocities q.
    ///
    /// # Errors
    /// There is no such entry, it is not a `Vec2`, or q does not have the length of the layout.
    pub fn vector2(&self, q: &[f64], name: &str, indices: impl Indices) -> Result<Vector2<f64>, LayoutError> {
        self.entry(q, name, indices)
    }

    /// The entry of a coordinate in space, such as a point, in positions or velocities q.
    ///
    /// # Errors
    /// There is no such entry, it is not a `Vec3`, or q does not have the length of the layout.
    pub fn vector3(&self, q: &[f64], name: &str, indices: impl Indices) -> Result<Vector3<f64>, LayoutError> {
        self.entry(q, name, indices)
    }

    /// The entry of a coordinate that is a matrix, such as a rotation, in positions or velocities q.
    ///
    /// # Errors
    /// There is no such entry, it is not a `Mat3`, or q does not have the length of the layout.
    pub fn matrix3(&self, q: &[f64], name: &str, indices: impl Indices) -> Result<Matrix3<f64>, LayoutError> {
        self.entry(q, name, indices)
    }

    /// The entry of a coordinate in positions or velocities q, as a value of type `E`.
    ///
    /// Indices are `i` in an array, `[i, j]` in an array of arrays, and `[]` without an array.
    ///
    /// # Errors
    /// There is no such entry, it has another kind, or q does not have the length of the layout.
    pub fn entry<E: Entry>(&self, q: &[f64], name: &str, indices: impl Indices) -> Result<E, LayoutError> {
        let coordinate = self.coordinate(name)?;
        coordinate.gives::<E>()?;
        let begin = coordinate.entry(indices.as_slice())? - coordinate.offset;
        let values = self.values(name, q)?;
        Ok(E::from_components(&values[begin..begin + coordinate.kind.components()]))
    }

    /// All entries of a coordinate in positions or velocities q, arrays in row-major order.
    ///
    /// # Errors
    /// There is no such coordinate, it has another kind, or q does not have the length of the layout.
    pub fn entries<E: Entry>(&self, q: &[f64], name: &str) -> Result<Vec<E>, LayoutError> {
        let coordinate = self.coordinate(name)?;
        coordinate.gives::<E>()?;
        let values = self.values(name, q)?;
        Ok(values.chunks_exact(coordinate.kind.components()).map(E::from_components).collect())
    }
}
