//! Rectangular sparse matrices by rows.

/// A rectangular sparse matrix by rows: columns ascending within a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowPattern {
    starts: Vec<usize>,
    columns: Vec<u32>,
    width: usize,
    stretches: Vec<Stretch>,
}

/// Consecutive rows with the same structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stretch {
    first: u32,
    end: u32,
    links: Option<Links>,
}

/// Rows of 2 S neighbouring columns, each of which begins S columns after the row before: every row links a group of S
/// columns to the next, as the rods of a chain do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Links {
    size: u32,
    first_column: u32,
}

impl Stretch {
    fn rows(&self) -> std::ops::Range<usize> {
        self.first as usize..self.end as usize
    }
}

/// Stretches of fewer rows are taken as they come.
const SHORTEST: u32 = 4;

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
        let stretches = stretches(&starts, &columns);
        Self { starts, columns, width, stretches }
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

    /// y ← y + A x.
    pub fn multiply_add(&self, values: &[f64], x: &[f64], y: &mut [f64]) {
        self.add_row_sums(values, x, y, |value, x| value * x);
    }

    /// y_c ← y_c + Σ_j |A_cj| x_j.
    pub(crate) fn absolute_multiply_add(&self, values: &[f64], x: &[f64], y: &mut [f64]) {
        self.add_row_sums(values, x, y, |value, x| value.abs() * x);
    }

    /// y ← y + Aᵀ x.
    pub fn transpose_multiply_add(&self, values: &[f64], x: &[f64], y: &mut [f64]) {
        for stretch in &self.stretches {
            let rows = stretch.rows();
            let links = stretch.links.map_or((0, 0), |links| (links.size, links.first_column as usize));
            let stored = &values[self.starts[rows.start]..self.starts[rows.end]];
            match links {
                (1, first) => scatter_links::<1>(stored, &x[rows], &mut y[first..]),
                (2, first) => scatter_links::<2>(stored, &x[rows], &mut y[first..]),
                (3, first) => scatter_links::<3>(stored, &x[rows], &mut y[first..]),
                _ => {
                    for row in rows {
                        let (range, factor) = (self.row(row), x[row]);
                        for (&column, &value) in self.columns[range.clone()].iter().zip(&values[range]) {
                            y[column as usize] += value * factor;
                        }
                    }
                }
            }
        }
    }

    /// The products of equal rows of two matrices of this pattern: `write` takes c and Σ_j A_cj B_cj.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "`write` must be part of the loop")]
    pub(crate) fn row_products(&self, a: &[f64], b: &[f64], mut write: impl FnMut(usize, f64)) {
        for stretch in &self.stretches {
            let rows = stretch.rows();
            let stored = self.starts[rows.start]..self.starts[rows.end];
            let (left, right) = (&a[stored.clone()], &b[stored]);
            match stretch.links.map(|links| links.size) {
                Some(1) => dot_rows::<2>(left, right, rows.start, &mut write),
                Some(2) => dot_rows::<4>(left, right, rows.start, &mut write),
                Some(3) => dot_rows::<6>(left, right, rows.start, &mut write),
                _ => {
                    for row in rows {
                        let range = self.row(row);
                        write(row, a[range.clone()].iter().zip(&b[range]).map(|(a, b)| a * b).sum());
                    }
                }
            }
        }
    }

    /// The products of neighbouring rows c and c + 1 of each chain of links, for two matrices of this pattern: `write`
    /// takes c, Σ_j A_cj B_(c+1)j and Σ_j A_(c+1)j B_cj.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "`write` must be part of the loop")]
    pub(crate) fn link_products(&self, a: &[f64], b: &[f64], mut write: impl FnMut(usize, f64, f64)) {
        for stretch in &self.stretches {
            let rows = stretch.rows();
            let stored = self.starts[rows.start]..self.starts[rows.end];
            let (left, right) = (&a[stored.clone()], &b[stored]);
            match stretch.links.map(|links| links.size) {
                Some(1) => dot_neighbours::<1>(left, right, rows.start, &mut write),
                Some(2) => dot_neighbours::<2>(left, right, rows.start, &mut write),
                Some(3) => dot_neighbours::<3>(left, right, rows.start, &mut write),
                _ => {}
            }
        }
    }

    /// Whether two rows belong to one chain of links.
    pub(crate) fn linked(&self, row: usize, other: usize) -> bool {
        let after = self.stretches.partition_point(|stretch| stretch.end as usize <= row);
        self.stretches
            .get(after)
            .is_some_and(|stretch| stretch.links.is_some() && stretch.rows().contains(&other))
    }

    /// y_c ← y_c + Σ_j term(A_cj, x_j).
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "`term` must be part of the innermost loop")]
    fn add_row_sums(&self, values: &[f64], x: &[f64], y: &mut [f64], term: impl Fn(f64, f64) -> f64 + Copy) {
        for stretch in &self.stretches {
            let rows = stretch.rows();
            let links = stretch.links.map_or((0, 0), |links| (links.size, links.first_column as usize));
            let stored = &values[self.starts[rows.start]..self.starts[rows.end]];
            match links {
                (1, first) => sum_links::<1>(stored, &x[first..], &mut y[rows], term),
                (2, first) => sum_links::<2>(stored, &x[first..], &mut y[rows], term),
                (3, first) => sum_links::<3>(stored, &x[first..], &mut y[rows], term),
                _ => {
                    for row in rows {
                        let range = self.row(row);
                        let mut sum = 0.0;
                        for (&column, &value) in self.columns[range.clone()].iter().zip(&values[range]) {
                            sum += term(value, x[column as usize]);
                        }
                        y[row] += sum;
                    }
                }
            }
        }
    }
}

