//! Where sparse matrices can be nonzero.

use std::sync::Arc;

/// The lower triangle of a symmetric matrix, by columns: rows ascending, the diagonal always present.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SymmetricPattern {
    // Shared, so that every owner of a matrix of this pattern can hold it for nothing.
    starts: Arc<[usize]>,
    rows: Arc<[u32]>,
}

impl SymmetricPattern {
    /// The pattern of the given (row, column) entries, of either triangle and with repetitions, plus the diagonal.
    pub fn new(dimension: usize, entries: impl IntoIterator<Item = (usize, usize)>) -> Self {
        Self::counted(dimension, entries).0
    }

    /// The same, and how often each stored entry was given, the diagonal counted once more.
    pub(crate) fn counted(
        dimension: usize,
        entries: impl IntoIterator<Item = (usize, usize)>,
    ) -> (Self, Vec<u8>) {
        // A plain loop: the code of a collection of nested iterators is long, and every caller has iterators of its own.
        let mut all = Vec::new();
        for (i, j) in entries {
            all.push((i.min(j) as u32, i.max(j) as u32));
        }
        Self::of(dimension, all)
    }

    fn of(dimension: usize, mut sorted: Vec<(u32, u32)>) -> (Self, Vec<u8>) {
        sorted.extend((0..dimension as u32).map(|i| (i, i)));
        sorted.sort_unstable();
        let count = |run: &[(u32, u32)]| u8::try_from(run.len()).unwrap_or(u8::MAX);
        let counts = sorted.chunk_by(|one, next| one == next).map(count).collect();
        sorted.dedup();
        let mut starts = vec![0; dimension + 1];
        for &(column, _) in &sorted {
            starts[column as usize + 1] += 1;
        }
        for column in 0..dimension {
            starts[column + 1] += starts[column];
        }
        let rows = sorted.into_iter().map(|(_, row)| row).collect();
        (Self { starts: starts.into(), rows }, counts)
    }

    /// The number of rows, which is that of columns.
    pub fn dimension(&self) -> usize {
        self.starts.len() - 1
    }

    /// The number of stored entries.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether the matrix has no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Where each column begins, and the end of the last.
    pub fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// The rows of all columns, one column after the other.
    pub fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// All stored entries (row, column), row ≥ column, in the order of the values.
    pub fn entries(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        (0..self.dimension()).flat_map(move |column| {
            self.rows[self.starts[column]..self.starts[column + 1]]
                .iter()
                .map(move |&row| (row as usize, column))
        })
    }

    /// Where the entry (row, column), of either triangle, stands among the values.
    pub fn position(&self, row: usize, column: usize) -> Option<usize> {
        let (column, row) = (row.min(column), row.max(column));
        let range = self.starts[column]..self.starts[column + 1];
        self.rows[range.clone()].binary_search(&(row as u32)).ok().map(|k| range.start + k)
    }

    /// y ← y + A x.
    pub fn multiply_add(&self, values: &[f64], x: &[f64], y: &mut [f64]) {
        for column in 0..self.dimension() {
            let range = self.starts[column]..self.starts[column + 1];
            for (&row, &value) in self.rows[range.clone()].iter().zip(&values[range]) {
                let row = row as usize;
                y[row] += value * x[column];
                if row != column {
                    y[column] += value * x[row];
                }
            }
        }
    }
}

/// A symmetric matrix with its values.
#[derive(Debug, Clone, PartialEq)]
pub struct SymmetricMatrix {
    /// Where it can be nonzero.
    pub pattern: SymmetricPattern,
    /// The values of the lower triangle, in the order of the pattern.
    pub values: Vec<f64>,
}

impl SymmetricMatrix {
    /// The diagonal matrix of these entries.
    pub fn diagonal(entries: Vec<f64>) -> Self {
        Self { pattern: SymmetricPattern::new(entries.len(), []), values: entries }
    }

    /// Whether nothing is stored beside the diagonal.
    pub fn is_diagonal(&self) -> bool {
        self.pattern.len() == self.pattern.dimension()
    }

    /// y ← A x.
    pub fn multiply(&self, x: &[f64], y: &mut [f64]) {
        y.fill(0.0);
        self.pattern.multiply_add(&self.values, x, y);
    }

    /// xᵀ A x.
    pub fn quadratic(&self, x: &[f64]) -> f64 {
        let mut sum = 0.0;
        for ((row, column), value) in self.pattern.entries().zip(&self.values) {
            sum += if row == column { 1.0 } else { 2.0 } * value * x[row] * x[column];
        }
        sum
    }
}
