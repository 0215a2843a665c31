//! The linear systems of [constraint methods](super::MultiplierSystem) for members side by side: a lane
//! is a member.
//!
//! Ensembles of small systems under RATTLE use them, four to eight times as fast as one by one.
//!
//! Sums have the order of a member alone, and so its bits: the order of [`RowPattern`], and of the
//! eliminations in `factor/` for a diagonal S, a tridiagonal S, and an S of few rows.
//!
//! Functions on registers are inlined into a loop compiled for them.
//! rustc does not inline each closure, so loops are written out.

use super::pattern::SymmetricPattern;
use super::rows::RowPattern;
use crate::lanes::{Exact, Real};
use pulp::Simd;

/// S = G M⁻¹ Gᵀ of members with a diagonal mass.
///
/// # Shapes
/// Every vector has a register for each of its entries.
/// Jacobians and directions M⁻¹ Gᵀ: in the order of the pattern of G.
/// Factors: three for each row, or all entries of an S of few rows.
#[derive(Debug, Clone)]
pub(crate) struct SchurOfMembers {
    pub(super) jacobian: RowPattern,
    /// Where the products of each entry of the lower triangle of S begin, and the blocks that have them.
    pub(super) starts: Vec<u32>,
    pub(super) blocks: Vec<[u32; 2]>,
    pub(super) block: usize,
    pub(super) pattern: SymmetricPattern,
    /// True if S has few rows, and is stored whole.
    pub(super) is_few: bool,
}

/// Calls a method for the size of the blocks.
macro_rules! in_blocks {
    ($schur:expr, $method:ident($($argument:expr),*)) => {
        match $schur.block {
            2 => $schur.$method::<_, 2>($($argument),*),
            3 => $schur.$method::<_, 3>($($argument),*),
            _ => $schur.$method::<_, 1>($($argument),*),
        }
    };
}

type MaskOf<S> = <Exact<S> as Real>::Mask;

impl SchurOfMembers {
    /// The number of registers that factors take.
    pub(crate) fn factors(&self) -> usize {
        let rows = self.jacobian.height();
        rows * if self.is_few { rows } else { 3 }
    }

    /// The directions M⁻¹ Gᵀ.
    #[inline(always)]
    pub(crate) fn stand<S: Simd>(
        &self,
        simd: S,
        jacobian: &[S::f64s],
        reciprocals: &[S::f64s],
        directions: &mut [S::f64s],
    ) {
        for ((direction, value), column) in directions.iter_mut().zip(jacobian).zip(self.jacobian.columns()) {
            *direction = (Exact::of(simd, *value) * Exact::of(simd, reciprocals[*column as usize])).values();
        }
    }

    /// The factors of S, in the lanes where it has any: where no pivot is below this part of its column.
    #[inline(always)]
    pub(crate) fn factor<S: Simd>(
        &self,
        simd: S,
        (jacobian, directions): (&[S::f64s], &[S::f64s]),
        smallest: Exact<S>,
        factors: &mut [S::f64s],
    ) -> MaskOf<S> {
        if self.is_few {
            in_blocks!(self, fill_all(simd, (jacobian, directions), factors));
            return few::eliminate(simd, self.jacobian.height(), factors, smallest);
        }
        let rows = factors.as_chunks_mut::<3>().0;
        in_blocks!(self, fill(simd, (jacobian, directions), rows));
        if self.pattern.len() == self.pattern.dimension() {
            let mut found = all(simd);
            for [_, diagonal, _] in rows {
                let pivot = Exact::of(simd, *diagonal);
                found = Exact::<S>::both(found, acceptable(simd, pivot, pivot.abs(), smallest));
            }
            return found;
        }
        eliminate(simd, rows, smallest)
    }