/// The sums of rows that link neighbouring groups of S columns.
#[inline(always)]
#[expect(clippy::inline_always, reason = "`term` must be part of the innermost loop")]
fn sum_links<const S: usize>(values: &[f64], x: &[f64], y: &mut [f64], term: impl Fn(f64, f64) -> f64) {
    let (values, x) = (values.as_chunks::<S>().0, x.as_chunks::<S>().0);
    for ((y, [left, right]), pair) in y.iter_mut().zip(values.as_chunks::<2>().0).zip(x.windows(2)) {
        let mut sum = 0.0;
        for k in 0..S {
            sum += term(left[k], pair[0][k]);
        }
        for k in 0..S {
            sum += term(right[k], pair[1][k]);
        }
        *y += sum;
    }
}

/// The transpose of the same: each group is written once, with what the row before and its own row give.
fn scatter_links<const S: usize>(values: &[f64], x: &[f64], y: &mut [f64]) {
    let (values, groups) = (values.as_chunks::<S>().0, y.as_chunks_mut::<S>().0);
    let mut before = [0.0; S];
    let rows = values.as_chunks::<2>().0.iter().zip(x);
    for (group, ([left, right], factor)) in groups.iter_mut().zip(rows) {
        for k in 0..S {
            group[k] = (group[k] + before[k]) + left[k] * factor;
            before[k] = right[k] * factor;
        }
    }
    if let Some(last) = groups.get_mut(x.len()) {
        for k in 0..S {
            last[k] += before[k];
        }
    }
}

#[inline(always)]
#[expect(clippy::inline_always, reason = "`write` must be part of the loop")]
fn dot_rows<const W: usize>(a: &[f64], b: &[f64], first: usize, write: &mut impl FnMut(usize, f64)) {
    for (row, (a, b)) in a.as_chunks::<W>().0.iter().zip(b.as_chunks::<W>().0).enumerate() {
        write(first + row, dot(a, b));
    }
}

#[inline(always)]
#[expect(clippy::inline_always, reason = "`write` must be part of the loop")]
fn dot_neighbours<const S: usize>(
    a: &[f64],
    b: &[f64],
    first: usize,
    write: &mut impl FnMut(usize, f64, f64),
) {
    let (a, b) = (a.as_chunks::<S>().0.as_chunks::<2>().0, b.as_chunks::<S>().0.as_chunks::<2>().0);
    for (row, (a, b)) in a.windows(2).zip(b.windows(2)).enumerate() {
        write(first + row, dot(&a[0][1], &b[1][0]), dot(&a[1][0], &b[0][1]));
    }
}

#[inline(always)]
#[expect(clippy::inline_always, reason = "as a call it costs more than its work")]
fn dot<const W: usize>(a: &[f64; W], b: &[f64; W]) -> f64 {
    let mut sum = 0.0;
    for k in 0..W {
        sum += a[k] * b[k];
    }
    sum
}

