//! Rectangular sparse matrices by rows, in blocks of neighbouring columns.

/// A rectangular sparse matrix by rows: columns ascending within a row.
///
/// The columns of a point of the plane or of space stand in the same rows. Where all columns come in such blocks, sums run over blocks of
/// two or three numbers whose length the compiler of Rust knows, and read one index for each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowPattern {
    starts: Vec<usize>,
    columns: Vec<u32>,
    width: usize,
    /// The number of columns in a block: 1, 2 or 3.
    block: usize,
    stretches: Vec<Stretch>,
}

/// Consecutive rows of the same number of blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stretch {
    end: u32,
    blocks: u32,
}

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
        // A plain loop: the code of a collection of nested iterators is long, and every caller has iterators of its own.
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
        let stretches = stretches(&starts, block);
        Self { starts, columns, width, block, stretches }
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

    /// Whether nothing is stored.
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// Where the values of a row stand.
    pub fn row(&self, row: usize) -> std::ops::Range<usize> {
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

    /// Where the entry (row, column) stands among the values.
    pub fn position(&self, row: usize, column: usize) -> Option<usize> {
        let range = self.row(row);
        self.columns[range.clone()].binary_search(&(column as u32)).ok().map(|k| range.start + k)
    }

    /// The number of columns in a block. Rows consist of whole blocks, and two blocks have all their columns in common or none.
    #[doc(hidden)]
    pub fn block(&self) -> usize {
        self.block
    }

    /// y ← y + A x.
    pub fn multiply_add(&self, values: &[f64], x: &[f64], y: &mut [f64]) {
        in_blocks!(self, product(values, x, y));
    }

    /// y ← y + Aᵀ x.
    pub fn transpose_multiply_add(&self, values: &[f64], x: &[f64], y: &mut [f64]) {
        in_blocks!(self, transposed(values, x, y));
    }

    /// y_c ← 1 / Σ_j |A_cj| x_j for nonnegative x; large, but finite, for a row of zeros.
    #[doc(hidden)]
    pub fn reciprocal_sizes(&self, values: &[f64], x: &[f64], y: &mut [f64]) {
        in_blocks!(self, sizes(values, x, y));
    }

    /// B_cj ← A_cj x_j.
    #[doc(hidden)]
    pub fn scale_columns(&self, values: &[f64], x: &[f64], scaled: &mut [f64]) {
        in_blocks!(self, scaled(values, x, scaled));
    }

    /// Whether Σ_j A_cj B_cj > 0 for every row c of two matrices of this pattern.
    #[doc(hidden)]
    pub fn face_forward(&self, a: &[f64], b: &[f64]) -> bool {
        in_blocks!(self, forward(a, b))
    }

    fn product<const N: usize>(&self, values: &[f64], x: &[f64], y: &mut [f64]) {
        self.each_row::<N>(values, |row, values, columns| {
            let mut sum = [0.0; N];
            for (value, columns) in values.iter().zip(columns) {
                let x = block::<N>(x, columns);
                for k in 0..N {
                    sum[k] += value[k] * x[k];
                }
            }
            y[row] += total(sum);
        });
    }

    fn sizes<const N: usize>(&self, values: &[f64], x: &[f64], y: &mut [f64]) {
        self.each_row::<N>(values, |row, values, columns| {
            let mut sum = [0.0; N];
            for (value, columns) in values.iter().zip(columns) {
                let x = block::<N>(x, columns);
                for k in 0..N {
                    sum[k] += value[k].abs() * x[k];
                }
            }
            y[row] = 1.0 / (total(sum) + f64::MIN_POSITIVE);
        });
    }

    fn scaled<const N: usize>(&self, values: &[f64], x: &[f64], scaled: &mut [f64]) {
        let (values, columns) = (values.as_chunks::<N>().0, self.columns.as_chunks::<N>().0);
        for ((scaled, value), columns) in scaled.as_chunks_mut::<N>().0.iter_mut().zip(values).zip(columns) {
            let x = block::<N>(x, columns);
            for k in 0..N {
                scaled[k] = value[k] * x[k];
            }
        }
    }

    fn forward<const N: usize>(&self, a: &[f64], b: &[f64]) -> bool {
        let mut all = true;
        let mut others = b.as_chunks::<N>().0;
        self.each_row::<N>(a, |_, a, _| {
            let (b, rest) = others.split_at(a.len());
            others = rest;
            let mut sum = [0.0; N];
            for (a, b) in a.iter().zip(b) {
                for k in 0..N {
                    sum[k] += a[k] * b[k];
                }
            }
            // Without an early exit, which would be one branch more in each row.
            all &= total(sum) > 0.0;
        });
        all
    }

    fn transposed<const N: usize>(&self, values: &[f64], x: &[f64], y: &mut [f64]) {
        let Some(&column) = self.columns.first() else { return };
        let sum = *block::<N>(y, &[column; N]);
        let mut columns = Columns { x, y, column: column as usize, sum };
        self.rows_by::<N>(values, &mut columns);
        columns.write();
    }

    /// `work` takes each row with its values and columns, block by block.
    #[inline(always)]
    pub(super) fn each_row<const N: usize>(
        &self,
        values: &[f64],
        work: impl FnMut(usize, &[[f64; N]], &[[u32; N]]),
    ) {
        self.rows_by(values, work);
    }

    #[inline(always)]
    fn rows_by<const N: usize>(&self, values: &[f64], mut work: impl EachRow<N>) {
        let (mut values, mut columns) = (values.as_chunks::<N>().0, self.columns.as_chunks::<N>().0);
        let mut row = 0;
        for stretch in &self.stretches {
            let (rows, blocks) = (stretch.end as usize - row, stretch.blocks as usize);
            let (own_values, own_columns);
            (own_values, values) = values.split_at(rows * blocks);
            (own_columns, columns) = columns.split_at(rows * blocks);
            // Most constraints stand between two points: the loop over their blocks is unrolled.
            if blocks == 2 {
                let known = own_values.as_chunks::<2>().0.iter().zip(own_columns.as_chunks::<2>().0);
                for (k, (values, columns)) in known.enumerate() {
                    work.row(row + k, values, columns);
                }
            } else {
                for k in 0..rows {
                    let own = k * blocks..(k + 1) * blocks;
                    work.row(row + k, &own_values[own.clone()], &own_columns[own]);
                }
            }
            row = stretch.end as usize;
        }
    }
}

