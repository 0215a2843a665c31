//! Sparse L U with threshold pivoting, column by column.
//!
//! Mechanisms with many closed loops use it, and all saddle points with a wide band.
//!
//! The columns of L before a column solve for it.
//! A search through L finds the unknowns of this solution beforehand, so that the work is proportional
//! to the operations.
//!
//! # Reference
//! J. R. Gilbert, T. Peierls, SIAM J. Sci. Stat. Comput. 9 (1988) 862, doi:10.1137/0909058.

use super::kernel::{Elimination, Entries, Factor, FactorError, Factored};
use super::probe::Probe;
use crate::sparse::minimum_degree::{minimum_degree, minimum_degree_of_columns};
use crate::sparse::pattern::SymmetricPattern;
use std::ops::Range;

/// A square sparse matrix by columns and its factors.
///
/// The column order is found once.
/// The factors keep their memory from one factorization to the next; only pivoting that makes them
/// fuller than they have ever been makes it grow.
#[derive(Debug)]
pub struct Lu {
    matrix: SparseColumns,
    /// Where each entry of the lower triangle stands, and its mirror image.
    places: Vec<[u32; 2]>,
    /// The column that is eliminated at each place.
    order: Vec<u32>,
    /// The diagonal entry is the pivot if it is at least this part of the largest.
    preference: f64,
    factors: Factors,
    probe: Probe,
    factored: bool,
}

/// The rounding error that is added to the diagonal of a singular matrix, as a part of its norm.
const SHIFT: f64 = 1e-13;
/// The part of the largest entry of its column that is enough for a pivot on the diagonal of a matrix
/// near a definite one.
const PREFERENCE: f64 = 0.1;
const NONE: u32 = u32::MAX;

impl Lu {
    /// For any matrices: columns in an order that suits all pivots; zeros on the diagonal, as of saddle
    /// points, would fill any other.
    /// `None` when there is no memory.
    pub fn new(pattern: &SymmetricPattern) -> Option<Self> {
        Some(Self::ordered(pattern, minimum_degree_of_columns(pattern)?, 1.0))
    }

    /// For matrices near symmetric, positive definite ones:
    /// in the order that suits pivots on the diagonal.
    pub fn near_definite(pattern: &SymmetricPattern) -> Option<Self> {
        Some(Self::ordered(pattern, minimum_degree(pattern)?, PREFERENCE))
    }

    fn ordered(pattern: &SymmetricPattern, order: Vec<u32>, preference: f64) -> Self {
        let dimension = pattern.dimension();
        let mut starts = vec![0; dimension + 1];
        for (row, column) in pattern.entries() {
            starts[column + 1] += 1;
            starts[row + 1] += usize::from(row != column);
        }
        for column in 0..dimension {
            starts[column + 1] += starts[column];
        }
        let mut ends = starts.clone();
        let mut rows = vec![0; starts[dimension]];
        let mut put = |row: usize, column: usize| {
            let place = ends[column];
            rows[place] = row as u32;
            ends[column] += 1;
            place as u32
        };
        let both = |(row, column)| {
            let place = put(row, column);
            [place, if row == column { place } else { put(column, row) }]
        };
        Self {
            places: pattern.entries().map(both).collect(),
            order,
            preference,
            factors: Factors::new(dimension),
            probe: Probe::new(dimension),
            factored: false,
            matrix: SparseColumns { starts, values: vec![0.0; rows.len()], rows },
        }
    }

    fn eliminate(&mut self) {
        // A structurally singular matrix leaves no factors:
        // the probe must then see that nothing can be solved.
        self.factored = self.factors.eliminate(&self.matrix, &self.order, self.preference).is_some();
    }

    /// The largest entry of A⁻¹ times a fixed vector, with
    /// its row; `None` when the factors contain a zero pivot.
    fn amplify(&mut self) -> Option<(usize, f64)> {
        if !self.factored {
            return None;
        }
        let Self { probe, factors, order, .. } = self;
        probe.amplify(|x| factors.solve(order, x))
    }

    fn shift_diagonal(&mut self, shift: f64) {
        for [place, mirror] in &self.places {
            if place == mirror {
                self.matrix.values[*place as usize] += shift;
            }
        }
    }
}

