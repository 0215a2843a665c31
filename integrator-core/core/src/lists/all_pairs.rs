//! Near pairs without a list: sums over all pairs, whose elements test if their pair is near.

use crate::error::BindError;
use crate::system::Text;
use crate::system::cell::Cell;
use crate::system::image::Image;
use std::borrow::Borrow;
use std::collections::BTreeSet;

/// The pairs of a sum over near pairs.
#[derive(Debug)]
pub struct AllPairs {
    place: Text,
    radius: f64,
    dimension: usize,
    /// The numbers of first and of second points.
    lengths: [usize; 2],
    /// True if both ends are points of one array.
    one_array: bool,
    cell: Option<Cell>,
    exceptions: Vec<(usize, usize)>,
}

impl AllPairs {
    /// The pairs within `radius` of points with `dimension` components,
    /// in one array or between two arrays of these lengths.
    pub fn new(place: impl Into<Text>, radius: f64, dimension: usize, lengths: &[usize]) -> Self {
        let first = lengths.first().copied().unwrap_or_default();
        let second = lengths.last().copied().unwrap_or_default();
        let one_array = lengths.len() < 2;
        Self {
            place: place.into(),
            radius,
            dimension,
            lengths: [first, second],
            one_array,
            cell: None,
            exceptions: Vec::new(),
        }
    }

    /// The pairs in a periodic cell.
    #[must_use]
    pub fn periodic(self, cell: impl Borrow<Cell>) -> Self {
        Self { cell: Some(*cell.borrow()), ..self }
    }

    /// Excludes these pairs.
    #[must_use]
    pub fn except(mut self, pairs: impl IntoIterator<Item = (usize, usize)>) -> Self {
        self.exceptions.extend(pairs);
        self
    }

    /// All pairs in the order of their numbers.
    ///
    /// # Errors
    /// The radius is not positive or exceeds half of the cell,
    /// the cell has no volume, or an exception has an unknown point.
    pub fn pairs(self) -> Result<impl Iterator<Item = (usize, usize)>, BindError> {
        let exceptions = self.checked()?;
        let ([first, second], one_array) = (self.lengths, self.one_array);
        let pairs =
            (0..first).flat_map(move |i| (if one_array { i + 1 } else { 0 }..second).map(move |j| (i, j)));
        Ok(pairs.filter(move |pair| !exceptions.contains(pair)))
    }

    /// All points except the exceptions of point i.
    ///
    /// # Errors
    /// The errors of [`AllPairs::pairs`]; or point i does not exist.
    pub fn of(self, i: usize) -> Result<impl Iterator<Item = usize>, BindError> {
        let exceptions = self.checked()?;
        let ([first, second], one_array) = (self.lengths, self.one_array);
        if i >= first {
            return Err(BindError::UnknownNeighbours {
                place: self.place.to_string(),
                point: i,
                length: first,
            });
        }
        let is_excepted = move |j: usize| {
            let pair = if one_array { (i.min(j), i.max(j)) } else { (i, j) };
            exceptions.contains(&pair) || one_array && i == j
        };
        Ok((0..second).filter(move |j| !is_excepted(*j)))
    }

    /// The exceptions; in one array with the lower number first.
    fn checked(&self) -> Result<BTreeSet<(usize, usize)>, BindError> {
        let Self { ref place, radius, lengths, one_array, .. } = *self;
        if !(radius > 0.0 && radius.is_finite()) {
            return Err(BindError::CutoffNotPositive { place: place.to_string(), cutoff: radius });
        }
        if let Some(cell) = &self.cell {
            let width = Image::new(cell, self.dimension, place)?.narrowest();
            if radius > 0.5 * width {
                return Err(BindError::CutoffTooLarge { place: place.to_string(), cutoff: radius, width });
            }
        }
        let mut exceptions = BTreeSet::new();
        for &(first, second) in &self.exceptions {
            let outside = [first, second].into_iter().zip(lengths).find(|(point, length)| point >= length);
            if let Some((_, length)) = outside {
                return Err(BindError::UnknownException { place: place.to_string(), first, second, length });
            }
            exceptions.insert(if one_array {
                (first.min(second), first.max(second))
            } else {
                (first, second)
            });
        }
        Ok(exceptions)
    }
}

/// The number of items of an iterator.
pub fn length_of(items: impl IntoIterator) -> usize {
    items.into_iter().count()
}

/// The numbers of a cell.
pub mod numbers {
    use super::{BindError, Borrow, Cell, Image};

    /// A component of an edge hₖ; zero in an open direction.
    ///
    /// # Errors
    /// The cell has no volume.
    pub fn edge(
        cell: impl Borrow<Cell>,
        dimension: usize,
        k: usize,
        component: usize,
    ) -> Result<f64, BindError> {
        let image = Image::new(cell.borrow(), dimension, "periodic")?;
        Ok(if image.repeats[k] { image.rows[k][component] } else { 0.0 })
    }

    /// A component of the normal nₖ with nₖ · hₗ = δₖₗ; zero in an open direction.
    ///
    /// # Errors
    /// The cell has no volume.
    pub fn normal(
        cell: impl Borrow<Cell>,
        dimension: usize,
        k: usize,
        component: usize,
    ) -> Result<f64, BindError> {
        let image = Image::new(cell.borrow(), dimension, "periodic")?;
        Ok(if image.repeats[k] { image.normals[k][component] } else { 0.0 })
    }
}