    /// The rows of S.
    #[inline(always)]
    fn fill<S: Simd, const N: usize>(
        &self,
        simd: S,
        (left, right): (&[S::f64s], &[S::f64s]),
        rows: &mut [[S::f64s; 3]],
    ) {
        let (left, right) = (left.as_chunks::<N>().0, right.as_chunks::<N>().0);
        let zero = simd.splat_f64s(0.0);
        let mut link = zero;
        for (row, ends) in rows.iter_mut().zip(self.pattern.starts().windows(2)) {
            *row = [link, self.entry::<S, N>(simd, ends[0], left, right), link];
            link = zero;
            if ends[1] - ends[0] > 1 {
                link = self.entry::<S, N>(simd, ends[0] + 1, left, right);
            }
        }
    }

    /// All of S, by rows.
    #[inline(always)]
    fn fill_all<S: Simd, const N: usize>(
        &self,
        simd: S,
        (left, right): (&[S::f64s], &[S::f64s]),
        matrix: &mut [S::f64s],
    ) {
        let (left, right) = (left.as_chunks::<N>().0, right.as_chunks::<N>().0);
        let (rows, mut at) = (self.jacobian.height(), 0);
        matrix.fill(simd.splat_f64s(0.0));
        for (column, end) in self.pattern.starts()[1..].iter().enumerate() {
            while at < *end {
                let (row, value) =
                    (self.pattern.rows()[at] as usize, self.entry::<S, N>(simd, at, left, right));
                matrix[row * rows + column] = value;
                matrix[column * rows + row] = value;
                at += 1;
            }
        }
    }

    /// An entry of the lower triangle of S.
    #[inline(always)]
    fn entry<S: Simd, const N: usize>(
        &self,
        simd: S,
        entry: usize,
        left: &[[S::f64s; N]],
        right: &[[S::f64s; N]],
    ) -> S::f64s {
        let mut sum = [Exact::splat(simd, 0.0); N];
        for [a, b] in &self.blocks[self.starts[entry] as usize..self.starts[entry + 1] as usize] {
            let (a, b) = (&left[*a as usize], &right[*b as usize]);
            for k in 0..N {
                sum[k] = sum[k] + Exact::of(simd, a[k]) * Exact::of(simd, b[k]);
            }
        }
        total(sum).values()
    }

    /// x ← −S⁻¹ r.
    #[inline(always)]
    pub(crate) fn solve<S: Simd>(
        &self,
        simd: S,
        factors: &[S::f64s],
        residual: &[S::f64s],
        x: &mut [S::f64s],
    ) {
        for (x, residual) in x.iter_mut().zip(residual) {
            *x = (-Exact::of(simd, *residual)).values();
        }
        if self.is_few {
            return few::substitute(simd, factors, x);
        }
        let rows = factors.as_chunks::<3>().0;
        if self.pattern.len() == self.pattern.dimension() {
            for (x, [_, diagonal, _]) in x.iter_mut().zip(rows) {
                *x = (Exact::of(simd, *x) / Exact::of(simd, *diagonal)).values();
            }
            return;
        }
        substitute(simd, rows, x);
    }

    /// y ← y + M⁻¹ Gᵀ λ with these directions.
    #[inline(always)]
    pub(crate) fn add_motion<S: Simd>(
        &self,
        simd: S,
        directions: &[S::f64s],
        multipliers: &[S::f64s],
        y: &mut [S::f64s],
    ) {
        in_blocks!(self, transposed(simd, directions, multipliers, y));
    }

    #[inline(always)]
    fn transposed<S: Simd, const N: usize>(
        &self,
        simd: S,
        values: &[S::f64s],
        x: &[S::f64s],
        y: &mut [S::f64s],
    ) {
        let (values, all_columns) = (values.as_chunks::<N>().0, self.jacobian.columns().as_chunks::<N>().0);
        for (row, ends) in self.jacobian.starts().windows(2).enumerate() {
            let own = ends[0] / N..ends[1] / N;
            let (values, columns) = (&values[own.clone()], &all_columns[own]);
            let factor = Exact::of(simd, x[row]);
            for (value, columns) in values.iter().zip(columns) {
                let first = columns[0] as usize;
                for (y, value) in y[first..first + N].iter_mut().zip(value) {
                    *y = (Exact::of(simd, *y) + Exact::of(simd, *value) * factor).values();
                }
            }
        }
    }

