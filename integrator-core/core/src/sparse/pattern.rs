//! Where sparse matrices can be nonzero.

use std::sync::Arc;

/// A place that a pattern must have, since it was made of these entries.
///
/// A missing one is a mistake of this library, which no input reaches, and the builders of patterns have
/// no error for it: tests stop here, and a release stops at its first use, by the bounds of the values.
/// It never becomes a place of another entry, whose wrong number would be believed.
pub(crate) fn placed(found: Option<usize>) -> u32 {
    debug_assert!(found.is_some(), "a pattern has the entries of which it was made");
    found.map_or(u32::MAX, |place| place as u32)
}

/// The lower triangle of a symmetric matrix, by columns: rows ascending, the diagonal always present.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SymmetricPattern {
    // Shared, so that every owner of a matrix of this pattern can hold it for nothing.
    starts: Arc<[usize]>,
    rows: Arc<[u32]>,
}

impl SymmetricPattern {
    /// The pattern of the given (row, column) entries, of
    /// either triangle and with repetitions, plus the diagonal.
    pub fn new(dimension: usize, entries: impl IntoIterator<Item = (usize, usize)>) -> Self {
        Self::counted(dimension, entries).0
    }

    /// As [`new`](Self::new), with the number of times each
    /// entry was given, and once more on the diagonal.
    #[doc(hidden)]
    pub fn counted(dimension: usize, entries: impl IntoIterator<Item = (usize, usize)>) -> (Self, Vec<u8>) {
        // A plain loop: the code of a collection of nested iterators is long, and every caller has
        // iterators of its own.
        let mut all = Vec::new();
        for (i, j) in entries {
            all.push((i.min(j) as u32, i.max(j) as u32));
        }
        Self::of(dimension, all)
    }

    /// By counting, not by sorting: pairs of particles give
    /// the entries of each particle thousands of times.
    fn of(dimension: usize, given: Vec<(u32, u32)>) -> (Self, Vec<u8>) {
        let mut ends = vec![0; dimension];
        for &(column, _) in &given {
            ends[column as usize] += 1;
        }
        let mut sum = 0;
        for end in &mut ends {
            (*end, sum) = (sum, sum + *end);
        }
        // Each column begins at the end of the column before it; an entry moves the end on.
        let mut rows_of = vec![0; given.len()];
        for (column, row) in given {
            let end = &mut ends[column as usize];
            rows_of[*end] = row;
            *end += 1;
        }
        // How often each row was given in a column.
        let mut times = vec![0_u8; dimension];
        let (mut starts, mut rows, mut counts) = (vec![0], Vec::new(), Vec::new());
        let mut begin = 0;
        for (column, end) in ends.into_iter().enumerate() {
            let first = rows.len();
            rows.push(column as u32);
            times[column] = 1;
            for &row in &rows_of[begin..end] {
                let times = &mut times[row as usize];
                if *times == 0 {
                    rows.push(row);
                }
                *times = times.saturating_add(1);
            }
            rows[first..].sort_unstable();
            counts.extend(rows[first..].iter().map(|row| std::mem::take(&mut times[*row as usize])));
            starts.push(rows.len());
            begin = end;
        }
        (Self { starts: starts.into(), rows: rows.into() }, counts)
    }

    /// The number of rows and of columns.
    pub fn dimension(&self) -> usize {
        self.starts.len() - 1
    }

    /// The number of stored entries.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// True if the matrix has no rows.
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

    /// The place among the values of the entry (row, column), of either triangle.
    pub fn position(&self, row: usize, column: usize) -> Option<usize> {
        let (column, row) = (row.min(column), row.max(column));
        let range = self.starts[column]..self.starts[column + 1];
        // In a column without a gap it stands where it would in a full matrix.
        let full = range.start + row - column;
        if full < range.end && self.rows[full] == row as u32 {
            return Some(full);
        }
        self.rows[range.clone()].binary_search(&(row as u32)).ok().map(|k| range.start + k)
    }

    /// [`Self::position`] of an entry of which the pattern was made.
    pub(crate) fn place(&self, row: usize, column: usize) -> u32 {
        placed(self.position(row, column))
    }

    /// y ← y + A x.
    pub fn multiply_add(&self, values: &[f64], x: &[f64], y: &mut [f64]) {
        if self.len() == self.dimension() {
            y.iter_mut().zip(x.iter().zip(values)).for_each(|(y, (x, value))| *y += value * x);
            return;
        }
        let mut at = 0;
        for (column, &end) in self.starts[1..].iter().enumerate() {
            let (rows, values) = (&self.rows[at..end], &values[at..end]);
            at = end;
            // The diagonal stands first.
            let (Some((diagonal, values)), Some((_, rows))) = (values.split_first(), rows.split_first())
            else {
                continue;
            };
            let own = x[column];
            let mut sum = diagonal * own;
            for (&row, value) in rows.iter().zip(values) {
                y[row as usize] += value * own;
                sum += value * x[row as usize];
            }
            y[column] += sum;
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

    /// True if nothing is stored beside the diagonal.
    pub fn is_diagonal(&self) -> bool {
        self.pattern.len() == self.pattern.dimension()
    }

    /// y ← A x.
    pub fn multiply(&self, x: &[f64], y: &mut [f64]) {
        if self.is_diagonal() {
            y.iter_mut().zip(x.iter().zip(&self.values)).for_each(|(y, (x, value))| *y = value * x);
            return;
        }
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