impl Factor for Lu {
    /// A matrix is taken for singular when one solve enlarges a vector by more than the reciprocal of
    /// the smallest pivot over its norm.
    ///
    /// The factors are [probed](Probe) by one solve.
    /// Where a pivot is exactly zero, a shift of the diagonal
    /// by a rounding error makes that direction visible.
    fn factor(&mut self, entries: &Entries<'_>) -> Factored {
        let upper = entries.upper.unwrap_or(entries.lower);
        for (&[place, mirror], (&lower, &upper)) in self.places.iter().zip(entries.lower.iter().zip(upper)) {
            self.matrix.values[mirror as usize] = upper;
            self.matrix.values[place as usize] = lower;
        }
        let mut norm = 0.0_f64;
        for &value in &self.matrix.values {
            if !value.is_finite() {
                return Err(FactorError { pivot: value, index: 0 });
            }
            norm = norm.max(value.abs());
        }
        self.eliminate();
        if let Some((_, largest)) = self.amplify() {
            let pivot = 1.0 / largest;
            if pivot > entries.smallest_pivot * norm {
                return Ok(());
            }
        }
        self.shift_diagonal(SHIFT * norm);
        self.eliminate();
        let culprit = self.amplify();
        Err(culprit.map_or(FactorError { pivot: 0.0, index: 0 }, |(index, largest)| FactorError {
            pivot: 1.0 / largest,
            index,
        }))
    }

    fn solve(&mut self, x: &mut [f64]) {
        self.factors.solve(&self.order, x);
    }

    fn elimination(&self) -> Elimination {
        Elimination::General
    }
}

/// P A Q = L U by columns; L without its unit diagonal, U without its pivots.
#[derive(Debug)]
struct Factors {
    lower: SparseColumns,
    upper: SparseColumns,
    pivots: Vec<f64>,
    /// The row of each pivot, and the place of the pivot in each row, if it has one.
    pivot_rows: Vec<u32>,
    places: Vec<u32>,
    /// A column in the making, by rows, or a right-hand side, by places.
    x: Vec<f64>,
    search: ReachSearch,
}

#[derive(Debug)]
struct SparseColumns {
    starts: Vec<usize>,
    rows: Vec<u32>,
    values: Vec<f64>,
}

/// The search for all rows that a column touches.
#[derive(Debug)]
struct ReachSearch {
    /// The place that last touched each row.
    touched: Vec<u32>,
    /// The entry of each column of L behind the last that the search needs.
    ends: Vec<usize>,
    /// The columns of L on the way, each with its entry that comes next.
    way: Vec<(u32, usize)>,
    /// The touched places that have a pivot, each before all from which its value comes.
    known: Vec<u32>,
    /// The touched rows that have none.
    free: Vec<u32>,
}

impl Factors {
    fn new(dimension: usize) -> Self {
        Self {
            lower: SparseColumns::new(dimension),
            upper: SparseColumns::new(dimension),
            pivots: vec![0.0; dimension],
            pivot_rows: vec![NONE; dimension],
            places: vec![NONE; dimension],
            x: vec![0.0; dimension],
            search: ReachSearch {
                touched: vec![NONE; dimension],
                ends: vec![0; dimension],
                way: Vec::with_capacity(dimension),
                known: Vec::with_capacity(dimension),
                free: Vec::with_capacity(dimension),
            },
        }
    }

    /// `None` where a column has nothing left that can be divided by, or memory is short.
    fn eliminate(&mut self, matrix: &SparseColumns, order: &[u32], preference: f64) -> Option<()> {
        let Self { lower, upper, pivots, pivot_rows, places, x, search } = self;
        lower.clear();
        upper.clear();
        places.fill(NONE);
        search.touched.fill(NONE);
        x.fill(0.0);
        for (place, &column) in order.iter().enumerate() {
            let (rows, values) = matrix.column(column);
            search.run(place as u32, rows, lower, places);
            for (&row, &value) in rows.iter().zip(values) {
                x[row as usize] = value;
            }
            upper.reserve(search.known.len())?;
            for &known in search.known.iter().rev() {
                let value = std::mem::take(&mut x[pivot_rows[known as usize] as usize]);
                upper.push(known, value);
                let (rows, factors) = lower.column(known);
                for (&row, &factor) in rows.iter().zip(factors) {
                    x[row as usize] -= factor * value;
                }
            }
            upper.close();
            let pivot_row = search.pivot_row(column, preference, x)?;
            let pivot = std::mem::take(&mut x[pivot_row as usize]);
            (pivots[place], pivot_rows[place], places[pivot_row as usize]) = (pivot, pivot_row, place as u32);
            lower.reserve(search.free.len())?;
            for &row in search.free.iter().filter(|row| **row != pivot_row) {
                lower.push(row, std::mem::take(&mut x[row as usize]) / pivot);
            }
            lower.close();
            search.ends[place] = lower.rows.len();
            search.shorten(lower, places, pivot_row);
        }
        for row in &mut lower.rows {
            *row = places[*row as usize];
        }
        Some(())
    }

