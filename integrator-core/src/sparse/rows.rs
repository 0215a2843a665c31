//! Rectangular sparse matrices by rows.

use super::links::Links;

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

impl Stretch {
    fn rows(&self) -> std::ops::Range<usize> {
        self.first as usize..self.end as usize
    }
}

/// What to do with the rows of a stretch: where they are `$links` between groups of `$size` columns, and elsewhere.
macro_rules! in_links {
    ($stretch:expr, $links:ident, $size:ident => $linked:expr, $otherwise:block) => {
        match $stretch.links {
            Some($links @ Links { size: 1, .. }) => {
                const $size: usize = 1;
                $linked;
            }
            Some($links @ Links { size: 2, .. }) => {
                const $size: usize = 2;
                $linked;
            }
            Some($links @ Links { size: 3, .. }) => {
                const $size: usize = 3;
                $linked;
            }
            _ => $otherwise,
        }
    };
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
        for stretch in &self.stretches {
            let stored = &values[self.stored(stretch)];
            let rows = stretch.rows();
            in_links!(stretch, links, S => links.multiply_add::<S>(stored, x, &mut y[rows]), {
                for row in rows {
                    let mut sum = 0.0;
                    for (value, column) in self.entries_of(values, row) {
                        sum += value * x[column];
                    }
                    y[row] += sum;
                }
            });
        }
    }

    /// y_c ← 1 / Σ_j |A_cj| (|q_j| + h |v_j|); large, but finite, for a row of zeros.
    pub(crate) fn reciprocal_sizes(&self, values: &[f64], (q, v, h): (&[f64], &[f64], f64), y: &mut [f64]) {
        for stretch in &self.stretches {
            let stored = &values[self.stored(stretch)];
            let rows = stretch.rows();
            in_links!(stretch, links, S => links.reciprocal_sizes::<S>(stored, (q, v, h), &mut y[rows]), {
                for row in rows {
                    let mut sum = f64::MIN_POSITIVE;
                    for (value, column) in self.entries_of(values, row) {
                        sum += value.abs() * (q[column].abs() + (h * v[column]).abs());
                    }
                    y[row] = 1.0 / sum;
                }
            });
        }
    }

    /// y ← y + Aᵀ x.
    pub fn transpose_multiply_add(&self, values: &[f64], x: &[f64], y: &mut [f64]) {
        for stretch in &self.stretches {
            let stored = &values[self.stored(stretch)];
            let rows = stretch.rows();
            in_links!(stretch, links, S => links.transpose_multiply_add::<S>(stored, &x[rows], y), {
                for row in rows {
                    for (value, column) in self.entries_of(values, row) {
                        y[column] += value * x[row];
                    }
                }
            });
        }
    }

    /// B_cj ← A_cj x_j.
    pub(crate) fn scale_columns(&self, values: &[f64], x: &[f64], scaled: &mut [f64]) {
        for ((scaled, value), &column) in scaled.iter_mut().zip(values).zip(&self.columns) {
            *scaled = value * x[column as usize];
        }
    }

    /// The products of equal rows of two matrices of this pattern: `take` takes Σ_j A_cj B_cj, row by row.
    #[inline(always)]
    pub(crate) fn row_products(&self, a: &[f64], b: &[f64], mut take: impl FnMut(f64)) {
        for stretch in &self.stretches {
            let stored = self.stored(stretch);
            let (left, right) = (&a[stored.clone()], &b[stored]);
            in_links!(stretch, links, S => links.row_products::<S>(left, right, &mut take), {
                for row in stretch.rows() {
                    take(self.row_product(row, a, b));
                }
            });
        }
    }

    /// The products S(c, d) = Σ_j A_cj B_dj of rows with themselves and with those that they are [linked](Self::linked) to,
    /// for two matrices of this pattern: S(c, c − 1), S(c, c), S(c − 1, c) for each row c, zero where there is no such link.
    pub(crate) fn link_products(&self, a: &[f64], b: &[f64], products: &mut [[f64; 3]]) {
        for stretch in &self.stretches {
            let stored = self.stored(stretch);
            let (left, right, to) = (&a[stored.clone()], &b[stored], &mut products[stretch.rows()]);
            in_links!(stretch, links, S => links.link_products::<S>(left, right, to), {
                for (row, to) in stretch.rows().zip(to) {
                    *to = [0.0, self.row_product(row, a, b), 0.0];
                }
            });
        }
    }

    /// B_cj ← A_cj x_j, with the [products](Self::link_products) of A and B, which are symmetric.
    pub(crate) fn scaled_link_products(
        &self,
        a: &[f64],
        x: &[f64],
        scaled: &mut [f64],
        products: &mut [[f64; 3]],
    ) {
        for stretch in &self.stretches {
            let stored = self.stored(stretch);
            let (from, to) = (&a[stored.clone()], &mut scaled[stored]);
            let products = &mut products[stretch.rows()];
            in_links!(stretch, links, S => links.scaled_link_products::<S>(from, x, to, products), {
                for (row, product) in stretch.rows().zip(products) {
                    for place in self.row(row) {
                        scaled[place] = a[place] * x[self.columns[place] as usize];
                    }
                    *product = [0.0, self.row_product(row, a, scaled), 0.0];
                }
            });
        }
    }

    /// The links, where all rows are one chain of them.
    pub(super) fn links(&self) -> Option<Links> {
        match self.stretches[..] {
            [Stretch { links, .. }] => links,
            _ => None,
        }
    }

    /// Whether two rows belong to one chain of links.
    pub(crate) fn linked(&self, row: usize, other: usize) -> bool {
        let after = self.stretches.partition_point(|stretch| stretch.end as usize <= row);
        self.stretches
            .get(after)
            .is_some_and(|stretch| stretch.links.is_some() && stretch.rows().contains(&other))
    }

    /// The values of a row, with their columns.
    #[inline(always)]
    fn entries_of<'a>(&'a self, values: &'a [f64], row: usize) -> impl Iterator<Item = (f64, usize)> + 'a {
        let range = self.row(row);
        values[range.clone()]
            .iter()
            .zip(&self.columns[range])
            .map(|(&value, &column)| (value, column as usize))
    }

    /// Σ_j A_cj B_cj.
    #[inline(always)]
    fn row_product(&self, row: usize, a: &[f64], b: &[f64]) -> f64 {
        let range = self.row(row);
        a[range.clone()].iter().zip(&b[range]).map(|(a, b)| a * b).sum()
    }

    /// Where the values of a stretch stand.
    fn stored(&self, stretch: &Stretch) -> std::ops::Range<usize> {
        self.starts[stretch.first as usize]..self.starts[stretch.end as usize]
    }
}

