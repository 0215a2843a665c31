//! Products with full matrices by rows, of few rows and columns.
//!
//! A loop over a few entries costs less than the places of the nonzero ones.
//! Where the type of a system knows its sizes, the loop becomes straight code: the steps of single
//! pendulums use it.

/// The rows of a matrix, as many as the length of `rows`, each with its entry of that vector.
#[inline(always)]
fn each_row<'a, T>(
    values: &'a [f64],
    columns: usize,
    rows: impl ExactSizeIterator<Item = T>,
    mut work: impl FnMut(T, &'a [f64]),
) {
    let values = &values[..rows.len() * columns];
    for (row, entry) in rows.enumerate() {
        work(entry, &values[row * columns..(row + 1) * columns]);
    }
}

/// Calls a function for the size of the blocks. Sums add up the columns of a block side by side, and so
/// have the bits of sparse rows.
macro_rules! in_blocks {
    ($block:expr, $function:ident($($argument:expr),*)) => {
        match $block {
            2 => $function::<2>($($argument),*),
            3 => $function::<3>($($argument),*),
            _ => $function::<1>($($argument),*),
        }
    };
}

/// Σ of the terms of a_j and b_j.
#[inline(always)]
fn sum<const N: usize>(a: &[f64], b: &[f64], term: impl Fn(f64, f64) -> f64) -> f64 {
    let mut sum = [0.0; N];
    for (a, b) in a.as_chunks::<N>().0.iter().zip(b.as_chunks::<N>().0) {
        for lane in 0..N {
            sum[lane] += term(a[lane], b[lane]);
        }
    }
    total(sum)
}

/// The sum of the columns of a block.
#[inline(always)]
pub(super) fn total<const N: usize>(terms: [f64; N]) -> f64 {
    let mut sum = terms[0];
    for term in &terms[1..] {
        sum += term;
    }
    sum
}

/// y ← y + A x.
#[inline]
pub(super) fn multiply_add(block: usize, values: &[f64], x: &[f64], y: &mut [f64]) {
    in_blocks!(block, add_sums(values, x, y));
}

#[inline(always)]
fn add_sums<const N: usize>(values: &[f64], x: &[f64], y: &mut [f64]) {
    each_row(values, x.len(), y.iter_mut(), |y, own| *y += sum::<N>(own, x, |value, x| value * x));
}

/// y ← y + Aᵀ x.
#[inline]
pub(super) fn transpose_multiply_add(values: &[f64], x: &[f64], y: &mut [f64]) {
    each_row(values, y.len(), x.iter(), |x, own| {
        y.iter_mut().zip(own).for_each(|(y, own)| *y += own * x);
    });
}

/// y_c ← 1 / Σ_j |A_cj| x_j for nonnegative x.
#[inline]
pub(super) fn reciprocal_sizes(block: usize, values: &[f64], x: &[f64], y: &mut [f64]) {
    in_blocks!(block, write_sizes(values, x, y));
}

#[inline(always)]
fn write_sizes<const N: usize>(values: &[f64], x: &[f64], y: &mut [f64]) {
    each_row(values, x.len(), y.iter_mut(), |y, own| {
        *y = 1.0 / (sum::<N>(own, x, |value, x| value.abs() * x) + f64::MIN_POSITIVE);
    });
}

/// B_cj ← A_cj x_j.
#[inline]
pub(super) fn scale_columns(values: &[f64], x: &[f64], scaled: &mut [f64]) {
    let mut rest = (values, scaled);
    while let (Some((own, values)), Some((product, others))) =
        (rest.0.split_at_checked(x.len()), std::mem::take(&mut rest.1).split_at_mut_checked(x.len()))
        && !own.is_empty()
    {
        product.iter_mut().zip(own).zip(x).for_each(|((product, own), x)| *product = own * x);
        rest = (values, others);
    }
}

/// True if Σ_j A_cj B_cj > 0 for all of this number of rows c.
#[inline]
pub(super) fn face_forward(block: usize, a: &[f64], b: &[f64], sizes: (usize, usize)) -> bool {
    in_blocks!(block, forward(a, b, sizes))
}

#[inline(always)]
fn forward<const N: usize>(a: &[f64], b: &[f64], (rows, columns): (usize, usize)) -> bool {
    let (mut all, b) = (true, &b[..rows * columns]);
    each_row(a, columns, 0..rows, |row, a| {
        all &= sum::<N>(a, &b[row * columns..(row + 1) * columns], |a, b| a * b) > 0.0;
    });
    all
}

/// S_cd ← Σ_j A_cj B_dj, for so many rows c and d. A symmetric S is its lower triangle and the mirror
/// image of it.
#[inline(always)]
pub(super) fn product_of_rows(
    rows: usize,
    (columns, block): (usize, usize),
    matrices: (&[f64], &[f64]),
    is_symmetric: bool,
    s: &mut [f64],
) {
    in_blocks!(block, write_products(rows, columns, matrices, is_symmetric, s));
}

#[inline(always)]
fn write_products<const N: usize>(
    rows: usize,
    columns: usize,
    (a, b): (&[f64], &[f64]),
    is_symmetric: bool,
    s: &mut [f64],
) {
    let (b, s) = (&b[..rows * columns], &mut s[..rows * rows]);
    each_row(a, columns, 0..rows, |row, a| {
        for other in 0..if is_symmetric { row + 1 } else { rows } {
            let entry = sum::<N>(a, &b[other * columns..(other + 1) * columns], |a, b| a * b);
            s[row * rows + other] = entry;
            if is_symmetric {
                s[other * rows + row] = entry;
            }
        }
    });
}