    /// y ← y + G x.
    #[inline(always)]
    pub(crate) fn add_product<S: Simd>(
        &self,
        simd: S,
        jacobian: &[S::f64s],
        x: &[S::f64s],
        y: &mut [S::f64s],
    ) {
        in_blocks!(self, product(simd, jacobian, x, y));
    }

    #[inline(always)]
    fn product<S: Simd, const N: usize>(
        &self,
        simd: S,
        values: &[S::f64s],
        x: &[S::f64s],
        y: &mut [S::f64s],
    ) {
        let (values, all_columns) = (values.as_chunks::<N>().0, self.jacobian.columns().as_chunks::<N>().0);
        for (row, ends) in self.jacobian.starts().windows(2).enumerate() {
            let own = ends[0] / N..ends[1] / N;
            let (values, columns) = (&values[own.clone()], &all_columns[own]);
            let mut sum = [Exact::splat(simd, 0.0); N];
            for (value, columns) in values.iter().zip(columns) {
                let x = block::<S, N>(x, columns);
                for k in 0..N {
                    sum[k] = sum[k] + Exact::of(simd, value[k]) * Exact::of(simd, x[k]);
                }
            }
            y[row] = (Exact::of(simd, y[row]) + total(sum)).values();
        }
    }

    /// y ← 1 / Σ |G| x, as by [`RowPattern::reciprocal_sizes`].
    #[inline(always)]
    pub(crate) fn reciprocal_sizes<S: Simd>(
        &self,
        simd: S,
        jacobian: &[S::f64s],
        x: &[S::f64s],
        y: &mut [S::f64s],
    ) {
        in_blocks!(self, sizes(simd, jacobian, x, y));
    }

    #[inline(always)]
    fn sizes<S: Simd, const N: usize>(&self, simd: S, values: &[S::f64s], x: &[S::f64s], y: &mut [S::f64s]) {
        let (values, all_columns) = (values.as_chunks::<N>().0, self.jacobian.columns().as_chunks::<N>().0);
        for (row, ends) in self.jacobian.starts().windows(2).enumerate() {
            let own = ends[0] / N..ends[1] / N;
            let (values, columns) = (&values[own.clone()], &all_columns[own]);
            let mut sum = [Exact::splat(simd, 0.0); N];
            for (value, columns) in values.iter().zip(columns) {
                let x = block::<S, N>(x, columns);
                for k in 0..N {
                    sum[k] = sum[k] + Exact::of(simd, value[k]).abs() * Exact::of(simd, x[k]);
                }
            }
            let size = total(sum) + f64::MIN_POSITIVE;
            y[row] = (size.number(1.0) / size).values();
        }
    }

    /// The lanes in which no row has turned by a right angle, as by [`RowPattern::face_forward`].
    #[inline(always)]
    pub(crate) fn face_forward<S: Simd>(&self, simd: S, a: &[S::f64s], b: &[S::f64s]) -> MaskOf<S> {
        in_blocks!(self, forward(simd, a, b))
    }

    #[inline(always)]
    fn forward<S: Simd, const N: usize>(&self, simd: S, a: &[S::f64s], b: &[S::f64s]) -> MaskOf<S> {
        let mut forward = all(simd);
        let (a, b) = (a.as_chunks::<N>().0, b.as_chunks::<N>().0);
        for ends in self.jacobian.starts().windows(2) {
            let own = ends[0] / N..ends[1] / N;
            let (a, b) = (&a[own.clone()], &b[own]);
            let mut sum = [Exact::splat(simd, 0.0); N];
            for (a, b) in a.iter().zip(b) {
                for k in 0..N {
                    sum[k] = sum[k] + Exact::of(simd, a[k]) * Exact::of(simd, b[k]);
                }
            }
            let sum = total(sum);
            forward = Exact::<S>::both(forward, sum.number(0.0).lt(sum));
        }
        forward
    }
}

