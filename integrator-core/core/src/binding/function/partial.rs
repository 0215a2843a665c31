//! Partial sums: each row of a stage has one item more than the row before it.

use std::ops::Range;

/// The partial sums of a stage; the rows of each sum are contiguous.
#[derive(Debug)]
pub struct PartialSums {
    /// The rows at which a sum begins anew;
    /// each other row adds its elements to the row before. Empty if there are no partial sums.
    starts: Vec<u32>,
    /// The number of rows of each sum.
    height: usize,
}

impl PartialSums {
    /// Sums of `height` rows each that begin anew at `starts`.
    pub fn new(starts: Vec<u32>, height: usize) -> Self {
        Self { starts, height }
    }

    pub(in crate::binding) fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// The runs of rows between two starts of a sum.
    fn segments(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let ends = self.starts.iter().skip(1).map(|start| *start as usize).chain([self.height]);
        self.starts.iter().zip(ends).map(|(start, end)| *start as usize..end)
    }

    /// Among `all` rows, the rows that add to the row before them.
    pub fn links(&self, all: usize) -> impl Iterator<Item = usize> + '_ {
        let firsts = (0..all).step_by(self.height.max(1));
        firsts.flat_map(|first| {
            self.segments().flat_map(move |segment| segment.skip(1).map(move |row| first + row))
        })
    }

    /// Turns the additions of each row into partial sums.
    pub fn add_up(&self, rows: &mut [f64]) {
        self.by_columns(rows, false);
    }

    /// Turns the weights of the sums into the weights of the additions.
    pub fn add_up_backwards(&self, weights: &mut [f64]) {
        self.by_columns(weights, true);
    }

    /// Adds up four columns at once: an addition waits for the one before it in its own column only.
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
