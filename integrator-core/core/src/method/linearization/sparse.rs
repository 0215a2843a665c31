//! Operators as sparse matrices, which multiply several tangents abreast.

use crate::lanes::Registers;
use crate::sparse::{RowMatrix, RowPattern, SymmetricPattern};
use pulp::{Simd, WithSimd};

/// The number of tangents abreast, which fill the widest registers.
pub(crate) const ABREAST: usize = 8;
/// The most entries of a row, on average, of a matrix that counts as sparse.
const SPARSE: usize = 64;

/// A sparse matrix, or its transpose.
///
/// Entries beyond the lengths of vectors count nothing: a matrix over x = (q, θ) acts on q, too.
pub(crate) struct Sparse<'m> {
    /// The matrix.
    pub(crate) matrix: &'m RowMatrix,
    /// True for its transpose.
    pub(crate) transposed: bool,
}

impl Sparse<'_> {
    /// y ← y + c A x for [`ABREAST`] vectors.
    pub(crate) fn add(&self, registers: Option<Registers>, (factor, x): (f64, &[f64]), y: &mut [f64]) {
        let work = Add { sparse: self, factor, x, y };
        match registers {
            Some(registers) => registers.run(work),
            None => work.run(),
        }
    }
}

/// The work of [`Sparse::add`].
struct Add<'a> {
    sparse: &'a Sparse<'a>,
    factor: f64,
    x: &'a [f64],
    y: &'a mut [f64],
}

impl Add<'_> {
    #[inline(always)]
    fn run(self) {
        let Self { sparse: Sparse { matrix: RowMatrix { pattern, values }, transposed }, factor, x, y } =
            self;
        let (x, y) = (x.as_chunks::<ABREAST>().0, y.as_chunks_mut::<ABREAST>().0);
        for row in 0..pattern.height() {
            let range = pattern.row(row);
            let (columns, values) = (&pattern.columns()[range.clone()], &values[range]);
            if *transposed {
                let Some(x) = x.get(row) else { break };
                let x = x.map(|x| factor * x);
                for (column, value) in columns.iter().zip(values) {
                    let Some(y) = y.get_mut(*column as usize) else { break };
                    *y = std::array::from_fn(|k| y[k] + value * x[k]);
                }
            } else {
                let Some(y) = y.get_mut(row) else { break };
                let mut sum = [0.0; ABREAST];
                for (column, value) in columns.iter().zip(values) {
                    let Some(x) = x.get(*column as usize) else { break };
                    sum = std::array::from_fn(|k| sum[k] + value * x[k]);
                }
                *y = std::array::from_fn(|k| y[k] + factor * sum[k]);
            }
        }
    }
}

impl WithSimd for Add<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        self.run();
    }
}

/// More products than this take longer than products with the tangents one by one.
const MOST_COLORS: usize = 2 * ABREAST;

/// Columns that share no row: one product has all of their entries.
struct Color {
    columns: Vec<usize>,
    /// The row and the place of each entry.
    entries: Vec<(usize, usize)>,
}

/// The derivative of a vector by x, as a sparse matrix: some entries are numbers that a kernel writes,
/// and others come from products with directions.
///
/// # Reference
/// A. R. Curtis, M. J. D. Powell and J. K. Reid, J. Inst. Math. Appl. 13 (1974) 117–119,
/// doi:10.1093/imamat/13.1.117.
pub(in crate::method) struct SlopeMatrix {
    matrix: RowMatrix,
    is_sparse: bool,
    /// The place of each entry that a kernel writes, with the place of its number.
    written: Vec<(usize, usize)>,
    numbers: Vec<f64>,
    colors: Vec<Color>,
    direction: Vec<f64>,
    product: Vec<f64>,
}