/// The entries of a vector at the neighbouring columns of a block.
#[inline(always)]
fn block<'a, S: Simd, const N: usize>(x: &'a [S::f64s], columns: &[u32; N]) -> &'a [S::f64s] {
    let first = columns[0] as usize;
    &x[first..first + N]
}

#[inline(always)]
fn total<S: Simd, const N: usize>(terms: [Exact<S>; N]) -> Exact<S> {
    let mut sum = terms[0];
    for term in &terms[1..] {
        sum = sum + *term;
    }
    sum
}

/// All lanes.
#[inline(always)]
fn all<S: Simd>(simd: S) -> MaskOf<S> {
    let zero = Exact::splat(simd, 0.0);
    zero.le(zero)
}

/// The lanes in which a pivot can be divided by, in a column whose largest entry was `scale`.
#[inline(always)]
fn acceptable<S: Simd>(simd: S, pivot: Exact<S>, scale: Exact<S>, smallest: Exact<S>) -> MaskOf<S> {
    let size = pivot.abs();
    Exact::<S>::both(size.le(Exact::splat(simd, f64::MAX)), (smallest * scale).lt(size))
}

#[inline(always)]
fn larger<S: Simd>(a: Exact<S>, b: Exact<S>) -> Exact<S> {
    Exact::select(a.lt(b), b, a)
}

/// The elimination from one end of a tridiagonal matrix: see `factor/tridiagonal.rs`.
struct MemberEnd<S: Simd> {
    loss: Exact<S>,
    eliminated: Exact<S>,
    found: MaskOf<S>,
}

impl<S: Simd> MemberEnd<S> {
    #[inline(always)]
    fn new(simd: S) -> Self {
        let zero = Exact::splat(simd, 0.0);
        Self { loss: zero, eliminated: zero, found: all(simd) }
    }

    #[inline(always)]
    fn pivot(&mut self, simd: S, smallest: Exact<S>, place: &mut S::f64s) -> Exact<S> {
        let diagonal = Exact::of(simd, *place);
        let pivot = diagonal - self.loss;
        let scale = larger(diagonal.abs(), self.eliminated.abs());
        self.found = Exact::<S>::both(self.found, acceptable(simd, pivot, scale, smallest));
        let reciprocal = pivot.number(1.0) / pivot;
        *place = reciprocal.values();
        reciprocal
    }

    #[inline(always)]
    fn pass(&mut self, simd: S, reciprocal: Exact<S>, eliminated: &mut S::f64s, other: &mut S::f64s) {
        let (own, opposite) = (Exact::of(simd, *eliminated), Exact::of(simd, *other));
        self.loss = (own * opposite) * reciprocal;
        self.eliminated = own;
        *eliminated = (own * reciprocal).values();
        *other = (opposite * reciprocal).values();
    }
}

/// A = L D U of a tridiagonal matrix from both ends; the lanes in which it exists.
#[inline(always)]
fn eliminate<S: Simd>(simd: S, rows: &mut [[S::f64s; 3]], smallest: Exact<S>) -> MaskOf<S> {
    let count = rows.len();
    let middle = count / 2;
    let (mut down, mut up) = (MemberEnd::new(simd), MemberEnd::new(simd));
    for step in 0..middle {
        let reciprocal = down.pivot(simd, smallest, &mut rows[step][1]);
        let [lower, _, upper] = &mut rows[step + 1];
        down.pass(simd, reciprocal, lower, upper);
        let other = count - 1 - step;
        if other > middle {
            let [lower, diagonal, upper] = &mut rows[other];
            let reciprocal = up.pivot(simd, smallest, diagonal);
            up.pass(simd, reciprocal, upper, lower);
        }
    }
    let Some([_, diagonal, _]) = rows.get_mut(middle) else { return down.found };
    down.loss = down.loss + up.loss;
    down.eliminated = larger(down.eliminated.abs(), up.eliminated.abs());
    down.pivot(simd, smallest, diagonal);
    Exact::<S>::both(down.found, up.found)
}