    /// x ← A⁻¹ x.
    fn solve(&mut self, order: &[u32], x: &mut [f64]) {
        let Self { lower, upper, pivots, pivot_rows, x: y, .. } = self;
        for (y, &row) in y.iter_mut().zip(&*pivot_rows) {
            *y = x[row as usize];
        }
        for place in 0..pivots.len() {
            lower.subtract(place as u32, y[place], y);
        }
        for place in (0..pivots.len()).rev() {
            y[place] /= pivots[place];
            upper.subtract(place as u32, y[place], y);
        }
        for (&y, &column) in y.iter().zip(order) {
            x[column as usize] = y;
        }
    }
}

impl SparseColumns {
    fn new(dimension: usize) -> Self {
        Self { starts: Vec::with_capacity(dimension + 1), rows: Vec::new(), values: Vec::new() }
    }

    fn clear(&mut self) {
        self.starts.clear();
        self.starts.push(0);
        self.rows.clear();
        self.values.clear();
    }

    fn reserve(&mut self, more: usize) -> Option<()> {
        self.rows.try_reserve(more).ok()?;
        self.values.try_reserve(more).ok()
    }

    /// Adds an entry to the last column.
    fn push(&mut self, row: u32, value: f64) {
        self.rows.push(row);
        self.values.push(value);
    }

    /// Begins the next column.
    fn close(&mut self) {
        self.starts.push(self.rows.len());
    }

    fn range(&self, column: u32) -> Range<usize> {
        self.starts[column as usize]..self.starts[column as usize + 1]
    }

    fn column(&self, column: u32) -> (&[u32], &[f64]) {
        (&self.rows[self.range(column)], &self.values[self.range(column)])
    }

    /// y ← y − x times a column.
    fn subtract(&self, column: u32, x: f64, y: &mut [f64]) {
        let (rows, values) = self.column(column);
        for (&row, &value) in rows.iter().zip(values) {
            y[row as usize] -= value * x;
        }
    }
}

impl ReachSearch {
    /// Finds all that a column with these rows touches through the columns of L.
    fn run(&mut self, place: u32, rows: &[u32], lower: &SparseColumns, places: &[u32]) {
        let Self { touched, ends, way, known, free } = self;
        known.clear();
        free.clear();
        let mut touch = |row: u32, way: &mut Vec<(u32, usize)>| {
            if std::mem::replace(&mut touched[row as usize], place) != place {
                match places[row as usize] {
                    NONE => free.push(row),
                    other => way.push((other, lower.starts[other as usize])),
                }
            }
        };
        for &row in rows {
            touch(row, way);
            while let Some((other, next)) = way.last_mut() {
                if *next == ends[*other as usize] {
                    known.push(*other);
                    way.pop();
                } else {
                    *next += 1;
                    let row = lower.rows[*next - 1];
                    touch(row, way);
                }
            }
        }
    }

    /// Shortens the search through columns of L that the
    /// last column touched and that have its pivot's row.
    /// All their rows without a pivot are in the last column of L, too.
    ///
    /// # Reference
    /// S. C. Eisenstat, J. W. H. Liu, SIAM J. Sci. Comput. 14 (1993) 253, doi:10.1137/0914016.
    fn shorten(&mut self, lower: &mut SparseColumns, places: &[u32], pivot_row: u32) {
        for &column in &self.known {
            let Range { start, end } = lower.range(column);
            if self.ends[column as usize] == end && lower.rows[start..end].contains(&pivot_row) {
                let mut middle = start;
                for entry in start..end {
                    if places[lower.rows[entry] as usize] != NONE {
                        lower.rows.swap(middle, entry);
                        lower.values.swap(middle, entry);
                        middle += 1;
                    }
                }
                self.ends[column as usize] = middle;
            }
        }
    }

    /// The row of the pivot of a column: the diagonal entry, unless it is small beside the largest.
    fn pivot_row(&self, diagonal: u32, preference: f64, x: &[f64]) -> Option<u32> {
        let (mut pivot_row, mut largest) = (None, 0.0);
        for &row in &self.free {
            let magnitude = x[row as usize].abs();
            if magnitude > largest {
                (pivot_row, largest) = (Some(row), magnitude);
            }
        }
        // An entry of a row that has its pivot is zero by now.
        let prefer = x[diagonal as usize].abs() >= preference * largest;
        pivot_row.map(|row| if prefer { diagonal } else { row })
    }
}
