//! Products with full matrices by rows, of few rows and columns.
//!
//! A loop over a few entries costs less than the places of the nonzero ones.
//! Where rows and blocks are few, loops are straight code: steps of single pendulums and bodies use it.

use crate::lanes::Real;

/// Calls a function for the number of rows, and for the size of blocks and their number in a row, which
/// the compiler knows where they are small.
/// Sums add up the columns of a block side by side, and so have the bits of sparse rows.
macro_rules! in_blocks {
    (($height:expr, $columns:expr, $block:expr), $function:ident($($argument:expr),*)) => {
        match $height {
            1 => in_blocks!(@ 1, $columns, $block, $function($($argument),*)),
            2 => in_blocks!(@ 2, $columns, $block, $function($($argument),*)),
            3 => in_blocks!(@ 3, $columns, $block, $function($($argument),*)),
            height => in_blocks!(@ height, $columns, $block, $function($($argument),*)),
        }
    };
    (@ $height:expr, $columns:expr, $block:expr, $function:ident($($argument:expr),*)) => {
        match ($block, $columns) {
            (2, 2) => $function::<2, _>($height, 1, $($argument),*),
            (2, 4) => $function::<2, _>($height, 2, $($argument),*),
            (2, 6) => $function::<2, _>($height, 3, $($argument),*),
            (3, 3) => $function::<3, _>($height, 1, $($argument),*),
            (3, 6) => $function::<3, _>($height, 2, $($argument),*),
            (3, 9) => $function::<3, _>($height, 3, $($argument),*),
            (2, columns) => $function::<2, _>($height, columns / 2, $($argument),*),
            (3, columns) => $function::<3, _>($height, columns / 3, $($argument),*),
            (_, columns) => $function::<1, _>($height, columns, $($argument),*),
        }
    };
}

/// So many blocks of a vector.
#[inline(always)]
fn blocks<const N: usize, T>(count: usize, x: &[T]) -> &[[T; N]] {
    &x.as_chunks::<N>().0[..count]
}

/// Σ of the terms of a_j and b_j.
#[inline(always)]
fn sum<const N: usize, T: Real>(zero: T, a: &[[T; N]], b: &[[T; N]], term: impl Fn(T, T) -> T) -> T {
    let mut sum = [zero; N];
    for (a, b) in a.iter().zip(b) {
        for lane in 0..N {
            sum[lane] = sum[lane] + term(a[lane], b[lane]);
        }
    }
    total(sum)
}

/// The sum of the columns of a block.
#[inline(always)]
pub(super) fn total<const N: usize, T: Real>(terms: [T; N]) -> T {
    let mut sum = terms[0];
    for term in &terms[1..] {
        sum = sum + *term;
    }
    sum
}

/// y ← y + A x.
pub(super) fn multiply_add(block: usize, values: &[f64], x: &[f64], y: &mut [f64]) {
    in_blocks!((y.len(), x.len(), block), add_sums((values, x, y)));
}

#[inline(always)]
pub(crate) fn add_sums<const N: usize, T: Real>(height: usize, width: usize, known: (&[T], &[T], &mut [T])) {
    put_sums::<N, T>(height, width, known, |value, x| value * x, |y, sum| *y = *y + sum);
}

/// y_c ← 1 / Σ_j |A_cj| x_j for nonnegative x.
pub(super) fn reciprocal_sizes(block: usize, values: &[f64], x: &[f64], y: &mut [f64]) {
    in_blocks!((y.len(), x.len(), block), put_sizes((values, x, y)));
}

#[inline(always)]
pub(crate) fn put_sizes<const N: usize, T: Real>(height: usize, width: usize, known: (&[T], &[T], &mut [T])) {
    let put = |y: &mut T, sum: T| *y = (sum + f64::MIN_POSITIVE).recip();
    put_sums::<N, T>(height, width, known, |value, x| value.abs() * x, put);
}

#[inline(always)]
fn put_sums<const N: usize, T: Real>(
    height: usize,
    width: usize,
    (values, x, y): (&[T], &[T], &mut [T]),
    term: impl Fn(T, T) -> T,
    put: impl Fn(&mut T, T),
) {
    let (a, x, y) = (blocks::<N, T>(height * width, values), blocks(width, x), &mut y[..height]);
    for row in 0..height {
        let sum = sum(y[row].number(0.0), &a[row * width..][..width], x, &term);
        put(&mut y[row], sum);
    }
}

