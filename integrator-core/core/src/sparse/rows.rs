//! Rectangular sparse matrices by rows, in blocks of neighbouring columns.

use super::full::{self, total};
use super::pattern::placed;
use std::ops::Range;
use std::slice::from_ref;

/// A rectangular sparse matrix by rows: columns ascending within a row.
///
/// The columns of a point of the plane or of space have equal rows.
/// Where all columns come in these blocks, sums run over blocks of two or three numbers whose length the
/// compiler of Rust knows, and read one index for each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowPattern {
    starts: Vec<usize>,
    columns: Vec<u32>,
    width: usize,
    /// The number of columns in a block: 1, 2 or 3.
    block: usize,
    stretches: Vec<Stretch>,
    /// True if it is treated as full, every row with all columns.
    is_full: bool,
}

/// Consecutive rows of one number of blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stretch {
    end: u32,
    blocks: u32,
    /// True if the rows have two blocks, and both stand a
    /// block further on in the next row: the rods of a chain.
    advances: bool,
}

/// Fewer rows that advance are not told apart from others.
const FEW: u32 = 8;

/// Calls a method for the size of the blocks.
macro_rules! in_blocks {
    ($pattern:expr, $method:ident($($argument:expr),*)) => {
        match $pattern.block {
            2 => $pattern.$method::<2>($($argument),*),
            3 => $pattern.$method::<3>($($argument),*),
            _ => $pattern.$method::<1>($($argument),*),
        }
    };
}

impl RowPattern {
    /// The pattern of the given (row, column) entries, with repetitions.
    pub fn new(height: usize, width: usize, entries: impl IntoIterator<Item = (usize, usize)>) -> Self {
        // A plain loop: the code of a collection of nested iterators is long, and every caller has
        // iterators of its own.
        let mut all = Vec::new();
        for (i, j) in entries {
            all.push((i as u32, j as u32));
        }
        Self::of(height, width, all)
    }

    fn of(height: usize, width: usize, mut sorted: Vec<(u32, u32)>) -> Self {
        sorted.sort_unstable();
        sorted.dedup();
        let mut starts = vec![0; height + 1];
        for &(row, _) in &sorted {
            starts[row as usize + 1] += 1;
        }
        for row in 0..height {
            starts[row + 1] += starts[row];
        }
        // Not in place: that would keep twice the memory.
        let columns: Vec<u32> = sorted.iter().map(|&(_, column)| column).collect();
        let block = block_size(&starts, &columns, width);
        let stretches = stretches(&starts, &columns, block);
        Self { starts, columns, width, block, stretches, is_full: false }
    }

    /// All entries, in blocks of so many columns: products with few of them look up nothing.
    #[doc(hidden)]
    pub fn full(height: usize, width: usize, block: usize) -> Self {
        let entries = (0..height).flat_map(|row| (0..width).map(move |column| (row, column)));
        let sparse = Self::new(height, width, entries);
        let stretches = stretches(&sparse.starts, &sparse.columns, block);
        Self { is_full: true, block, stretches, ..sparse }
    }

    /// True if each block begins at a multiple of its size.
    pub(crate) fn is_aligned(&self) -> bool {
        let is_multiple = |place: usize| place.is_multiple_of(self.block);
        is_multiple(self.width)
            && self.columns.iter().step_by(self.block).all(|column| is_multiple(*column as usize))
    }

    /// True if it was made as [full](Self::full).
    pub(crate) fn is_full(&self) -> bool {
        self.is_full
    }

    /// The number of rows.
    pub fn height(&self) -> usize {
        self.starts.len() - 1
    }

    /// The number of columns.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The number of stored entries.
    pub fn len(&self) -> usize {
        self.columns.len()
    }

    /// True if nothing is stored.
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// The places of the values of a row.
    pub fn row(&self, row: usize) -> Range<usize> {
        self.starts[row]..self.starts[row + 1]
    }

    /// Where each row begins, and the end of the last.
    pub fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// The columns of all rows, one row after the other.
    pub fn columns(&self) -> &[u32] {
        &self.columns
    }

    /// All stored entries (row, column), in the order of the values.
    pub fn entries(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        (0..self.height()).flat_map(move |row| {
            self.columns[self.row(row)].iter().map(move |&column| (row, column as usize))
        })
    }

    /// The place of the entry (row, column) among the values.
    pub fn position(&self, row: usize, column: usize) -> Option<usize> {
        let range = self.row(row);
        self.columns[range.clone()].binary_search(&(column as u32)).ok().map(|k| range.start + k)
    }

