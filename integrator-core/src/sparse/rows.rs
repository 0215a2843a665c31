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
/// columns to the next, as the rods of a chain do. Of a chain that hangs on a fixed point, the first row has the first group
/// only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Links {
    size: u32,
    first_column: u32,
    hanging: bool,
}

/// The values of linked rows: those of a first row with one group, then the two groups of each of the others.
fn of_links<const S: usize>(values: &[f64], hanging: bool) -> (Option<&[f64; S]>, &[[[f64; S]; 2]]) {
    let groups = values.as_chunks::<S>().0;
    match groups.split_first() {
        Some((first, rest)) if hanging => (Some(first), rest.as_chunks::<2>().0),
        _ => (None, groups.as_chunks::<2>().0),
    }
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
        self.row_sums(values, x, y, |value, x| value * x, |y, sum| *y += sum);
    }

    /// y_c ← 1 / Σ_j |A_cj| x_j; large, but finite, for a row of zeros.
    pub(crate) fn reciprocal_sizes(&self, values: &[f64], x: &[f64], y: &mut [f64]) {
        let put = |y: &mut f64, sum| *y = 1.0 / (f64::MIN_POSITIVE + sum);
        self.row_sums(values, x, y, |value, x| value.abs() * x, put);
    }

    /// y ← y + Aᵀ x.
    pub fn transpose_multiply_add(&self, values: &[f64], x: &[f64], y: &mut [f64]) {
        for stretch in &self.stretches {
            let rows = stretch.rows();
            let stored = &values[self.stored(stretch)];
            match stretch.links {
                Some(links @ Links { size: 1, .. }) => scatter_links::<1>(links, stored, &x[rows], y),
                Some(links @ Links { size: 2, .. }) => scatter_links::<2>(links, stored, &x[rows], y),
                Some(links @ Links { size: 3, .. }) => scatter_links::<3>(links, stored, &x[rows], y),
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

    /// B_cj ← A_cj x_j.
    pub(crate) fn scale_columns(&self, values: &[f64], x: &[f64], scaled: &mut [f64]) {
        for ((scaled, value), &column) in scaled.iter_mut().zip(values).zip(&self.columns) {
            *scaled = value * x[column as usize];
        }
    }

    /// The products of equal rows of two matrices of this pattern: `take` takes Σ_j A_cj B_cj, row by row.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "`take` must be part of the loop")]
    pub(crate) fn row_products(&self, a: &[f64], b: &[f64], mut take: impl FnMut(f64)) {
        for stretch in &self.stretches {
            let stored = self.stored(stretch);
            let (left, right) = (&a[stored.clone()], &b[stored]);
            match stretch.links {
                Some(links @ Links { size: 1, .. }) => dot_rows::<1>(links, left, right, &mut take),
                Some(links @ Links { size: 2, .. }) => dot_rows::<2>(links, left, right, &mut take),
                Some(links @ Links { size: 3, .. }) => dot_rows::<3>(links, left, right, &mut take),
                _ => {
                    for row in stretch.rows() {
                        let range = self.row(row);
                        take(a[range.clone()].iter().zip(&b[range]).map(|(a, b)| a * b).sum());
                    }
                }
            }
        }
    }

    /// The products S(c, d) = Σ_j A_cj B_dj of rows with themselves and with those that they are [linked](Self::linked) to,
    /// for two matrices of this pattern: S(c, c − 1), S(c, c), S(c − 1, c) for each row c, zero where there is no such link.
    pub(crate) fn link_products(&self, a: &[f64], b: &[f64], products: &mut [[f64; 3]]) {
        for stretch in &self.stretches {
            let stored = self.stored(stretch);
            let (left, right, to) = (&a[stored.clone()], &b[stored], &mut products[stretch.rows()]);
            match stretch.links {
                Some(links @ Links { size: 1, .. }) => dot_links::<1>(links, left, right, to),
                Some(links @ Links { size: 2, .. }) => dot_links::<2>(links, left, right, to),
                Some(links @ Links { size: 3, .. }) => dot_links::<3>(links, left, right, to),
                _ => {
                    for (row, to) in stretch.rows().zip(to) {
                        let range = self.row(row);
                        let product = a[range.clone()].iter().zip(&b[range]).map(|(a, b)| a * b).sum();
                        *to = [0.0, product, 0.0];
                    }
                }
            }
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
            let (from, to) = (&a[stored.clone()], &mut scaled[stored.clone()]);
            let products = &mut products[stretch.rows()];
            match stretch.links {
                Some(links @ Links { size: 1, .. }) => dot_scaled::<1>(links, from, x, to, products),
                Some(links @ Links { size: 2, .. }) => dot_scaled::<2>(links, from, x, to, products),
                Some(links @ Links { size: 3, .. }) => dot_scaled::<3>(links, from, x, to, products),
                _ => {
                    for (row, product) in stretch.rows().zip(products) {
                        let mut sum = 0.0;
                        for place in self.row(row) {
                            scaled[place] = a[place] * x[self.columns[place] as usize];
                            sum += a[place] * scaled[place];
                        }
                        *product = [0.0, sum, 0.0];
                    }
                }
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

    /// `put` takes y_c and Σ_j term(A_cj, x_j).
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "`term` and `put` must be part of the innermost loop")]
    fn row_sums(
        &self,
        values: &[f64],
        x: &[f64],
        y: &mut [f64],
        term: impl Fn(f64, f64) -> f64 + Copy,
        put: impl Fn(&mut f64, f64) + Copy,
    ) {
        for stretch in &self.stretches {
            let rows = stretch.rows();
            let (stored, to) = (&values[self.stored(stretch)], &mut y[rows.clone()]);
            match stretch.links {
                Some(links @ Links { size: 1, .. }) => sum_links::<1>(links, stored, x, to, term, put),
                Some(links @ Links { size: 2, .. }) => sum_links::<2>(links, stored, x, to, term, put),
                Some(links @ Links { size: 3, .. }) => sum_links::<3>(links, stored, x, to, term, put),
                _ => {
                    for (row, y) in rows.zip(to) {
                        let range = self.row(row);
                        let mut sum = 0.0;
                        for (&column, &value) in self.columns[range.clone()].iter().zip(&values[range]) {
                            sum += term(value, x[column as usize]);
                        }
                        put(y, sum);
                    }
                }
            }
        }
    }

    /// Where the values of a stretch stand.
    fn stored(&self, stretch: &Stretch) -> std::ops::Range<usize> {
        self.starts[stretch.first as usize]..self.starts[stretch.end as usize]
    }
}

impl Links {
    /// The groups of columns of a vector, from that of the first row on.
    #[inline(always)]
    fn groups<const S: usize>(self, x: &[f64]) -> &[[f64; S]] {
        x[self.first_column as usize..].as_chunks::<S>().0
    }
}

/// The sums of rows that link neighbouring groups of S columns.
#[inline(always)]
#[expect(clippy::inline_always, reason = "`term` and `put` must be part of the innermost loop")]
fn sum_links<const S: usize>(
    links: Links,
    values: &[f64],
    x: &[f64],
    y: &mut [f64],
    term: impl Fn(f64, f64) -> f64,
    put: impl Fn(&mut f64, f64),
) {
    let (first, pairs) = of_links::<S>(values, links.hanging);
    let x = links.groups::<S>(x);
    let mut y = y.iter_mut();
    if let Some(first) = first
        && let (Some(x), Some(y)) = (x.first(), y.next())
    {
        put(y, add_terms(0.0, first, x, &term));
    }
    for ((y, [left, right]), pair) in y.zip(pairs).zip(x.windows(2)) {
        put(y, add_terms(add_terms(0.0, left, &pair[0], &term), right, &pair[1], &term));
    }
}

#[inline(always)]
#[expect(clippy::inline_always, reason = "`term` must be part of the innermost loop")]
fn add_terms<const S: usize>(
    mut sum: f64,
    values: &[f64; S],
    x: &[f64; S],
    term: &impl Fn(f64, f64) -> f64,
) -> f64 {
    for k in 0..S {
        sum += term(values[k], x[k]);
    }
    sum
}

/// The transpose of the same: each group is written once, with what the row before and its own row give.
fn scatter_links<const S: usize>(links: Links, values: &[f64], x: &[f64], y: &mut [f64]) {
    let (first, pairs) = of_links::<S>(values, links.hanging);
    let groups = y[links.first_column as usize..].as_chunks_mut::<S>().0;
    let mut factors = x.iter();
    let mut before = [0.0; S];
    if let Some(first) = first
        && let Some(factor) = factors.next()
    {
        before = first.map(|value| value * factor);
    }
    for (group, ([left, right], factor)) in groups.iter_mut().zip(pairs.iter().zip(factors)) {
        for k in 0..S {
            group[k] = (group[k] + before[k]) + left[k] * factor;
            before[k] = right[k] * factor;
        }
    }
    if let Some(last) = groups.get_mut(pairs.len()) {
        for k in 0..S {
            last[k] += before[k];
        }
    }
}

#[inline(always)]
#[expect(clippy::inline_always, reason = "`take` must be part of the loop")]
fn dot_rows<const S: usize>(links: Links, a: &[f64], b: &[f64], take: &mut impl FnMut(f64)) {
    let (first_a, a) = of_links::<S>(a, links.hanging);
    let (first_b, b) = of_links::<S>(b, links.hanging);
    if let (Some(a), Some(b)) = (first_a, first_b) {
        take(dot(0.0, a, b));
    }
    for ([a, c], [b, d]) in a.iter().zip(b) {
        take(dot(dot(0.0, a, b), c, d));
    }
}

fn dot_links<const S: usize>(links: Links, a: &[f64], b: &[f64], products: &mut [[f64; 3]]) {
    let (first_a, a) = of_links::<S>(a, links.hanging);
    let (first_b, b) = of_links::<S>(b, links.hanging);
    let (mut before_a, mut before_b) = ([0.0; S], [0.0; S]);
    let mut products = products.iter_mut();
    if let (Some(a), Some(b)) = (first_a, first_b)
        && let Some(row) = products.next()
    {
        *row = [0.0, dot(0.0, a, b), 0.0];
        (before_a, before_b) = (*a, *b);
    }
    for (row, ([a, c], [b, d])) in products.zip(a.iter().zip(b)) {
        *row = [dot(0.0, a, &before_b), dot(dot(0.0, a, b), c, d), dot(0.0, &before_a, b)];
        (before_a, before_b) = (*c, *d);
    }
}

fn dot_scaled<const S: usize>(
    links: Links,
    values: &[f64],
    x: &[f64],
    scaled: &mut [f64],
    products: &mut [[f64; 3]],
) {
    let (first, pairs) = of_links::<S>(values, links.hanging);
    let x = links.groups::<S>(x);
    let (mut scaled, mut products) = (scaled.as_chunks_mut::<S>().0, products.iter_mut());
    let mut before = [0.0; S];
    if let Some(first) = first
        && let (Some(x), Some(row), Some(to)) = (x.first(), products.next(), scaled.split_off_first_mut())
    {
        before = std::array::from_fn(|k| first[k] * x[k]);
        *to = before;
        *row = [0.0, dot(0.0, first, &before), 0.0];
    }
    let scaled = scaled.as_chunks_mut::<2>().0.iter_mut();
    for (((row, to), [left, right]), x) in products.zip(scaled).zip(pairs).zip(x.windows(2)) {
        let near: [f64; S] = std::array::from_fn(|k| left[k] * x[0][k]);
        let far: [f64; S] = std::array::from_fn(|k| right[k] * x[1][k]);
        let link = dot(0.0, left, &before);
        *row = [link, dot(dot(0.0, left, &near), right, &far), link];
        *to = [near, far];
        before = far;
    }
}

#[inline(always)]
#[expect(clippy::inline_always, reason = "as a call it costs more than its work")]
fn dot<const S: usize>(mut sum: f64, a: &[f64; S], b: &[f64; S]) -> f64 {
    for k in 0..S {
        sum += a[k] * b[k];
    }
    sum
}

/// Cuts the rows into stretches.
fn stretches(starts: &[usize], columns: &[u32]) -> Vec<Stretch> {
    let height = starts.len() - 1;
    let mut stretches: Vec<Stretch> = Vec::new();
    let mut first = 0;
    while first < height {
        let found = [false, true].map(|hanging| linked_from(first, hanging, starts, columns));
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

/// The links of the rows from `first` on, with the end of those rows.
fn linked_from(first: usize, hanging: bool, starts: &[usize], columns: &[u32]) -> Option<(Links, usize)> {
    let row = |row: usize| &columns[starts[row]..starts[row + 1]];
    let &first_column = row(first).first()?;
    let size = row(first).len() / if hanging { 1 } else { 2 };
    let full = first + usize::from(hanging);
    let links = |k: usize| {
        let start = first_column + ((k - full) * size) as u32;
        row(k).iter().copied().eq(start..start + 2 * size as u32)
    };
    let neighbours = row(first).iter().copied().eq(first_column..first_column + row(first).len() as u32);
    if !(1..=3).contains(&size) || !neighbours {
        return None;
    }
    let end = (full..starts.len() - 1).find(|&k| !links(k)).unwrap_or(starts.len() - 1);
    Some((Links { size: size as u32, first_column, hanging }, end))
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
        let (mut product, mut sizes) = (w.clone(), w.clone());
        let (mut transposed, mut scaled) = (x.clone(), vec![f64::NAN; values.len()]);
        pattern.multiply_add(&values, &x, &mut product);
        pattern.reciprocal_sizes(&values, &x, &mut sizes);
        pattern.transpose_multiply_add(&values, &w, &mut transposed);
        pattern.scale_columns(&values, &x, &mut scaled);
        let (mut by_entry, mut by_size, mut by_column) =
            (w.clone(), vec![f64::MIN_POSITIVE; w.len()], x.clone());
        for (place, (row, column)) in pattern.entries().enumerate() {
            by_entry[row] += values[place] * x[column];
            by_size[row] += values[place].abs() * x[column];
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
