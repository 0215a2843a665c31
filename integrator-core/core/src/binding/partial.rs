//! Partial sums: rows of a stage that each have an item more than the row before.

use std::ops::Range;

/// The rows of a stage that are partial sums, of which several may go over the same items: those of each sum stand one behind the other.
#[derive(Debug)]
pub(super) struct PartialSums {
    /// The rows of each sum that begin anew: the elements of each other row are added to the row before it. Where there are none, nothing is added up.
    starts: Vec<u32>,
    /// The number of rows of each sum.
    height: usize,
}

impl PartialSums {
    pub(super) fn new(starts: Vec<u32>, height: usize) -> Self {
        Self { starts, height }
    }

    /// True if no rows are partial sums.
    pub(super) fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// The rows of a sum that have the same items.
    fn segments(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let ends = self.starts.iter().skip(1).map(|start| *start as usize).chain([self.height]);
        self.starts.iter().zip(ends).map(|(start, end)| *start as usize..end)
    }

    /// The rows that each add to the row before them, of so many rows of all sums.
    pub(super) fn links(&self, all: usize) -> impl Iterator<Item = usize> + '_ {
        let firsts = (0..all).step_by(self.height.max(1));
        firsts.flat_map(|first| {
            self.segments().flat_map(move |segment| segment.skip(1).map(move |row| first + row))
        })
    }

    /// Makes sums of what is added in each row.
    pub(super) fn add_up(&self, rows: &mut [f64]) {
        self.by_columns(rows, false);
    }

    /// Makes weights of what is added from those of the sums.
    pub(super) fn add_up_backwards(&self, weights: &mut [f64]) {
        self.by_columns(weights, true);
    }

    /// Adds up the columns of all sums, four side by side: an addition waits for the one before it, but not for those of other sums.
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

#[cfg(test)]
mod tests {
    use super::*;
    use test_support::agreement::Seeded;

    #[test]
    fn columns_side_by_side_are_added_up_as_each_one_is() {
        // Rows of the same items: three, one and four. Up to nine sums, which is more than twice what stands side by side.
        let (starts, height) = (vec![0, 3, 4], 8);
        for sums in 1..=9 {
            let partial = PartialSums::new(starts.clone(), height);
            let numbers = Seeded::new(sums as u64).numbers(sums * height);
            let (mut forwards, mut backwards) = (numbers.clone(), numbers.clone());
            let links: Vec<usize> = partial.links(sums * height).collect();
            assert_eq!(links.len(), sums * (height - starts.len()));
            links.iter().for_each(|row| forwards[*row] += forwards[row - 1]);
            links.iter().rev().for_each(|row| backwards[row - 1] += backwards[*row]);
            let (mut found, mut weights) = (numbers.clone(), numbers);
            partial.add_up(&mut found);
            partial.add_up_backwards(&mut weights);
            assert_eq!(found, forwards, "{sums} sums");
            assert_eq!(weights, backwards, "{sums} sums, backwards");
        }
    }
}