    /// [`Self::position`] of an entry of which the pattern was made.
    pub(crate) fn place(&self, row: usize, column: usize) -> u32 {
        placed(self.position(row, column))
    }

    /// The number of columns in a block.
    /// Rows consist of whole blocks, and two blocks have all their columns in common or none.
    #[doc(hidden)]
    pub fn block(&self) -> usize {
        self.block
    }

    /// y ← y + A x.
    #[inline]
    pub fn multiply_add(&self, values: &[f64], x: &[f64], y: &mut [f64]) {
        if self.is_full { full::multiply_add(self.block, values, x, y) } else { self.product(values, x, y) }
    }

    /// y ← y + Aᵀ x.
    #[inline]
    pub fn transpose_multiply_add(&self, values: &[f64], x: &[f64], y: &mut [f64]) {
        if self.is_full { full::push(self.block, values, x, y) } else { self.transposed(values, x, y) }
    }

    /// y_c ← 1 / Σ_j |A_cj| x_j for nonnegative x; large, but finite, for a row of zeros.
    #[doc(hidden)]
    #[inline]
    pub fn reciprocal_sizes(&self, values: &[f64], x: &[f64], y: &mut [f64]) {
        if self.is_full { full::reciprocal_sizes(self.block, values, x, y) } else { self.sizes(values, x, y) }
    }

    /// B_cj ← A_cj x_j.
    #[doc(hidden)]
    #[inline]
    pub fn scale_columns(&self, values: &[f64], x: &[f64], scaled: &mut [f64]) {
        let sizes = (self.height(), self.block);
        if self.is_full { full::scale(sizes, values, x, scaled) } else { self.scaled(values, x, scaled) }
    }

    /// True if Σ_j A_cj B_cj > 0 for every row c of two matrices of this pattern.
    #[doc(hidden)]
    #[inline]
    pub fn face_forward(&self, a: &[f64], b: &[f64]) -> bool {
        let sizes = (self.height(), self.width);
        if self.is_full { full::face_forward(self.block, a, b, sizes) } else { self.forward(a, b) }
    }

    fn product(&self, values: &[f64], x: &[f64], y: &mut [f64]) {
        in_blocks!(self, product_by(values, x, y));
    }

    fn transposed(&self, values: &[f64], x: &[f64], y: &mut [f64]) {
        in_blocks!(self, transposed_by(values, x, y));
    }

    fn sizes(&self, values: &[f64], x: &[f64], y: &mut [f64]) {
        in_blocks!(self, sizes_by(values, x, y));
    }

    fn scaled(&self, values: &[f64], x: &[f64], scaled: &mut [f64]) {
        in_blocks!(self, scaled_by(values, x, scaled));
    }

    fn forward(&self, a: &[f64], b: &[f64]) -> bool {
        in_blocks!(self, forward_by(a, b))
    }

    fn product_by<const N: usize>(&self, values: &[f64], x: &[f64], y: &mut [f64]) {
        self.sums::<N>(values, x, y, |value, x| value * x, |y, sum| *y += sum);
    }

    fn sizes_by<const N: usize>(&self, values: &[f64], x: &[f64], y: &mut [f64]) {
        let put = |y: &mut f64, sum| *y = 1.0 / (sum + f64::MIN_POSITIVE);
        self.sums::<N>(values, x, y, |value, x| value.abs() * x, put);
    }

    /// `put` takes the entry of y of each row with the sum of the terms of the row.
    #[inline(always)]
    fn sums<const N: usize>(
        &self,
        values: &[f64],
        x: &[f64],
        y: &mut [f64],
        term: impl Fn(f64, f64) -> f64,
        put: impl Fn(&mut f64, f64),
    ) {
        self.each_stretch::<N>(values, |stretch, rows, values, columns| {
            let y = &mut y[rows];
            if stretch.advances {
                let [a, b] = [0, 1].map(|k| x[columns[k][0] as usize..].as_chunks::<N>().0);
                for ((y, values), (a, b)) in y.iter_mut().zip(values.as_chunks::<2>().0).zip(a.iter().zip(b))
                {
                    let sums = std::array::from_fn(|k| term(values[0][k], a[k]) + term(values[1][k], b[k]));
                    put(y, total::<N, _>(sums));
                }
                return;
            }
            of_rows(stretch, y.iter_mut(), values, columns, |y, values, columns| {
                let mut sum = [0.0; N];
                for (value, columns) in values.iter().zip(columns) {
                    let x = block::<N>(x, columns);
                    for k in 0..N {
                        sum[k] += term(value[k], x[k]);
                    }
                }
                put(y, total(sum));
            });
        });
    }

