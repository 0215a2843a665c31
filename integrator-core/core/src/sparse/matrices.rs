//! Sparse matrices with their values, as matrices of nalgebra.

use super::{RowPattern, SymmetricMatrix, SymmetricPattern};
use nalgebra::DMatrix;
use nalgebra_sparse::{CooMatrix, CscMatrix};

impl SymmetricMatrix {
    /// The matrix of this pattern whose values are all zero.
    pub fn zero(pattern: SymmetricPattern) -> Self {
        let values = vec![0.0; pattern.len()];
        Self { pattern, values }
    }

    /// The matrix of these (row, column, value), each given once and in one of the triangles.
    #[doc(hidden)]
    pub fn of_entries(dimension: usize, entries: &[(usize, usize, f64)]) -> Self {
        let places = entries.iter().map(|&(row, column, _)| (row, column));
        let mut matrix = Self::zero(SymmetricPattern::new(dimension, places));
        for &(row, column, value) in entries {
            let place = matrix.pattern.place(row, column);
            matrix.values[place as usize] = value;
        }
        matrix
    }

    /// All entries that are stored (row, column, value), of both triangles.
    fn both_triangles(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        let lower = self.pattern.entries().zip(&self.values);
        lower.flat_map(|((row, column), &value)| {
            let mirrored = (row != column).then_some((column, row, value));
            std::iter::once((row, column, value)).chain(mirrored)
        })
    }

    /// The full matrix, n × n.
    pub fn dense(&self) -> DMatrix<f64> {
        let n = self.pattern.dimension();
        dense(n, n, self.both_triangles())
    }

    /// The sparse matrix by columns, both triangles, n × n.
    pub fn csc(&self) -> CscMatrix<f64> {
        let n = self.pattern.dimension();
        csc(n, n, self.both_triangles())
    }
}

/// A rectangular sparse matrix with its values, for example G = ∂g/∂q.
#[derive(Debug, Clone, PartialEq)]
pub struct RowMatrix {
    /// Where it can be nonzero.
    pub pattern: RowPattern,
    /// The values by rows, in the order of the pattern.
    pub values: Vec<f64>,
}

impl RowMatrix {
    /// The matrix of this pattern whose values are all zero.
    pub fn zero(pattern: RowPattern) -> Self {
        let values = vec![0.0; pattern.len()];
        Self { pattern, values }
    }

    fn entries(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        self.pattern.entries().zip(&self.values).map(|((row, column), &value)| (row, column, value))
    }

    /// The full matrix.
    pub fn dense(&self) -> DMatrix<f64> {
        dense(self.pattern.height(), self.pattern.width(), self.entries())
    }

    /// The sparse matrix by columns.
    pub fn csc(&self) -> CscMatrix<f64> {
        csc(self.pattern.height(), self.pattern.width(), self.entries())
    }
}

fn dense(height: usize, width: usize, entries: impl Iterator<Item = (usize, usize, f64)>) -> DMatrix<f64> {
    let mut matrix = DMatrix::zeros(height, width);
    for (row, column, value) in entries {
        matrix[(row, column)] = value;
    }
    matrix
}

fn csc(height: usize, width: usize, entries: impl Iterator<Item = (usize, usize, f64)>) -> CscMatrix<f64> {
    let mut matrix = CooMatrix::new(height, width);
    for (row, column, value) in entries {
        matrix.push(row, column, value);
    }
    CscMatrix::from(&matrix)
}