/// Work on each row, its values and columns block by block.
trait EachRow<const N: usize> {
    fn row(&mut self, row: usize, values: &[[f64; N]], columns: &[[u32; N]]);
}

impl<const N: usize, F: FnMut(usize, &[[f64; N]], &[[u32; N]])> EachRow<N> for F {
    #[inline(always)]
    fn row(&mut self, row: usize, values: &[[f64; N]], columns: &[[u32; N]]) {
        self(row, values, columns);
    }
}

/// y + Aᵀ x, column by column: the block written last stays in registers, for the next row often goes on with it and would wait
/// until it is in memory. A closure is not always inlined, and its state would be in memory, too.
struct Columns<'a, const N: usize> {
    x: &'a [f64],
    y: &'a mut [f64],
    column: usize,
    sum: [f64; N],
}

impl<const N: usize> Columns<'_, N> {
    #[inline(always)]
    fn write(&mut self) {
        self.y[self.column..self.column + N].copy_from_slice(&self.sum);
    }
}

impl<const N: usize> EachRow<N> for &mut Columns<'_, N> {
    #[inline(always)]
    fn row(&mut self, row: usize, values: &[[f64; N]], columns: &[[u32; N]]) {
        for (value, columns) in values.iter().zip(columns) {
            if columns[0] as usize != self.column {
                self.write();
                self.column = columns[0] as usize;
                self.sum = *block::<N>(self.y, columns);
            }
            let factor = self.x[row];
            self.sum.iter_mut().zip(value).for_each(|(sum, value)| *sum += value * factor);
        }
    }
}

/// The entries of a vector at the neighbouring columns of a block.
#[inline(always)]
fn block<'a, const N: usize>(x: &'a [f64], columns: &[u32; N]) -> &'a [f64; N] {
    let first = columns[0] as usize;
    // The slice has this very length.
    x[first..first + N].first_chunk().unwrap_or(&[0.0; N])
}

#[inline(always)]
fn total<const N: usize>(terms: [f64; N]) -> f64 {
    let mut sum = terms[0];
    for term in &terms[1..] {
        sum += term;
    }
    sum
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
fn stretches(starts: &[usize], block: usize) -> Vec<Stretch> {
    let mut stretches: Vec<Stretch> = Vec::new();
    for (row, ends) in (1..).zip(starts.windows(2)) {
        let blocks = ((ends[1] - ends[0]) / block) as u32;
        match stretches.last_mut() {
            Some(last) if last.blocks == blocks => last.end = row,
            _ => stretches.push(Stretch { end: row, blocks }),
        }
    }
    stretches.shrink_to_fit();
    stretches
}