    fn scaled_by<const N: usize>(&self, values: &[f64], x: &[f64], scaled: &mut [f64]) {
        let (values, columns) = (values.as_chunks::<N>().0, self.columns.as_chunks::<N>().0);
        for ((scaled, value), columns) in scaled.as_chunks_mut::<N>().0.iter_mut().zip(values).zip(columns) {
            let x = block::<N>(x, columns);
            for k in 0..N {
                scaled[k] = value[k] * x[k];
            }
        }
    }

    fn forward_by<const N: usize>(&self, a: &[f64], b: &[f64]) -> bool {
        let mut all = true;
        // Without an early exit, which would be one branch more in each row.
        self.row_products::<N>(a, b, |_, product| all &= product > 0.0);
        all
    }

    /// `take` takes each row c with Σ_j A_cj B_cj of two matrices of this pattern.
    #[inline(always)]
    pub(super) fn row_products<const N: usize>(
        &self,
        a: &[f64],
        b: &[f64],
        mut take: impl FnMut(usize, f64),
    ) {
        let mut others = b.as_chunks::<N>().0;
        self.each_stretch::<N>(a, |stretch, rows, a, _| {
            let (b, rest) = others.split_at(a.len());
            others = rest;
            let mut product = |row: usize, a: &[[f64; N]], b: &[[f64; N]]| {
                let mut sum = [0.0; N];
                for (a, b) in a.iter().zip(b) {
                    for k in 0..N {
                        sum[k] += a[k] * b[k];
                    }
                }
                take(row, total(sum));
            };
            if stretch.blocks == 1 {
                rows.zip(a.iter().zip(b)).for_each(|(row, (a, b))| product(row, from_ref(a), from_ref(b)));
                return;
            }
            // Most constraints stand between two points: the loop over their blocks is unrolled.
            if stretch.blocks == 2 {
                let known = a.as_chunks::<2>().0.iter().zip(b.as_chunks::<2>().0);
                rows.zip(known).for_each(|(row, (a, b))| product(row, a, b));
                return;
            }
            let size = stretch.blocks as usize;
            for (k, row) in rows.enumerate() {
                let own = k * size..(k + 1) * size;
                product(row, &a[own.clone()], &b[own]);
            }
        });
    }

    fn transposed_by<const N: usize>(&self, values: &[f64], x: &[f64], y: &mut [f64]) {
        self.each_stretch::<N>(values, |stretch, rows, values, columns| {
            let x = &x[rows];
            let known = values.as_chunks::<2>().0.iter().zip(x);
            if stretch.advances && columns[1][0] == columns[0][0] + N as u32 {
                // A chain: the second block of a row is the first of the next, and is written once.
                let y = y[columns[0][0] as usize..].as_chunks_mut::<N>().0;
                let mut carried = [0.0; N];
                for (y, (values, x)) in y.iter_mut().zip(known) {
                    for k in 0..N {
                        y[k] = (y[k] + carried[k]) + values[0][k] * x;
                        carried[k] = values[1][k] * x;
                    }
                }
                if let Some(y) = y.get_mut(x.len()) {
                    y.iter_mut().zip(carried).for_each(|(y, carried)| *y += carried);
                }
                return;
            }
            if stretch.advances {
                // A column has its second block in an earlier row
                // than its first: sums keep the order of rows.
                for place in [1, 0] {
                    let y = y[columns[place][0] as usize..].as_chunks_mut::<N>().0;
                    for (y, (values, x)) in y.iter_mut().zip(known.clone()) {
                        y.iter_mut().zip(&values[place]).for_each(|(y, value)| *y += value * x);
                    }
                }
                return;
            }
            of_rows(stretch, x.iter(), values, columns, |x, values, columns| {
                for (value, columns) in values.iter().zip(columns) {
                    let first = columns[0] as usize;
                    if let Some(y) = y.get_mut(first..first + N).and_then(|y| y.first_chunk_mut::<N>()) {
                        for k in 0..N {
                            y[k] += value[k] * x;
                        }
                    }
                }
            });
        });
    }

    /// `work` takes the values of each row, block by block.
    #[inline(always)]
    pub(super) fn each_row<const N: usize>(&self, values: &[f64], mut work: impl FnMut(&[[f64; N]])) {
        self.each_stretch::<N>(values, |stretch, rows, values, columns| {
            of_rows(stretch, rows, values, columns, |_, values, _| work(values));
        });
    }