/// y ← y + Aᵀ x.
pub(super) fn push(block: usize, values: &[f64], x: &[f64], y: &mut [f64]) {
    in_blocks!((x.len(), y.len(), block), add_rows(values, x, y));
}

#[inline(always)]
pub(crate) fn add_rows<const N: usize, T: Real>(
    height: usize,
    width: usize,
    values: &[T],
    x: &[T],
    y: &mut [T],
) {
    let (a, x, y) =
        (blocks::<N, T>(height * width, values), &x[..height], &mut y.as_chunks_mut::<N>().0[..width]);
    for row in 0..height {
        for (y, own) in y.iter_mut().zip(&a[row * width..][..width]) {
            for lane in 0..N {
                y[lane] = y[lane] + own[lane] * x[row];
            }
        }
    }
}

/// y ← y + Aᵀ x in the lanes of a mask.
#[inline(always)]
pub(crate) fn add_rows_where<const N: usize, T: Real>(
    height: usize,
    width: usize,
    (values, x, mask): (&[T], &[T], T::Mask),
    y: &mut [T],
) {
    let (values, x, y) = (&values[..height * width * N], &x[..height], &mut y[..width * N]);
    for column in 0..width * N {
        let mut moved = y[column];
        for row in 0..height {
            moved = moved + values[row * width * N + column] * x[row];
        }
        y[column] = T::select(mask, moved, y[column]);
    }
}

/// B_cj ← A_cj x_j.
pub(super) fn scale((height, block): (usize, usize), values: &[f64], x: &[f64], scaled: &mut [f64]) {
    in_blocks!((height, x.len(), block), write_scaled(values, x, scaled));
}

#[inline(always)]
pub(crate) fn write_scaled<const N: usize, T: Real>(
    height: usize,
    width: usize,
    values: &[T],
    x: &[T],
    b: &mut [T],
) {
    let (a, x, b) = (
        blocks::<N, T>(height * width, values),
        blocks::<N, T>(width, x),
        &mut b.as_chunks_mut::<N>().0[..height * width],
    );
    for row in 0..height {
        for block in 0..width {
            let own = &a[row * width + block];
            for lane in 0..N {
                b[row * width + block][lane] = own[lane] * x[block][lane];
            }
        }
    }
}

/// True if Σ_j A_cj B_cj > 0 for all of this number of rows c, one at least.
pub(super) fn face_forward(block: usize, a: &[f64], b: &[f64], (height, columns): (usize, usize)) -> bool {
    in_blocks!((height, columns, block), forward(a, b))
}

#[inline(always)]
pub(crate) fn forward<const N: usize, T: Real>(height: usize, width: usize, a: &[T], b: &[T]) -> T::Mask {
    let zero = a[0].number(0.0);
    let (a, b) = (blocks::<N, T>(height * width, a), blocks::<N, T>(height * width, b));
    let mut all = zero.lt(product(width, (a, 0), (b, 0)));
    for row in 1..height {
        all = T::both(all, zero.lt(product(width, (a, row), (b, row))));
    }
    all
}

/// S_cd ← Σ_j A_cj B_dj, for so many rows c and d. A symmetric S is its lower triangle and the mirror
/// image of it.
pub(super) fn product_of_rows(
    height: usize,
    (columns, block): (usize, usize),
    matrices: (&[f64], &[f64]),
    is_symmetric: bool,
    s: &mut [f64],
) {
    in_blocks!((height, columns, block), write_products(matrices, is_symmetric, s));
}

#[inline(always)]
pub(crate) fn write_products<const N: usize, T: Real>(
    height: usize,
    width: usize,
    (a, b): (&[T], &[T]),
    is_symmetric: bool,
    s: &mut [T],
) {
    let (a, b) = (blocks::<N, T>(height * width, a), blocks::<N, T>(height * width, b));
    let s = &mut s[..height * height];
    for row in 0..height {
        for other in 0..=row {
            let entry = product(width, (a, row), (b, other));
            s[row * height + other] = entry;
            s[other * height + row] = if is_symmetric { entry } else { product(width, (a, other), (b, row)) };
        }
    }
}

/// Σ_k A_ck B_dk.
#[inline(always)]
fn product<const N: usize, T: Real>(
    width: usize,
    (a, c): (&[[T; N]], usize),
    (b, d): (&[[T; N]], usize),
) -> T {
    let (a, b) = (&a[c * width..][..width], &b[d * width..][..width]);
    sum(a[0][0].number(0.0), a, b, |a, b| a * b)
}