/// Cuts the rows into stretches.
fn stretches(starts: &[usize], columns: &[u32]) -> Vec<Stretch> {
    let height = starts.len() - 1;
    let mut stretches: Vec<Stretch> = Vec::new();
    let mut first = 0;
    while first < height {
        let found = [false, true].map(|hanging| Links::of(first, hanging, starts, columns));
        let regular = found.into_iter().flatten().find(|(_, end)| end - first >= SHORTEST as usize);
        let (links, end) = match regular {
            Some((links, end)) => (Some(links), end),
            None => (None, first + 1),
        };
        match stretches.last_mut() {
            Some(last) if last.links.is_none() && links.is_none() => last.end = end as u32,
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

    /// A chain between points that move, the first of which is not the first of the system.
    fn free_chain(links: usize, size: usize) -> RowPattern {
        let rows = (0..links).flat_map(|i| (size * (i + 1)..size * (i + 3)).map(move |j| (i, j)));
        RowPattern::new(links, size * (links + 3), rows)
    }

    fn vector(length: usize, step: f64) -> Vec<f64> {
        (0..length).map(|k| (1.0 + step * k as f64).sin()).collect()
    }

    fn close(a: &[f64], b: &[f64]) {
        assert_eq!(a.len(), b.len());
        for (a, b) in a.iter().zip(b) {
            assert!((a - b).abs() < 1e-14, "{a} instead of {b}");
        }
    }

    #[test]
    fn products_of_chains_are_those_of_their_entries() {
        for (links, size) in [(1, 2), (3, 1), (9, 1), (9, 2), (9, 3), (9, 4)] {
            for pattern in [chain(links, size), free_chain(links, size)] {
                check(&pattern, links == 9 && size < 4);
            }
        }
    }

    /// Everything by its definition.
    fn check(pattern: &RowPattern, in_links: bool) {
        assert_eq!(pattern.stretches.iter().any(|s| s.links.is_some()), in_links);
        let (values, other) = (vector(pattern.len(), 1.0), vector(pattern.len(), 0.3));
        let (x, w) = (vector(pattern.width(), 3.0), vector(pattern.height(), 2.0));
        let v = vector(pattern.width(), 1.7);
        let (mut product, mut sizes) = (w.clone(), w.clone());
        let (mut transposed, mut scaled) = (x.clone(), vec![f64::NAN; values.len()]);
        pattern.multiply_add(&values, &x, &mut product);
        pattern.reciprocal_sizes(&values, (&x, &v, 0.1), &mut sizes);
        pattern.transpose_multiply_add(&values, &w, &mut transposed);
        pattern.scale_columns(&values, &x, &mut scaled);
        let (mut by_entry, mut by_size, mut by_column) =
            (w.clone(), vec![f64::MIN_POSITIVE; w.len()], x.clone());
        for (place, (row, column)) in pattern.entries().enumerate() {
            by_entry[row] += values[place] * x[column];
            by_size[row] += values[place].abs() * (x[column].abs() + 0.1 * v[column].abs());
            by_column[column] += values[place] * w[row];
            let product = values[place] * x[column];
            assert_eq!(scaled[place].to_bits(), product.to_bits());
        }
        close(&product, &by_entry);
        // A row without entries has no size, and its reciprocal is finite.
        assert!(sizes.iter().all(|size| size.is_finite()));
        close(&sizes.iter().zip(&by_size).map(|(a, b)| a * b).collect::<Vec<_>>(), &vec![1.0; w.len()]);
        close(&transposed, &by_column);

        let entry = |values: &[f64], row, column| pattern.position(row, column).map_or(0.0, |k| values[k]);
        let dot = |a: usize, b: usize| -> f64 {
            (0..pattern.width()).map(|k| entry(&values, a, k) * entry(&other, b, k)).sum()
        };
        let mut own = Vec::new();
        pattern.row_products(&values, &other, |product| own.push(product));
        close(&own, &(0..w.len()).map(|row| dot(row, row)).collect::<Vec<_>>());
        let mut products = vec![[f64::NAN; 3]; w.len()];
        pattern.link_products(&values, &other, &mut products);
        let mut symmetric = products.clone();
        pattern.scaled_link_products(&values, &x, &mut scaled, &mut symmetric);
        let mut again = products.clone();
        pattern.link_products(&values, &scaled, &mut again);
        close(symmetric.as_flattened(), again.as_flattened());
        for (row, found) in products.iter().enumerate() {
            let before = row.checked_sub(1).filter(|&before| pattern.linked(row, before));
            let [lower, upper] = before.map_or([0.0; 2], |before| [dot(row, before), dot(before, row)]);
            close(found, &[lower, dot(row, row), upper]);
        }
        assert_eq!(
            in_links,
            (1..w.len()).any(|row| pattern.linked(row, row - 1) && pattern.linked(row - 1, row))
        );
    }
}
