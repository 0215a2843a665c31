//! Positions or velocities put together by the names of the coordinates.

use super::{Coordinate, Layout};
use crate::error::LayoutError;

/// A vector in the order of a layout, filled in by name, so that nobody counts indices.
///
/// # Examples
/// ```
/// use integrator_core::system::{Kind, Layout};
///
/// let mut layout = Layout::new();
/// layout.push("hinge", Kind::Scalar, vec![]).push("bobs", Kind::Vec2, vec![3]);
/// let q = layout
///     .configuration()
///     .set("hinge", &[0.5])?
///     .set("bobs", &[1.0, -2.0, 2.0, -4.0, 3.0, -6.0])?
///     .set_entry("bobs", &[1], &[2.5, -4.0])?
///     .finish()?;
/// assert_eq!(q, [0.5, 1.0, -2.0, 2.5, -4.0, 3.0, -6.0]);
/// assert_eq!(layout.values("bobs", &q)?[2..4], [2.5, -4.0]);
/// # Ok::<(), integrator_core::error::LayoutError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Configuration<'l> {
    layout: &'l Layout,
    values: Vec<Option<f64>>,
}

impl Configuration<'_> {
    /// Sets all entries of a coordinate, arrays in row-major order.
    ///
    /// # Errors
    /// There is no such coordinate, or the number of values is not its size.
    pub fn set(mut self, name: &str, values: &[f64]) -> Result<Self, LayoutError> {
        let coordinate = self.layout.coordinate(name)?;
        self.fill(coordinate, coordinate.offset, coordinate.size(), values)?;
        Ok(self)
    }

    /// Sets one entry of a coordinate array.
    ///
    /// # Errors
    /// There is no such coordinate, an index is outside the array, or the number of values is not that of an entry.
    pub fn set_entry(mut self, name: &str, indices: &[usize], values: &[f64]) -> Result<Self, LayoutError> {
        let coordinate = self.layout.coordinate(name)?;
        let at = coordinate.entry(indices)?;
        self.fill(coordinate, at, coordinate.kind.components(), values)?;
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
    /// Something has not been set.
    pub fn finish(self) -> Result<Vec<f64>, LayoutError> {
        let layout = self.layout;
        let entry = |(index, value): (usize, Option<f64>)| {
            value.ok_or_else(|| LayoutError::NotSet { coordinate: layout.name_of(index) })
        };
        self.values.into_iter().enumerate().map(entry).collect()
    }
}

impl Layout {
    /// An empty vector in the order of the layout, to be filled in by name.
    pub fn configuration(&self) -> Configuration<'_> {
        Configuration { layout: self, values: vec![None; self.dimension()] }
    }

    /// The coordinate of this name.
    ///
    /// # Errors
    /// There is none.
    pub fn coordinate(&self, name: &str) -> Result<&Coordinate, LayoutError> {
        self.coordinates().iter().find(|coordinate| coordinate.name == name).ok_or_else(|| {
            let known: Vec<&str> =
                self.coordinates().iter().map(|coordinate| coordinate.name.as_str()).collect();
            LayoutError::UnknownCoordinate { coordinate: name.to_owned(), known: known.join("`, `") }
        })
    }

    /// The part of a vector that belongs to a coordinate.
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
    /// Where the entry at these indices begins in q.
    ///
    /// # Errors
    /// There are too many or too few indices, or one is outside the array.
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

#[cfg(test)]
mod tests {
    use super::super::{Kind, Layout};
    use crate::error::LayoutError;

    fn layout() -> Layout {
        let mut layout = Layout::new();
        layout.push("hinge", Kind::Angle, vec![]).push("knots", Kind::Vec3, vec![2, 2]);
        layout
    }

    #[test]
    fn what_is_not_set_is_named() {
        let layout = layout();
        let partial = layout.configuration().set("hinge", &[1.0]).unwrap();
        let partial = partial.set_entry("knots", &[0, 0], &[0.0; 3]).unwrap();
        assert_eq!(partial.finish(), Err(LayoutError::NotSet { coordinate: "knots[0][1].x".to_owned() }));
    }

    #[test]
    fn mistakes_are_named() {
        let layout = layout();
        let unknown = layout.configuration().set("hinges", &[1.0]).unwrap_err();
        assert_eq!(
            unknown.to_string(),
            "there is no coordinate `hinges`: the coordinates are `hinge`, `knots`"
        );
        let outside = layout.configuration().set_entry("knots", &[1, 2], &[0.0; 3]).unwrap_err();
        assert_eq!(outside.to_string(), "index 2 is outside `knots`, whose length in dimension 1 is 2");
        let short = layout.configuration().set("hinge", &[]).unwrap_err();
        assert_eq!(short.to_string(), "`hinge` takes 1 values, but 0 were given");
        let flat = layout.configuration().set_entry("knots", &[1], &[0.0; 3]).unwrap_err();
        assert_eq!(flat.to_string(), "`knots` takes 2 indices, but 1 were given");
    }
}
