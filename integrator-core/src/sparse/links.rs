//! Rows that link neighbouring groups of columns, as the rods of a chain do.

/// Rows of 2 S neighbouring columns, each of which begins S columns after the row before: every row links a group of S
/// columns to the next. Of a chain that hangs on a fixed point, the first row has the first group only.
///
/// The values of the rows stand one after the other; vectors over rows begin with the first row, vectors over columns are
/// whole. The columns of a group are computed side by side, and added up last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Links {
    pub(super) size: u32,
    first_column: u32,
    hanging: bool,
}

impl Links {
    /// The links of the rows from `first` on, with the end of those rows.
    pub(super) fn of(
        first: usize,
        hanging: bool,
        starts: &[usize],
        columns: &[u32],
    ) -> Option<(Self, usize)> {
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
        Some((Self { size: size as u32, first_column, hanging }, end))
    }

    /// y ← y + A x.
    #[inline(always)]
    pub(super) fn multiply_add<const S: usize>(self, values: &[f64], x: &[f64], y: &mut [f64]) {
        let (first, pairs) = self.rows::<S>(values);
        let x = self.groups::<S>(x);
        let mut y = y.iter_mut();
        if let Some(first) = first
            && let (Some(x), Some(y)) = (x.first(), y.next())
        {
            *y += total(product(first, x));
        }
        for ((y, [left, right]), x) in y.zip(pairs).zip(x.windows(2)) {
            *y += total(sum(product(left, &x[0]), product(right, &x[1])));
        }
    }

    /// y_c ← 1 / Σ_j |A_cj| (|q_j| + h |v_j|); large, but finite, for a row of zeros.
    #[inline(always)]
    pub(super) fn reciprocal_sizes<const S: usize>(
        self,
        values: &[f64],
        (q, v, h): (&[f64], &[f64], f64),
        y: &mut [f64],
    ) {
        let size = |q: &[f64; S], v: &[f64; S]| -> [f64; S] {
            std::array::from_fn(|k| q[k].abs() + (h * v[k]).abs())
        };
        let absolute = |values: &[f64; S]| -> [f64; S] { std::array::from_fn(|k| values[k].abs()) };
        let (first, pairs) = self.rows::<S>(values);
        let mut groups = self.groups::<S>(q).iter().zip(self.groups::<S>(v));
        let Some((q, v)) = groups.next() else { return };
        let mut before = size(q, v);
        let mut y = y.iter_mut();
        if let Some(first) = first
            && let Some(y) = y.next()
        {
            *y = 1.0 / (f64::MIN_POSITIVE + total(product(&absolute(first), &before)));
        }
        for ((y, [left, right]), (q, v)) in y.zip(pairs).zip(groups) {
            let own = size(q, v);
            let products = sum(product(&absolute(left), &before), product(&absolute(right), &own));
            *y = 1.0 / (f64::MIN_POSITIVE + total(products));
            before = own;
        }
    }

    /// y ← y + Aᵀ x. Each group is written once, with what the row before and its own row give.
    #[inline(always)]
    pub(super) fn transpose_multiply_add<const S: usize>(self, values: &[f64], x: &[f64], y: &mut [f64]) {
        let (first, pairs) = self.rows::<S>(values);
        let groups = y[self.first_column as usize..].as_chunks_mut::<S>().0;
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
            *last = sum(*last, before);
        }
    }

    /// `take` takes Σ_j A_cj B_cj, row by row.
    #[inline(always)]
    pub(super) fn row_products<const S: usize>(self, a: &[f64], b: &[f64], take: &mut impl FnMut(f64)) {
        let (first_a, a) = self.rows::<S>(a);
        let (first_b, b) = self.rows::<S>(b);
        if let (Some(a), Some(b)) = (first_a, first_b) {
            take(dot(a, b));
        }
        for ([a, c], [b, d]) in a.iter().zip(b) {
            take(total(sum(product(a, b), product(c, d))));
        }
    }

    /// Of the products S(c, d) = Σ_j A_cj B_dj: S(c, c − 1), S(c, c), S(c − 1, c) for each row.
    #[inline(always)]
    pub(super) fn link_products<const S: usize>(self, a: &[f64], b: &[f64], products: &mut [[f64; 3]]) {
        let (first_a, a) = self.rows::<S>(a);
        let (first_b, b) = self.rows::<S>(b);
        let (mut before_a, mut before_b) = ([0.0; S], [0.0; S]);
        let mut products = products.iter_mut();
        if let (Some(a), Some(b)) = (first_a, first_b)
            && let Some(row) = products.next()
        {
            *row = [0.0, dot(a, b), 0.0];
            (before_a, before_b) = (*a, *b);
        }
        for (row, ([a, c], [b, d])) in products.zip(a.iter().zip(b)) {
            *row = [dot(a, &before_b), total(sum(product(a, b), product(c, d))), dot(&before_a, b)];
            (before_a, before_b) = (*c, *d);
        }
    }

    /// B_cj ← A_cj x_j, with the products of A and B, which are symmetric.
    #[inline(always)]
    pub(super) fn scaled_link_products<const S: usize>(
        self,
        values: &[f64],
        x: &[f64],
        scaled: &mut [f64],
        products: &mut [[f64; 3]],
    ) {
        let (first, pairs) = self.rows::<S>(values);
        let x = self.groups::<S>(x);
        let (mut scaled, mut products) = (scaled.as_chunks_mut::<S>().0, products.iter_mut());
        let mut before = [0.0; S];
        if let Some(first) = first
            && let (Some(x), Some(row), Some(to)) = (x.first(), products.next(), scaled.split_off_first_mut())
        {
            before = product(first, x);
            *to = before;
            *row = [0.0, dot(first, &before), 0.0];
        }
        let scaled = scaled.as_chunks_mut::<2>().0.iter_mut();
        for (((row, to), [left, right]), x) in products.zip(scaled).zip(pairs).zip(x.windows(2)) {
            let (near, far) = (product(left, &x[0]), product(right, &x[1]));
            let link = dot(left, &before);
            *row = [link, total(sum(product(left, &near), product(right, &far))), link];
            *to = [near, far];
            before = far;
        }
    }

    /// The values of a hanging first row, and the two groups of each of the others.
    #[inline(always)]
    fn rows<const S: usize>(self, values: &[f64]) -> (Option<&[f64; S]>, &[[[f64; S]; 2]]) {
        let (first, rest) = values.split_at(if self.hanging { S } else { 0 });
        (first.first_chunk(), rest.as_chunks::<S>().0.as_chunks::<2>().0)
    }

    /// The groups of columns of a vector, from that of the first row on.
    #[inline(always)]
    fn groups<const S: usize>(self, x: &[f64]) -> &[[f64; S]] {
        x[self.first_column as usize..].as_chunks::<S>().0
    }
}

#[inline(always)]
fn product<const S: usize>(a: &[f64; S], b: &[f64; S]) -> [f64; S] {
    std::array::from_fn(|k| a[k] * b[k])
}

#[inline(always)]
fn sum<const S: usize>(a: [f64; S], b: [f64; S]) -> [f64; S] {
    std::array::from_fn(|k| a[k] + b[k])
}

#[inline(always)]
fn total<const S: usize>(terms: [f64; S]) -> f64 {
    let mut sum = terms[0];
    for term in &terms[1..] {
        sum += term;
    }
    sum
}

#[inline(always)]
fn dot<const S: usize>(a: &[f64; S], b: &[f64; S]) -> f64 {
    total(product(a, b))
}