impl SlopeMatrix {
    /// A matrix of this height and width; entries (row, column) of the kernel come with the places of
    /// their numbers, and entries from products are unknown or given.
    pub(in crate::method) fn new(
        [height, width]: [usize; 2],
        written: &[(usize, (usize, usize))],
        by_products: Option<&[(usize, usize)]>,
    ) -> Self {
        let (is_known, by_products) = (by_products.is_some(), by_products.unwrap_or_default());
        let entries = || written.iter().map(|(_, entry)| *entry).chain(by_products.iter().copied());
        let is_sparse = is_known && entries().take(SPARSE * height + 1).count() <= SPARSE * height;
        let pattern = RowPattern::new(height, width, entries().filter(|_| is_sparse));
        let place = |(row, column)| pattern.position(row, column);
        let written = written.iter().filter_map(|(number, entry)| Some((place(*entry)?, *number)));
        let written: Vec<_> = written.collect();
        let numbers = written.iter().map(|(_, number)| number + 1).max().unwrap_or_default();
        let mut rows: Vec<Vec<(usize, usize)>> = vec![Vec::new(); width];
        for &(row, column) in by_products {
            rows[column].extend(place((row, column)).map(|place| (row, place)));
        }
        let mut colors: Vec<Color> = Vec::new();
        // The colors of each row, and the last column that each color cannot have.
        let (mut of_rows, mut taken) = (vec![Vec::<usize>::new(); height], Vec::new());
        for (column, mut rows) in rows.into_iter().enumerate().filter(|(_, rows)| !rows.is_empty()) {
            rows.sort_unstable();
            rows.dedup();
            rows.iter().flat_map(|(row, _)| &of_rows[*row]).for_each(|color| taken[*color] = column);
            let free = taken.iter().position(|last| *last != column).unwrap_or(taken.len());
            if free == taken.len() {
                taken.push(usize::MAX);
                colors.push(Color { columns: Vec::new(), entries: Vec::new() });
            }
            rows.iter().for_each(|(row, _)| of_rows[*row].push(free));
            colors[free].columns.push(column);
            colors[free].entries.extend(rows);
        }
        let is_sparse = is_sparse && colors.len() <= MOST_COLORS;
        Self {
            matrix: RowMatrix::zero(pattern),
            is_sparse,
            written,
            numbers: vec![0.0; numbers],
            colors,
            direction: vec![0.0; width],
            product: vec![0.0; height],
        }
    }

    /// The numbers of the kernel, to be written; none if it is not sparse.
    pub(in crate::method) fn numbers(&mut self) -> Option<&mut [f64]> {
        self.is_sparse.then_some(&mut self.numbers)
    }

    /// Fills it with the numbers of the kernel, times a factor, and with products, if it is sparse.
    pub(in crate::method) fn fill(&mut self, factor: f64, mut multiply: impl FnMut(&[f64], &mut [f64])) {
        let Self { matrix: RowMatrix { values, .. }, written, numbers, colors, direction, product, .. } =
            self;
        if !self.is_sparse {
            return;
        }
        values.fill(0.0);
        for (place, number) in &*written {
            values[*place] += factor * numbers[*number];
        }
        for Color { columns, entries } in colors {
            columns.iter().for_each(|column| direction[*column] = 1.0);
            multiply(direction, product);
            columns.iter().for_each(|column| direction[*column] = 0.0);
            entries.iter().for_each(|(row, place)| values[*place] += product[*row]);
        }
    }

    /// The matrix; none if it is not sparse.
    pub(in crate::method) fn get(&self) -> Option<Sparse<'_>> {
        self.is_sparse.then_some(Sparse { matrix: &self.matrix, transposed: false })
    }
}

/// The entries of both triangles, with the places of their numbers.
pub(in crate::method) fn both_triangles(pattern: &SymmetricPattern) -> Vec<(usize, (usize, usize))> {
    let entries = pattern.entries().enumerate();
    let both = entries.flat_map(|(number, (row, column))| {
        let mirrored = (row != column).then_some((number, (column, row)));
        [(number, (row, column))].into_iter().chain(mirrored)
    });
    both.collect()
}
