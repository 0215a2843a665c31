//! Positions or velocities built by the names of coordinates.

use super::{Components, Coordinate, Entry, Indices, Kind, Layout};
use crate::error::LayoutError;

/// A vector in the order of a layout, filled in by name instead of counted indices.
///
/// # Examples
/// ```
/// use least_action::nalgebra::Vector2;
/// use least_action::system::{Kind, Layout};
///
/// let mut layout = Layout::new();
/// layout.push("hinge", Kind::Scalar, vec![]).push("bobs", Kind::Vec2, vec![3]);
/// let points = [1.0, 2.0, 3.0].map(|x| Vector2::new(x, -2.0 * x));
/// let q = layout
///     .configuration()
///     .set("hinge", 0.5)?
///     .set("bobs", points)?
///     .set_entry("bobs", 1, Vector2::new(2.5, -4.0))?
///     .finish()?;
/// assert_eq!(q, [0.5, 1.0, -2.0, 2.5, -4.0, 3.0, -6.0]);
/// assert_eq!(layout.vector2(&q, "bobs", 1)?, Vector2::new(2.5, -4.0));
/// assert_eq!(layout.values("bobs", &q)?[2..4], [2.5, -4.0]);
/// # Ok::<(), least_action::error::LayoutError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Configuration<'l> {
    layout: &'l Layout,
    values: Vec<Option<f64>>,
}

impl Configuration<'_> {
    /// Sets all entries of a coordinate, arrays in row-major order: numbers, or vectors or matrices.
    ///
    /// # Errors
    /// There is no such coordinate, the number of values is not its size, or they have another kind.
    pub fn set<C: Components>(mut self, name: &str, values: C) -> Result<Self, LayoutError> {
        let coordinate = self.layout.coordinate(name)?;
        coordinate.takes::<C>()?;
        self.fill(coordinate, coordinate.offset, coordinate.size(), &values.components())?;
        Ok(self)
    }

    /// Sets one entry of a coordinate array.
    ///
    /// # Errors
    /// There is no such coordinate, an index is outside of the array,
    /// or values do not fit the entry in number or kind.
    pub fn set_entry<C: Components>(
        mut self,
        name: &str,
        indices: impl Indices,
        values: C,
    ) -> Result<Self, LayoutError> {
        let coordinate = self.layout.coordinate(name)?;
        coordinate.takes::<C>()?;
        let at = coordinate.entry(indices.as_slice())?;
        self.fill(coordinate, at, coordinate.kind.components(), &values.components())?;
        Ok(self)
    }

    fn fill(
        &mut self,
        coordinate: &Coordinate,
        at: usize,
        expected: usize,
        values: &[f64],
    ) -> Result<(), LayoutError> {
        if values.len() != expected {
            let coordinate = coordinate.name.clone();
            return Err(LayoutError::WrongLength { coordinate, expected, found: values.len() });
        }
        for (slot, &value) in self.values[at..at + expected].iter_mut().zip(values) {
            *slot = Some(value);
        }
        Ok(())
    }

    /// The vector.
    ///
    /// # Errors
    /// An entry is missing.
    pub fn finish(self) -> Result<Vec<f64>, LayoutError> {
        let layout = self.layout;
        let entry = |(index, value): (usize, Option<f64>)| {
            value.ok_or_else(|| LayoutError::NotSet { coordinate: layout.name_of(index) })
        };
        self.values.into_iter().enumerate().map(entry).collect()
    }
}

impl Layout {
    /// An empty vector in the order of the layout, to fill in by name.
    pub fn configuration(&self) -> Configuration<'_> {
        Configuration { layout: self, values: vec![None; self.dimension()] }
    }

    /// The coordinate `name`.
    ///
    /// # Errors
    /// It does not exist.
    pub fn coordinate(&self, name: &str) -> Result<&Coordinate, LayoutError> {
        self.coordinates().iter().find(|coordinate| coordinate.name == name).ok_or_else(|| {
            let known: Vec<&str> =
                self.coordinates().iter().map(|coordinate| coordinate.name.as_str()).collect();
            LayoutError::UnknownCoordinate { coordinate: name.to_owned(), known: known.join("`, `") }
        })
    }

    /// The part of a vector for a coordinate.
    ///
    /// # Errors
    /// There is no such coordinate, or the vector does not have the length of the layout.
    pub fn values<'q>(&self, name: &str, q: &'q [f64]) -> Result<&'q [f64], LayoutError> {
        let coordinate = self.coordinate(name)?;
        let range = coordinate.offset..coordinate.offset + coordinate.size();
        q.get(range).filter(|_| q.len() == self.dimension()).ok_or_else(|| LayoutError::WrongLength {
            coordinate: "q".to_owned(),
            expected: self.dimension(),
            found: q.len(),
        })
    }
}

impl Coordinate {
    /// Refuses a type whose values cannot be entries of the coordinate; plain numbers can.
    pub(super) fn takes<C: Components + ?Sized>(&self) -> Result<(), LayoutError> {
        match C::KIND {
            Some(found) if found != self.kind => {
                Err(LayoutError::WrongKind { coordinate: self.name.clone(), expected: self.kind, found })
            }
            _ => Ok(()),
        }
    }

    /// Refuses a type whose number of components differs from an entry's; angles are numbers.
    pub(super) fn gives<E: Entry>(&self) -> Result<(), LayoutError> {
        let found = E::KIND.unwrap_or(Kind::Scalar);
        if found.components() == self.kind.components() {
            return Ok(());
        }
        Err(LayoutError::WrongKind { coordinate: self.name.clone(), expected: self.kind, found })
    }

    /// The index in q of the first component of an entry.
    ///
    /// # Errors
    /// There are too many or too few indices, or one is outside of the array.
    pub fn entry(&self, indices: &[usize]) -> Result<usize, LayoutError> {
        if indices.len() != self.lengths.len() {
            return Err(LayoutError::WrongIndices {
                coordinate: self.name.clone(),
                expected: self.lengths.len(),
                found: indices.len(),
            });
        }
        let mut entry = 0;
        for (dimension, (&index, &length)) in indices.iter().zip(&self.lengths).enumerate() {
            if index >= length {
                return Err(LayoutError::IndexOutOfRange {
                    coordinate: self.name.clone(),
                    dimension,
                    index,
                    length,
                });
            }
            entry = entry * length + index;
        }
        Ok(self.offset + entry * self.kind.components())
    }
}