/// Cuts the rows into stretches.
fn stretches(starts: &[usize], columns: &[u32]) -> Vec<Stretch> {
    let row = |row: usize| &columns[starts[row]..starts[row + 1]];
    let height = starts.len() - 1;
    let mut stretches: Vec<Stretch> = Vec::new();
    let mut first = 0;
    while first < height {
        let size = row(first).len() / 2;
        let links = |k: usize| {
            let (own, start) =
                (row(k), row(first).first().map_or(0, |column| column + ((k - first) * size) as u32));
            (1..=3).contains(&size)
                && own.len() == 2 * size
                && own.iter().copied().eq(start..start + 2 * size as u32)
        };
        let mut end = first;
        while end < height && links(end) {
            end += 1;
        }
        let regular = end - first >= SHORTEST as usize;
        let end = if regular { end } else { end.max(first + 1) };
        let first_column = row(first).first().copied().unwrap_or_default();
        let links = regular.then_some(Links { size: size as u32, first_column });
        match stretches.last_mut() {
            Some(last) if last.links.is_none() && !regular => last.end = end as u32,
            _ => stretches.push(Stretch { first: first as u32, end: end as u32, links }),
        }
        first = end;
    }
    stretches.shrink_to_fit();
    stretches
}

#[cfg(test)]
mod tests {
    use super::RowPattern;

    /// A chain of `links` rows with groups of `size` columns, the first row short, and a row that does not fit at the end.
    fn chain(links: usize, size: usize) -> RowPattern {
        let rows = (0..links).flat_map(|i| (size * i.saturating_sub(1)..size * (i + 1)).map(move |j| (i, j)));
        RowPattern::new(links + 2, size * links, rows.chain([(links + 1, 0), (links + 1, size * links - 1)]))
    }

    #[test]
    fn products_of_chains_are_those_of_their_entries() {
        for (links, size) in [(1, 2), (3, 1), (9, 1), (9, 2), (9, 3), (9, 4)] {
            let pattern = chain(links, size);
            assert_eq!(pattern.stretches.iter().any(|s| s.links.is_some()), links == 9 && size < 4);
            let values: Vec<f64> = (0..pattern.len()).map(|k| (1.0 + k as f64).sin()).collect();
            let vector = |length: usize| (0..length).map(|k| (3.0 * k as f64).cos()).collect::<Vec<f64>>();
            let (x, w) = (vector(pattern.width()), vector(pattern.height()));
            let (mut product, mut absolute, mut transposed) = (w.clone(), w.clone(), x.clone());
            pattern.multiply_add(&values, &x, &mut product);
            pattern.absolute_multiply_add(&values, &x, &mut absolute);
            pattern.transpose_multiply_add(&values, &w, &mut transposed);
            let (mut by_entry, mut by_size, mut by_column) = (w.clone(), w.clone(), x.clone());
            for ((row, column), value) in pattern.entries().zip(&values) {
                by_entry[row] += value * x[column];
                by_size[row] += value.abs() * x[column];
                by_column[column] += value * w[row];
            }
            let mut products = vec![0.0; pattern.height()];
            let twice: Vec<f64> = values.iter().map(|value| 2.0 * value).collect();
            pattern.row_products(&values, &twice, |row, product| products[row] = product);
            for (row, product) in products.iter().enumerate() {
                let square: f64 = values[pattern.row(row)].iter().map(|value| 2.0 * value * value).sum();
                assert!((product - square).abs() < 1e-14);
            }
            pattern.link_products(&values, &twice, |row, later, earlier| {
                assert!(pattern.linked(row, row + 1) && pattern.linked(row + 1, row));
                let (own, next) = (&values[pattern.row(row)][size..], &values[pattern.row(row + 1)][..size]);
                let product: f64 = own.iter().zip(next).map(|(a, b)| 2.0 * a * b).sum();
                assert!((later - product).abs() < 1e-14 && (earlier - product).abs() < 1e-14);
            });
            assert!(!pattern.linked(0, 1) && !pattern.linked(links + 1, links - 1));
            let close = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-14);
            assert!(
                close(&product, &by_entry) && close(&absolute, &by_size) && close(&transposed, &by_column)
            );
        }
    }
}
