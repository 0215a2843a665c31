//! Gᵀ G of a sparse matrix G, on a pattern that holds its entries.

use super::pattern::SymmetricPattern;
use super::rows::RowPattern;

/// Where the products of two blocks of a row of G go, found once.
///
/// A row adds the products of its blocks, each a few consecutive entries in neighbouring columns of Gᵀ G.
#[derive(Debug)]
pub(crate) struct Gram {
    /// For each row of G, each block of it and each block up to that one: where the products with each column of the latter begin.
    places: Vec<u32>,
}

impl Gram {
    /// For the lower triangle of Gᵀ G among the values of `pattern`.
    pub(crate) fn new(matrix: &RowPattern, pattern: &SymmetricPattern) -> Self {
        let size = matrix.block();
        let mut places = Vec::new();
        for row in 0..matrix.height() {
            let blocks = || matrix.columns()[matrix.row(row)].chunks_exact(size);
            for (k, rows) in blocks().enumerate() {
                for columns in blocks().take(k + 1) {
                    // The pattern holds these very entries.
                    let place =
                        |column: &u32| pattern.position(rows[0].max(*column) as usize, *column as usize);
                    places.extend(columns.iter().map(|column| place(column).unwrap_or_default() as u32));
                }
            }
        }
        Self { places }
    }

    /// `factor` Gᵀ G, written over `gram`, with zeros where it has no entries.
    pub(crate) fn multiply(&self, matrix: &RowPattern, values: &[f64], factor: f64, gram: &mut [f64]) {
        gram.fill(0.0);
        match matrix.block() {
            2 => self.add::<2>(matrix, values, factor, gram),
            3 => self.add::<3>(matrix, values, factor, gram),
            _ => self.add::<1>(matrix, values, factor, gram),
        }
    }

    fn add<const N: usize>(&self, matrix: &RowPattern, values: &[f64], factor: f64, gram: &mut [f64]) {
        let mut places = self.places.as_chunks::<N>().0.iter();
        matrix.each_row::<N>(values, |_, blocks, _| {
            for (k, left) in blocks.iter().enumerate() {
                for (right, places) in blocks[..k].iter().zip(&mut places) {
                    for (&place, right) in places.iter().zip(right) {
                        let (scaled, first) = (factor * right, place as usize);
                        // Of a length that the compiler knows.
                        for (sum, left) in gram[first..first + N].iter_mut().zip(left) {
                            *sum += scaled * left;
                        }
                    }
                }
                // Of the products of a block with itself the lower triangle.
                for (j, &place) in places.next().into_iter().flatten().enumerate() {
                    let scaled = factor * left[j];
                    for (sum, left) in gram[place as usize..].iter_mut().zip(&left[j..]) {
                        *sum += scaled * left;
                    }
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::Gram;
    use crate::sparse::{RowPattern, SymmetricPattern};

    /// Gᵀ G by its definition.
    fn check(matrix: &RowPattern, block: usize) {
        assert_eq!(matrix.block(), block);
        let pairs = matrix.entries().flat_map(|(row, a)| {
            let others = matrix.columns()[matrix.row(row)].iter();
            others.map(move |&b| (a, b as usize))
        });
        let pattern = SymmetricPattern::new(matrix.width(), pairs.chain([(matrix.width() - 1, 0)]));
        let gram = Gram::new(matrix, &pattern);
        let values: Vec<f64> = (0..matrix.len()).map(|k| (1.0 + k as f64).sin()).collect();
        let mut found = vec![f64::NAN; pattern.len()];
        gram.multiply(matrix, &values, 3.0, &mut found);
        let value =
            |row: usize, column: usize| matrix.position(row, column).map_or(0.0, |place| values[place]);
        for ((i, j), found) in pattern.entries().zip(found) {
            let expected: f64 = (0..matrix.height()).map(|row| 3.0 * value(row, i) * value(row, j)).sum();
            assert!((found - expected).abs() < 1e-14, "({i}, {j}): {found} instead of {expected}");
        }
    }

    #[test]
    fn products_of_molecules_and_of_chains_are_those_of_the_definition() {
        // Three distances of each of eleven molecules, then one distance of each of two.
        let rigid = (0..33).flat_map(|row| {
            let (molecule, bond) = (row / 3, row % 3);
            (0..3).flat_map(move |k| [bond, (bond + 1) % 3].map(|site| (row, 9 * molecule + 3 * site + k)))
        });
        let pairs = (33..35).flat_map(|row| (0..6).map(move |k| (row, 99 + 6 * (row - 33) + k)));
        check(&RowPattern::new(35, 111, rigid.chain(pairs)), 3);
        for size in 1..=3 {
            let row = |i: usize| size * i.saturating_sub(1)..size * (i + 1);
            let chain = (0..9_usize).flat_map(|i| row(i).map(move |j| (i, j)));
            check(&RowPattern::new(9, 9 * size, chain), size);
        }
        // Columns that are no neighbours.
        check(&RowPattern::new(3, 9, (0..9).map(|k| (k % 3, k))), 1);
    }
}