    /// `work` takes each stretch with its rows, and their values and columns, block by block.
    #[inline(always)]
    fn each_stretch<const N: usize>(
        &self,
        values: &[f64],
        mut work: impl FnMut(&Stretch, Range<usize>, &[[f64; N]], &[[u32; N]]),
    ) {
        let (mut values, mut columns) = (values.as_chunks::<N>().0, self.columns.as_chunks::<N>().0);
        let mut row = 0;
        for stretch in &self.stretches {
            let end = stretch.end as usize;
            let blocks = (end - row) * stretch.blocks as usize;
            let (own_values, own_columns);
            (own_values, values) = values.split_at(blocks);
            (own_columns, columns) = columns.split_at(blocks);
            work(stretch, row..end, own_values, own_columns);
            row = end;
        }
    }
}

/// `work` takes each row of a stretch, with its item.
#[inline(always)]
fn of_rows<T, const N: usize>(
    stretch: &Stretch,
    items: impl Iterator<Item = T>,
    values: &[[f64; N]],
    columns: &[[u32; N]],
    mut work: impl FnMut(T, &[[f64; N]], &[[u32; N]]),
) {
    // A rod from a fixed point begins most chains.
    if stretch.blocks == 1 {
        let known = values.iter().map(from_ref).zip(columns.iter().map(from_ref));
        items.zip(known).for_each(|(item, (values, columns))| work(item, values, columns));
        return;
    }
    // Most constraints stand between two points: the loop over their blocks is unrolled.
    if stretch.blocks == 2 {
        let known = values.as_chunks::<2>().0.iter().zip(columns.as_chunks::<2>().0);
        items.zip(known).for_each(|(item, (values, columns))| work(item, values, columns));
        return;
    }
    let size = stretch.blocks as usize;
    for (k, item) in items.enumerate() {
        let own = k * size..(k + 1) * size;
        work(item, &values[own.clone()], &columns[own]);
    }
}

/// The entries of a vector at the neighbouring columns of a block.
#[inline(always)]
fn block<'a, const N: usize>(x: &'a [f64], columns: &[u32; N]) -> &'a [f64; N] {
    let first = columns[0] as usize;
    // The slice has this very length.
    x[first..first + N].first_chunk().unwrap_or(&[0.0; N])
}

/// The largest size up to 3 of blocks of neighbouring columns of which every row consists.
fn block_size(starts: &[usize], columns: &[u32], width: usize) -> usize {
    // Neighbouring columns are inseparable unless some row has one of them alone.
    let mut separate = vec![false; width + 1];
    let runs = || starts.windows(2).flat_map(|ends| columns[ends[0]..ends[1]].chunk_by(|a, b| a + 1 == *b));
    for run in runs() {
        separate[run[0] as usize] = true;
        separate[run[0] as usize + run.len()] = true;
    }
    let whole = |size: usize| {
        let mut pieces = runs().flat_map(|run| run.chunk_by(|_, b| !separate[*b as usize]));
        pieces.all(|piece| piece.len().is_multiple_of(size))
    };
    [3, 2].into_iter().find(|size| whole(*size)).unwrap_or(1)
}

/// Cuts the rows into stretches.
fn stretches(starts: &[usize], columns: &[u32], block: usize) -> Vec<Stretch> {
    let mut cut: Vec<(Stretch, u32)> = Vec::new();
    let mut before: &[u32] = &[];
    for (row, ends) in (0..).zip(starts.windows(2)) {
        let own = &columns[ends[0]..ends[1]];
        let blocks = (own.len() / block) as u32;
        let follows = own.iter().zip(before).all(|(column, before)| *column == before + block as u32);
        before = own;
        match cut.last_mut() {
            Some((last, _)) if last.blocks == blocks && (blocks != 2 || follows) => last.end = row + 1,
            _ => cut.push((Stretch { end: row + 1, blocks, advances: blocks == 2 }, row)),
        }
    }
    // Short ones are one with others of their kind.
    let mut all: Vec<Stretch> = Vec::new();
    for (mut stretch, begin) in cut {
        stretch.advances &= stretch.end - begin >= FEW;
        match all.last_mut() {
            Some(last) if last.blocks == stretch.blocks && !last.advances && !stretch.advances => {
                last.end = stretch.end;
            }
            _ => all.push(stretch),
        }
    }
    all.shrink_to_fit();
    all
}
