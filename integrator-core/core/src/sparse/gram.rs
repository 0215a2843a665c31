//! Gᵀ G of a sparse matrix G, on a pattern that holds its entries.

use super::pattern::SymmetricPattern;
use super::rows::RowPattern;

/// Where the products of two blocks of a row of G go, found once.
///
/// A row adds the products of its blocks, each a few
/// consecutive entries in neighbouring columns of Gᵀ G.
#[derive(Debug)]
pub struct Gram {
    /// For each row of G, each block of it and each block up to that one: where the products with each
    /// column of the latter begin.
    places: Vec<u32>,
}

impl Gram {
    /// For the lower triangle of Gᵀ G among the values of `pattern`.
    pub fn new(matrix: &RowPattern, pattern: &SymmetricPattern) -> Self {
        let size = matrix.block();
        let mut places = Vec::new();
        for row in 0..matrix.height() {
            let blocks = || matrix.columns()[matrix.row(row)].chunks_exact(size);
            for (k, rows) in blocks().enumerate() {
                for columns in blocks().take(k + 1) {
                    let place = |column: &u32| pattern.place(rows[0].max(*column) as usize, *column as usize);
                    places.extend(columns.iter().map(place));
                }
            }
        }
        Self { places }
    }

    /// `factor` Gᵀ G, written over `gram`, with zeros where it has no entries.
    pub fn multiply(&self, matrix: &RowPattern, values: &[f64], factor: f64, gram: &mut [f64]) {
        gram.fill(0.0);
        match matrix.block() {
            2 => self.add::<2>(matrix, values, factor, gram),
            3 => self.add::<3>(matrix, values, factor, gram),
            _ => self.add::<1>(matrix, values, factor, gram),
        }
    }

    fn add<const N: usize>(&self, matrix: &RowPattern, values: &[f64], factor: f64, gram: &mut [f64]) {
        let mut places = self.places.as_chunks::<N>().0.iter();
        matrix.each_row::<N>(values, |blocks| {
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
