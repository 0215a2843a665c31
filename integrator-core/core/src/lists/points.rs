//! The points of a sum over near pairs.

use crate::checksum::Checksum;
use crate::error::BindError;
use crate::system::Text;
use crate::system::image::{Image, dot};

/// Most pairs are near if a ball with the cutoff as radius is a larger part of the cell.
const MOST_OF_CELL: f64 = 1.0 / 3.0;

/// The points, and the pairs of them that count.
#[derive(Debug, PartialEq)]
pub struct Points {
    /// The words of the declaration.
    pub(crate) place: Text,
    /// The first index of each point in the extended vector.
    pub starts: Vec<u32>,
    /// Whether each point ends before the next one begins.
    pub(crate) in_order: bool,
    /// The number of components of a point.
    pub(crate) dimension: usize,
    /// The number of points of the first array, if only pairs between two arrays count.
    pub(crate) first_array: Option<usize>,
    /// The distance within which pairs count.
    pub cutoff: f64,
    /// The nearest images of differences.
    pub image: Image,
    /// For each point its first exception, and the other points of all exceptions,
    /// ascending; both empty without exceptions.
    pub(crate) exceptions_begin: Vec<u32>,
    pub(crate) exceptions: Vec<u32>,
    /// The distance beyond the cutoff that a list reaches;
    /// `None` for a list of all pairs, which is never out of date.
    pub(crate) skin: Option<f64>,
}

impl Points {
    /// Adds the points to a checksum, without the skin, on which no result depends.
    pub(crate) fn tell(&self, sum: &mut Checksum) {
        sum.places(&self.starts);
        sum.word(self.dimension as u64);
        sum.maybe(self.first_array.map(|length| length as u64));
        sum.numbers(&[self.cutoff]);
        sum.numbers(self.image.rows.as_flattened());
        sum.bytes(&self.image.repeats.map(u8::from));
        sum.places(&self.exceptions_begin);
        sum.places(&self.exceptions);
    }

    /// The number of points.
    pub(crate) fn len(&self) -> usize {
        self.starts.len()
    }

    /// The number of possible pairs.
    pub(crate) fn pairs(&self) -> usize {
        match self.first_array {
            Some(first) => first.saturating_mul(self.len() - first),
            None => self.len().saturating_mul(self.len().saturating_sub(1)) / 2,
        }
    }

    /// The volume of the cell, if it repeats in all directions.
    pub(crate) fn volume(&self) -> Option<f64> {
        self.image.volume(self.dimension)
    }

    /// Whether these points are in the cell of others.
    pub(crate) fn are_in_cell_of(&self, other: &Self) -> bool {
        self.image == other.image && self.dimension == other.dimension
    }

    /// Whether most pairs are near anyway.
    pub(crate) fn fill_the_cell(&self) -> bool {
        let ball = match self.dimension {
            2 => std::f64::consts::PI * self.cutoff.powi(2),
            _ => 4.0 / 3.0 * std::f64::consts::PI * self.cutoff.powi(3),
        };
        self.volume().is_some_and(|volume| ball > MOST_OF_CELL * volume)
    }

    /// Whether two points are a pair.
    #[inline]
    pub fn are_pair(&self, a: usize, b: usize) -> bool {
        a != b
            && self.first_array.is_none_or(|first| (a < first) != (b < first))
            && self.exceptions_of(a).binary_search(&(b as u32)).is_err()
    }

    /// The exceptions of a point, ascending.
    pub(crate) fn exceptions_of(&self, point: usize) -> &[u32] {
        match self.exceptions_begin.get(point..point + 2) {
            Some([begin, end]) => &self.exceptions[*begin as usize..*end as usize],
            _ => &[],
        }
    }

    /// Adds these exceptions.
    pub(crate) fn except(&mut self, pairs: &[(usize, usize)]) -> Result<(), BindError> {
        let lengths = match self.first_array {
            Some(first) => [first, self.len() - first],
            None => [self.len(); 2],
        };
        let shift = self.first_array.unwrap_or(0);
        let mut both = Vec::with_capacity(2 * pairs.len());
        for &(first, second) in pairs {
            for (point, length) in [first, second].into_iter().zip(lengths) {
                if point >= length {
                    return Err(BindError::UnknownException {
                        place: self.place.to_string(),
                        first,
                        second,
                        length,
                    });
                }
            }
            let (first, second) = (first as u32, (second + shift) as u32);
            both.extend([(first, second), (second, first)]);
        }
        if both.is_empty() {
            return Ok(());
        }
        both.sort_unstable();
        both.dedup();
        self.exceptions_begin = vec![0; self.len() + 1];
        both.iter().for_each(|(point, _)| self.exceptions_begin[*point as usize + 1] += 1);
        for point in 0..self.len() {
            self.exceptions_begin[point + 1] += self.exceptions_begin[point];
        }
        self.exceptions = both.into_iter().map(|(_, other)| other).collect();
        Ok(())
    }

    /// The position of a point, filled up with zeros.
    #[inline]
    pub fn position(&self, z: &[f64], point: usize) -> [f64; 3] {
        let mut position = [0.0; 3];
        let start = self.starts[point] as usize;
        position[..self.dimension].copy_from_slice(&z[start..start + self.dimension]);
        position
    }

    /// The nearest image of x_first − x_second, if it is near.
    pub(crate) fn separation(&self, z: &[f64], first: usize, second: usize) -> Option<[f64; 3]> {
        let (a, b) = (self.position(z, first), self.position(z, second));
        self.near(self.image.nearest(std::array::from_fn(|k| a[k] - b[k])))
    }

    /// A separation, if it is near.
    pub(crate) fn near(&self, d: [f64; 3]) -> Option<[f64; 3]> {
        (dot(d, d) < self.cutoff.powi(2)).then_some(d)
    }

    /// The bytes of the points.
    pub(crate) fn bytes(&self) -> u64 {
        4 * (self.starts.len() + self.exceptions.len() + self.exceptions_begin.len()) as u64
    }
}
