//! Partial sums: rows of a stage that each have an item more than the row before.

use std::ops::Range;

/// The rows of a stage that are partial sums, of which several may go over the same items: those of each
/// sum stand one behind the other.
#[derive(Debug)]
pub struct PartialSums {
    /// The rows of each sum that begin anew: the elements of each other row are added to the row before
    /// it. Where there are none, nothing is added up.
    starts: Vec<u32>,
    /// The number of rows of each sum.
    height: usize,
}

impl PartialSums {
    /// Sums of this many rows each, of which these begin anew.
    pub fn new(starts: Vec<u32>, height: usize) -> Self {
        Self { starts, height }
    }

    /// True if no rows are partial sums.
    pub(in crate::binding) fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// The rows of a sum that have the same items.
    fn segments(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let ends = self.starts.iter().skip(1).map(|start| *start as usize).chain([self.height]);
        self.starts.iter().zip(ends).map(|(start, end)| *start as usize..end)
    }

    /// The rows that each add to the row before them, of so many rows of all sums.
    pub fn links(&self, all: usize) -> impl Iterator<Item = usize> + '_ {
        let firsts = (0..all).step_by(self.height.max(1));
        firsts.flat_map(|first| {
            self.segments().flat_map(move |segment| segment.skip(1).map(move |row| first + row))
        })
    }

    /// Makes sums of what is added in each row.
    pub fn add_up(&self, rows: &mut [f64]) {
        self.by_columns(rows, false);
    }

    /// Makes weights of what is added from those of the sums.
    pub fn add_up_backwards(&self, weights: &mut [f64]) {
        self.by_columns(weights, true);
    }

    /// Adds up the columns of all sums, four side by side: an addition waits for the one before it, but
    /// not for those of other sums.
    fn by_columns(&self, rows: &mut [f64], backwards: bool) {
        if self.is_empty() {
            return;
        }
        for columns in rows.chunks_mut(4 * self.height) {
            match columns.len() / self.height {
                4 => self.side_by_side::<4>(columns, backwards),
                3 => self.side_by_side::<3>(columns, backwards),
                2 => self.side_by_side::<2>(columns, backwards),
                _ => self.side_by_side::<1>(columns, backwards),
            }
        }
    }

    fn side_by_side<const K: usize>(&self, columns: &mut [f64], backwards: bool) {
        let mut columns = columns.chunks_exact_mut(self.height);
        let mut columns: [&mut [f64]; K] = std::array::from_fn(|_| columns.next().unwrap_or_default());
        for segment in self.segments() {
            let mut totals = [0.0; K];
            let add = |row: usize| {
                for (column, total) in columns.iter_mut().zip(&mut totals) {
                    *total += column[row];
                    column[row] = *total;
                }
            };
            if backwards {
                segment.rev().for_each(add);
            } else {
                segment.for_each(add);
            }
        }
    }
}