/// x ← A⁻¹ x with these factors.
#[inline(always)]
fn substitute<S: Simd>(simd: S, rows: &[[S::f64s; 3]], x: &mut [S::f64s]) {
    let count = rows.len();
    if count == 0 {
        return;
    }
    let middle = count / 2;
    let both = count - 1 - middle;
    let zero = Exact::splat(simd, 0.0);
    let (mut down, mut up, mut link) = (zero, zero, zero);
    for k in 0..middle {
        let [lower, reciprocal, _] = rows[k];
        down = Exact::of(simd, x[k]) - Exact::of(simd, lower) * down;
        x[k] = (down * Exact::of(simd, reciprocal)).values();
        if k < both {
            let last = count - 1 - k;
            let [_, reciprocal, upper] = rows[last];
            up = Exact::of(simd, x[last]) - link * up;
            x[last] = (up * Exact::of(simd, reciprocal)).values();
            link = Exact::of(simd, upper);
        }
    }
    let [lower, reciprocal, upper] = rows[middle];
    let centre = (Exact::of(simd, x[middle]) - Exact::of(simd, lower) * down - link * up)
        * Exact::of(simd, reciprocal);
    x[middle] = centre.values();

    (down, up, link) = (centre, centre, Exact::of(simd, upper));
    for k in 0..middle {
        let before = middle - 1 - k;
        up = Exact::of(simd, x[before]) - link * up;
        x[before] = up.values();
        link = Exact::of(simd, rows[before][2]);
        if k < both {
            let after = middle + 1 + k;
            down = Exact::of(simd, x[after]) - Exact::of(simd, rows[after][0]) * down;
            x[after] = down.values();
        }
    }
}

/// The elimination of an S of few rows: see `factor/dense.rs`.
mod few {
    use super::{MaskOf, acceptable, all, larger};
    use crate::lanes::{Exact, Real};
    use crate::sparse::MOST_ROWS;
    use pulp::Simd;

    /// The factors of a matrix by rows; the lanes in which they exist.
    #[inline(always)]
    pub(super) fn eliminate<S: Simd>(
        simd: S,
        n: usize,
        factors: &mut [S::f64s],
        smallest: Exact<S>,
    ) -> MaskOf<S> {
        let mut scales = [Exact::splat(simd, 0.0); MOST_ROWS];
        for k in 0..n {
            for i in k..n {
                scales[k] = larger(scales[k], Exact::of(simd, factors[i * n + k]).abs());
            }
            for i in k..n {
                scales[k] = larger(scales[k], Exact::of(simd, factors[k * n + i]).abs());
            }
        }
        let mut found = all(simd);
        for k in 0..n {
            let pivot = Exact::of(simd, factors[k * n + k]);
            found = Exact::<S>::both(found, acceptable(simd, pivot, scales[k], smallest));
            let reciprocal = pivot.number(1.0) / pivot;
            factors[k * n + k] = reciprocal.values();
            for i in k + 1..n {
                let factor = Exact::of(simd, factors[i * n + k]) * reciprocal;
                factors[i * n + k] = factor.values();
                for j in k + 1..n {
                    let rest =
                        Exact::of(simd, factors[i * n + j]) - factor * Exact::of(simd, factors[k * n + j]);
                    factors[i * n + j] = rest.values();
                }
            }
        }
        found
    }

    /// x ← A⁻¹ x with these factors.
    #[inline(always)]
    pub(super) fn substitute<S: Simd>(simd: S, factors: &[S::f64s], x: &mut [S::f64s]) {
        let n = x.len();
        for k in 1..n {
            let mut rest = Exact::of(simd, x[k]);
            for j in 0..k {
                rest = rest - Exact::of(simd, factors[k * n + j]) * Exact::of(simd, x[j]);
            }
            x[k] = rest.values();
        }
        for k in (0..n).rev() {
            let mut rest = Exact::of(simd, x[k]);
            for j in k + 1..n {
                rest = rest - Exact::of(simd, factors[k * n + j]) * Exact::of(simd, x[j]);
            }
            x[k] = (rest * Exact::of(simd, factors[k * n + k])).values();
        }
    }
}
