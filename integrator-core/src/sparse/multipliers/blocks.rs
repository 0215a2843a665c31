//! Equations in small independent sets (a rigid molecule each), eight sets of one shape at a time.

use super::ZeroPivot;
use super::banded::{NEGLIGIBLE, negligible};
use crate::lanes::{Eight, Lanes, MOST_LANES, Real, Registers, Width, parts};
use crate::sparse::RowPattern;
use crate::sparse::sets::{Group, LARGEST, Places, Sets, eight, put};
use pulp::{Scalar512b, Simd, WithSimd};

/// S = G₁ M⁻¹ G₂ᵀ of independent sets of equations, for a diagonal mass.
pub(crate) struct Blocks {
    sets: Sets,
    numbers: Numbers,
    registers: Option<Registers>,
}

struct Numbers {
    /// 1/m of each coordinate.
    reciprocals: Vec<Eight>,
    /// G₂, with the zeros of each set: column by column.
    gradients: Vec<Eight>,
    /// S by rows, factored: multipliers, reciprocal pivot, upper entries.
    matrices: Vec<Eight>,
}

impl Blocks {
    /// `None` where the equations do not fall into such sets.
    pub(super) fn new(reciprocals: &[f64], jacobian: &RowPattern) -> Option<Self> {
        let sets = Sets::new(jacobian)?;
        let mut of_columns = sets.zero_columns();
        sets.gather_columns(reciprocals, &mut of_columns);
        let pairs = sets.groups.iter().map(|group| sets.shapes[group.shape].rows.pow(2)).sum();
        let numbers = Numbers {
            reciprocals: of_columns,
            gradients: sets.zero_cells(),
            matrices: vec![Eight::ZERO; pairs],
        };
        Some(Self { sets, numbers, registers: Width::widest().registers() })
    }

    pub(super) fn count(&self) -> usize {
        self.sets.count
    }

    pub(super) fn largest(&self) -> usize {
        self.sets.largest
    }

    pub(crate) fn sets(&self) -> &Sets {
        &self.sets
    }

    /// The cells of G₂.
    pub(crate) fn gradients(&self) -> &[Eight] {
        &self.numbers.gradients
    }

    /// Whoever changes them factors anew.
    pub(crate) fn gradients_mut(&mut self) -> &mut Vec<Eight> {
        &mut self.numbers.gradients
    }

    /// Takes G₂ and factors G₂ M⁻¹ G₂ᵀ.
    pub(super) fn factor_symmetric_of(&mut self, jacobian: &[f64]) -> Result<(), ZeroPivot> {
        self.sets.gather_entries(jacobian, &mut self.numbers.gradients);
        self.factor_symmetric()
    }

    /// Factors G₂ M⁻¹ G₂ᵀ.
    pub(crate) fn factor_symmetric(&mut self) -> Result<(), ZeroPivot> {
        self.run(FactorSymmetric)
    }

    /// Factors G₁ M⁻¹ G₂ᵀ, with the cells of G₁.
    pub(crate) fn factor(&mut self, left: &[Eight]) -> Result<(), ZeroPivot> {
        self.run(Factor { left })
    }

    /// x ← −S⁻¹ (r + G₂ a), without `a` −S⁻¹ r.
    pub(crate) fn solve(&mut self, residual: &[f64], a: Option<&[f64]>, x: &mut [f64]) {
        self.run_on(Solve { residual, a, x });
    }

    /// y ← y + M⁻¹ G₂ᵀ λ.
    pub(crate) fn add_motion(&mut self, multipliers: &[f64], y: &mut [f64]) {
        self.run_on(AddMotion { multipliers, y });
    }

    /// x ← −S⁻¹ r, and y ← y + M⁻¹ G₂ᵀ x.
    pub(super) fn correct(&mut self, residual: &[f64], x: &mut [f64], y: &mut [f64]) {
        self.run_on(Correct { residual, x, y });
    }

    /// r ← r + G₂ y.
    pub(crate) fn add_product(&mut self, y: &[f64], residual: &mut [f64]) {
        self.run_on(AddProduct { y, residual });
    }

    /// y ← y − M⁻¹ G₂ᵀ S⁻¹ (r + G₂ y).
    pub(crate) fn remove(&mut self, residual: &[f64], y: &mut [f64]) {
        self.run_on(Remove { residual, y });
    }

    /// x ← x − S⁻¹ r and y ← y − M⁻¹ G₂ᵀ S⁻¹ r, all in the numbering of the sets.
    pub(crate) fn correct_abreast(&mut self, residual: &[Eight], x: &mut [Eight], y: &mut [Eight]) {
        self.run_on(CorrectAbreast { residual, x, y });
    }

    /// y ← y + M⁻¹ G₂ᵀ x, in the numbering of the sets.
    pub(crate) fn move_abreast(&mut self, x: &[Eight], y: &mut [Eight]) {
        self.run_on(MoveAbreast { x, y });
    }

    /// Whether every row of G₂ and of the cells of another matrix have a positive product.
    pub(crate) fn face_forward(&mut self, other: &[Eight]) -> bool {
        let mut all = true;
        self.run_on(FaceForward { other, all: &mut all });
        all
    }

    /// `1/Σ_j |G₂ c j| x_j` for each row, in the numbering of the sets.
    pub(crate) fn reciprocal_sizes(&mut self, x: &[f64], sizes: &mut [Eight]) {
        self.run_on(ReciprocalSizes { x, sizes });
    }

    /// `max |a b|`; not finite when any of them is not.
    pub(crate) fn largest_product(&self, a: &[Eight], b: &[Eight]) -> f64 {
        run(self.registers, LargestProduct { a, b })
    }

    /// For a task that cannot fail.
    fn run_on(&mut self, task: impl Task) {
        self.run(task).unwrap_or_default();
    }

    fn run(&mut self, task: impl Task) -> Result<(), ZeroPivot> {
        let Self { sets, numbers, registers } = self;
        run(*registers, Work { sets, numbers, task })
    }
}

/// In a function with the instructions of the registers at hand.
#[inline(always)]
fn run<W: WithSimd>(registers: Option<Registers>, work: W) -> W::Output {
    match registers {
        Some(registers) => registers.run(work),
        None => work.with_simd(Scalar512b),
    }
}

/// What is done for each group.
trait Task {
    fn run<S: Simd, const R: usize>(&mut self, simd: S, part: Part<'_, R>) -> Result<(), ZeroPivot>;
}

/// A task for all groups.
struct Work<'a, T> {
    sets: &'a Sets,
    numbers: &'a mut Numbers,
    task: T,
}

impl<T: Task> WithSimd for Work<'_, T> {
    type Output = Result<(), ZeroPivot>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Self::Output {
        let Self { sets, numbers, mut task } = self;
        for group in &sets.groups {
            // Of known sizes the unknowns stay in registers.
            match sets.shapes[group.shape].rows {
                1 => task.run::<S, 1>(simd, Part::of(group, numbers))?,
                2 => task.run::<S, 2>(simd, Part::of(group, numbers))?,
                3 => task.run::<S, 3>(simd, Part::of(group, numbers))?,
                4 => task.run::<S, 4>(simd, Part::of(group, numbers))?,
                5 => task.run::<S, 5>(simd, Part::of(group, numbers))?,
                _ => task.run::<S, LARGEST>(simd, Part::of(group, numbers))?,
            }
        }
        Ok(())
    }
}

/// A group of sets of R equations, and its numbers.
struct Part<'a, const R: usize> {
    group: &'a Group,
    reciprocals: &'a [Eight],
    gradients: &'a [[Eight; R]],
    matrix: &'a mut [[Eight; R]],
}

impl<'a, const R: usize> Part<'a, R> {
    #[inline(always)]
    fn of(group: &'a Group, numbers: &'a mut Numbers) -> Self {
        let columns = group.columns.len();
        Self {
            group,
            reciprocals: &numbers.reciprocals[group.first_column..][..columns],
            gradients: cells(group, &numbers.gradients),
            matrix: &mut numbers.matrices[group.first_pair..].as_chunks_mut().0[..R],
        }
    }

    /// G₂ y.
    #[inline(always)]
    fn product<S: Simd>(&self, simd: S, first: usize, y: &[f64]) -> [Lanes<S>; R] {
        let mut product = [Lanes::splat(simd, 0.0); R];
        for (places, gradients) in self.group.columns.iter().zip(self.gradients) {
            let y = eight(y, places).part(simd, first);
            for r in 0..R {
                product[r] = product[r] + gradients[r].part(simd, first) * y;
            }
        }
        product
    }

    /// M⁻¹ G₂ᵀ λ at each column.
    #[inline(always)]
    fn motion<S: Simd>(&self, simd: S, column: usize, first: usize, multipliers: &[Lanes<S>; R]) -> Lanes<S> {
        let gradients = &self.gradients[column];
        let mut sum = gradients[0].part(simd, first) * multipliers[0];
        for r in 1..R {
            sum = sum + gradients[r].part(simd, first) * multipliers[r];
        }
        sum * self.reciprocals[column].part(simd, first)
    }

    /// What stands at the rows, in the numbering of the sets.
    #[inline(always)]
    fn rows<S: Simd>(&self, simd: S, first: usize, from: &[Eight]) -> [Lanes<S>; R] {
        let mut rows = [Lanes::splat(simd, 0.0); R];
        for (row, eight) in rows.iter_mut().zip(&from[self.group.first_row..]) {
            *row = eight.part(simd, first);
        }
        rows
    }

    /// y ← y + M⁻¹ G₂ᵀ λ, in the numbering of the sets.
    #[inline(always)]
    fn move_abreast<S: Simd>(&self, simd: S, first: usize, multipliers: &[Lanes<S>; R], y: &mut [Eight]) {
        let columns = self.group.columns.len();
        for (column, y) in y[self.group.first_column..][..columns].iter_mut().enumerate() {
            y.set_part(y.part(simd, first) + self.motion(simd, column, first, multipliers), first);
        }
    }

    /// −S⁻¹ r.
    #[inline(always)]
    fn solve<S: Simd>(&self, simd: S, first: usize, residual: [Lanes<S>; R]) -> [Lanes<S>; R] {
        let mut x = residual;
        for k in 0..R {
            x[k] = -x[k];
            for j in 0..k {
                x[k] = x[k] - self.matrix[k][j].part(simd, first) * x[j];
            }
        }
        for k in (0..R).rev() {
            for j in k + 1..R {
                x[k] = x[k] - self.matrix[k][j].part(simd, first) * x[j];
            }
            x[k] = x[k] * self.matrix[k][k].part(simd, first);
        }
        x
    }

    /// S = G₁ (M⁻¹ G₂ᵀ), factored.
    #[inline(always)]
    fn factor<S: Simd>(&mut self, simd: S, left: &[[Eight; R]]) -> Result<(), ZeroPivot> {
        for first in parts::<S>(MOST_LANES) {
            let mut matrix = [[Lanes::splat(simd, 0.0); R]; R];
            for ((left, right), reciprocal) in left.iter().zip(self.gradients).zip(self.reciprocals) {
                let reciprocal = reciprocal.part(simd, first);
                for c in 0..R {
                    let direction = right[c].part(simd, first) * reciprocal;
                    for r in 0..R {
                        matrix[r][c] = matrix[r][c] + left[r].part(simd, first) * direction;
                    }
                }
            }
            eliminate(simd, &mut matrix).map_err(|zero| zero.in_group(self.group, first))?;
            for (to, entry) in self.matrix.as_flattened_mut().iter_mut().zip(matrix.as_flattened()) {
                to.set_part(*entry, first);
            }
        }
        Ok(())
    }
}

/// The cells of a group, column by column.
#[inline(always)]
fn cells<'a, const R: usize>(group: &Group, cells: &'a [Eight]) -> &'a [[Eight; R]] {
    &cells[group.first_cell..].as_chunks().0[..group.columns.len()]
}

/// What stands at these rows, in R registers from lane `first` on.
#[inline(always)]
fn read<S: Simd, const R: usize>(simd: S, from: &[f64], rows: &[Places], first: usize) -> [Lanes<S>; R] {
    let mut values = [Lanes::splat(simd, 0.0); R];
    for (value, places) in values.iter_mut().zip(rows) {
        *value = eight(from, places).part(simd, first);
    }
    values
}

/// The lanes from `first` on of a register that begins there.
#[inline(always)]
fn write<S: Simd>(values: Lanes<S>, places: &Places, first: usize, to: &mut [f64]) {
    put(&values.to_array()[..Lanes::<S>::COUNT], &places[first..], to);
}

struct FactorSymmetric;

impl Task for FactorSymmetric {
    #[inline(always)]
    fn run<S: Simd, const R: usize>(&mut self, simd: S, mut part: Part<'_, R>) -> Result<(), ZeroPivot> {
        part.factor(simd, part.gradients)
    }
}

struct Factor<'a> {
    left: &'a [Eight],
}

impl Task for Factor<'_> {
    #[inline(always)]
    fn run<S: Simd, const R: usize>(&mut self, simd: S, mut part: Part<'_, R>) -> Result<(), ZeroPivot> {
        let left = cells::<R>(part.group, self.left);
        part.factor(simd, left)
    }
}

struct Solve<'a> {
    residual: &'a [f64],
    a: Option<&'a [f64]>,
    x: &'a mut [f64],
}

impl Task for Solve<'_> {
    #[inline(always)]
    fn run<S: Simd, const R: usize>(&mut self, simd: S, part: Part<'_, R>) -> Result<(), ZeroPivot> {
        let rows = &part.group.rows;
        for first in parts::<S>(part.group.sets) {
            let mut residual = read(simd, self.residual, rows, first);
            if let Some(a) = self.a {
                let product = part.product(simd, first, a);
                for r in 0..R {
                    residual[r] = residual[r] + product[r];
                }
            }
            let unknowns = part.solve(simd, first, residual);
            for (unknown, places) in unknowns.into_iter().zip(rows) {
                write(unknown, places, first, self.x);
            }
        }
        Ok(())
    }
}

struct AddProduct<'a> {
    y: &'a [f64],
    residual: &'a mut [f64],
}

impl Task for AddProduct<'_> {
    #[inline(always)]
    fn run<S: Simd, const R: usize>(&mut self, simd: S, part: Part<'_, R>) -> Result<(), ZeroPivot> {
        let rows = &part.group.rows;
        for first in parts::<S>(part.group.sets) {
            let residual = read::<S, R>(simd, self.residual, rows, first);
            let product = part.product(simd, first, self.y);
            for r in 0..R {
                write(residual[r] + product[r], &rows[r], first, self.residual);
            }
        }
        Ok(())
    }
}

struct AddMotion<'a> {
    multipliers: &'a [f64],
    y: &'a mut [f64],
}

impl Task for AddMotion<'_> {
    #[inline(always)]
    fn run<S: Simd, const R: usize>(&mut self, simd: S, part: Part<'_, R>) -> Result<(), ZeroPivot> {
        for first in parts::<S>(part.group.sets) {
            let multipliers = read(simd, self.multipliers, &part.group.rows, first);
            add_motion(simd, &part, first, &multipliers, self.y);
        }
        Ok(())
    }
}

struct Correct<'a> {
    residual: &'a [f64],
    x: &'a mut [f64],
    y: &'a mut [f64],
}

impl Task for Correct<'_> {
    #[inline(always)]
    fn run<S: Simd, const R: usize>(&mut self, simd: S, part: Part<'_, R>) -> Result<(), ZeroPivot> {
        for first in parts::<S>(part.group.sets) {
            let residual = read(simd, self.residual, &part.group.rows, first);
            let unknowns = part.solve(simd, first, residual);
            for (unknown, places) in unknowns.into_iter().zip(&part.group.rows) {
                write(unknown, places, first, self.x);
            }
            add_motion(simd, &part, first, &unknowns, self.y);
        }
        Ok(())
    }
}

struct Remove<'a> {
    residual: &'a [f64],
    y: &'a mut [f64],
}

impl Task for Remove<'_> {
    #[inline(always)]
    fn run<S: Simd, const R: usize>(&mut self, simd: S, part: Part<'_, R>) -> Result<(), ZeroPivot> {
        let rows = &part.group.rows;
        for first in parts::<S>(part.group.sets) {
            let mut residual = read(simd, self.residual, rows, first);
            let product = part.product(simd, first, self.y);
            for r in 0..R {
                residual[r] = residual[r] + product[r];
            }
            let unknowns = part.solve(simd, first, residual);
            add_motion(simd, &part, first, &unknowns, self.y);
        }
        Ok(())
    }
}

struct CorrectAbreast<'a> {
    residual: &'a [Eight],
    x: &'a mut [Eight],
    y: &'a mut [Eight],
}

impl Task for CorrectAbreast<'_> {
    #[inline(always)]
    fn run<S: Simd, const R: usize>(&mut self, simd: S, part: Part<'_, R>) -> Result<(), ZeroPivot> {
        for first in parts::<S>(MOST_LANES) {
            let unknowns = part.solve(simd, first, part.rows(simd, first, self.residual));
            for (x, unknown) in self.x[part.group.first_row..].iter_mut().zip(unknowns) {
                x.set_part(x.part(simd, first) + unknown, first);
            }
            part.move_abreast(simd, first, &unknowns, self.y);
        }
        Ok(())
    }
}

struct MoveAbreast<'a> {
    x: &'a [Eight],
    y: &'a mut [Eight],
}

impl Task for MoveAbreast<'_> {
    #[inline(always)]
    fn run<S: Simd, const R: usize>(&mut self, simd: S, part: Part<'_, R>) -> Result<(), ZeroPivot> {
        for first in parts::<S>(MOST_LANES) {
            let multipliers = part.rows(simd, first, self.x);
            part.move_abreast(simd, first, &multipliers, self.y);
        }
        Ok(())
    }
}

struct FaceForward<'a> {
    other: &'a [Eight],
    all: &'a mut bool,
}

impl Task for FaceForward<'_> {
    #[inline(always)]
    fn run<S: Simd, const R: usize>(&mut self, simd: S, part: Part<'_, R>) -> Result<(), ZeroPivot> {
        for first in parts::<S>(MOST_LANES) {
            let (zero, one) = (Lanes::splat(simd, 0.0), Lanes::splat(simd, 1.0));
            let mut products = [zero; R];
            for (a, b) in part.gradients.iter().zip(cells::<R>(part.group, self.other)) {
                for r in 0..R {
                    products[r] = products[r] + a[r].part(simd, first) * b[r].part(simd, first);
                }
            }
            let mut positive = one;
            for product in products {
                positive = Lanes::select(zero.lt(product), positive, zero);
            }
            *self.all &= is_one(positive);
        }
        Ok(())
    }
}

struct ReciprocalSizes<'a> {
    x: &'a [f64],
    sizes: &'a mut [Eight],
}

impl Task for ReciprocalSizes<'_> {
    #[inline(always)]
    fn run<S: Simd, const R: usize>(&mut self, simd: S, part: Part<'_, R>) -> Result<(), ZeroPivot> {
        for first in parts::<S>(MOST_LANES) {
            let mut sums = [Lanes::splat(simd, f64::MIN_POSITIVE); R];
            for (places, gradients) in part.group.columns.iter().zip(part.gradients) {
                let x = eight(self.x, places).part(simd, first);
                for r in 0..R {
                    sums[r] = sums[r] + gradients[r].part(simd, first).abs() * x;
                }
            }
            for (size, sum) in self.sizes[part.group.first_row..].iter_mut().zip(sums) {
                size.set_part(Lanes::splat(simd, 1.0) / sum, first);
            }
        }
        Ok(())
    }
}

struct LargestProduct<'a> {
    a: &'a [Eight],
    b: &'a [Eight],
}

impl WithSimd for LargestProduct<'_> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> f64 {
        let zero = Lanes::splat(simd, 0.0);
        let (mut largest, mut sum) = (zero, zero);
        for (a, b) in self.a.iter().zip(self.b) {
            for first in parts::<S>(MOST_LANES) {
                let product = (a.part(simd, first) * b.part(simd, first)).abs();
                // A comparison skips what is not a number, and a sum does not.
                largest = Lanes::select(largest.lt(product), product, largest);
                sum = sum + product;
            }
        }
        let sum = sum.total();
        if sum.is_finite() { largest.largest() } else { sum }
    }
}

/// y ← y + M⁻¹ G₂ᵀ λ.
#[inline(always)]
fn add_motion<S: Simd, const R: usize>(
    simd: S,
    part: &Part<'_, R>,
    first: usize,
    multipliers: &[Lanes<S>; R],
    y: &mut [f64],
) {
    for (column, places) in part.group.columns.iter().enumerate() {
        // Read before any is written: lanes that are left over stand for the last set once more.
        let moved = eight(y, places).part(simd, first) + part.motion(simd, column, first, multipliers);
        write(moved, places, first, y);
    }
}

/// A pivot that is zero but for rounding, in one of the sets.
struct ZeroInLane {
    row: usize,
    lane: usize,
    pivot: f64,
}

impl ZeroInLane {
    fn in_group(self, group: &Group, first: usize) -> ZeroPivot {
        ZeroPivot { row: group.rows[self.row][first + self.lane] as usize, pivot: self.pivot }
    }
}

/// LU without pivoting in place; reciprocal pivots.
#[inline(always)]
fn eliminate<S: Simd, const R: usize>(simd: S, matrix: &mut [[Lanes<S>; R]; R]) -> Result<(), ZeroInLane> {
    let (zero, one) = (Lanes::splat(simd, 0.0), Lanes::splat(simd, 1.0));
    let (mut scales, mut pivots, mut acceptable) = ([zero; R], [zero; R], one);
    for (scale, row) in scales.iter_mut().zip(&*matrix) {
        for entry in row {
            let magnitude = entry.abs();
            *scale = Lanes::select(scale.lt(magnitude), magnitude, *scale);
        }
    }
    for k in 0..R {
        let pivot = matrix[k][k];
        pivots[k] = pivot;
        // What is not a number is not greater either.
        acceptable = Lanes::select((scales[k] * NEGLIGIBLE).lt(pivot.abs()), acceptable, zero);
        let reciprocal = one / pivot;
        matrix[k][k] = reciprocal;
        let upper = matrix[k];
        for row in &mut matrix[k + 1..] {
            let factor = row[k] * reciprocal;
            row[k] = factor;
            for j in k + 1..R {
                row[j] = row[j] - factor * upper[j];
            }
        }
    }
    if is_one(acceptable) { Ok(()) } else { Err(first_zero(&pivots, &scales)) }
}

/// Whether ones stand in all lanes, of ones and zeros.
#[inline(always)]
fn is_one<S: Simd>(lanes: Lanes<S>) -> bool {
    lanes.total() > Lanes::<S>::COUNT as f64 - 0.5
}

/// The first pivot that is zero but for rounding.
#[cold]
fn first_zero<S: Simd, const R: usize>(pivots: &[Lanes<S>; R], scales: &[Lanes<S>; R]) -> ZeroInLane {
    let numbers = |row: usize| (pivots[row].to_array(), scales[row].to_array());
    let of_row = |row: usize| (0..Lanes::<S>::COUNT).map(move |lane| (row, lane));
    let zero = |&(row, lane): &(usize, usize)| {
        let (pivots, scales) = numbers(row);
        negligible(pivots[lane], scales[lane])
    };
    let (row, lane) = (0..R).flat_map(of_row).find(zero).unwrap_or_default();
    ZeroInLane { row, lane, pivot: numbers(row).0[lane] }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that look random, in (−1, 1).
    fn numbers(count: usize, seed: f64) -> Vec<f64> {
        (0..count).map(|k| (12.9898 * (k as f64 + 1.0) + 78.233 * seed).sin()).collect()
    }

    /// `triangles` sets of three distances and `pairs` of one, whose rows alternate.
    fn sets(triangles: usize, pairs: usize) -> RowPattern {
        let (first, sites) = (3 * triangles, [(0, 1), (1, 2), (2, 0)]);
        let of_triangle = (0..first).flat_map(move |row| {
            let (a, b) = sites[row / triangles];
            let begin = 9 * (row % triangles);
            (0..3).flat_map(move |k| [(row, begin + 3 * a + k), (row, begin + 3 * b + k)])
        });
        let of_pair = (0..pairs).flat_map(move |pair| {
            let begin = 9 * triangles + 4 * pair;
            (0..4).map(move |k| (first + pair, begin + k))
        });
        RowPattern::new(first + pairs, 9 * triangles + 4 * pairs + 1, of_triangle.chain(of_pair))
    }

    #[track_caller]
    fn agree(found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len());
        for (k, (found, expected)) in found.iter().zip(expected).enumerate() {
            assert!((found - expected).abs() < 1e-11, "entry {k} is {found} instead of {expected}");
        }
    }

    /// Every operation by its definition, with lanes that are left over and without, in registers of every width.
    #[test]
    fn operations_are_those_of_their_definitions() {
        for (triangles, pairs) in [(8, 0), (3, 2), (5, 1), (11, 9), (17, 0)] {
            let pattern = sets(triangles, pairs);
            let (rows, columns) = (pattern.height(), pattern.width());
            let (foot, iterate) = (numbers(pattern.len(), 1.0), numbers(pattern.len(), 2.0));
            let near: Vec<f64> = foot.iter().zip(&iterate).map(|(a, b)| a + 0.05 * b).collect();
            let reciprocals: Vec<f64> = (0..columns).map(|k| 1.0 / (1.0 + (k % 3) as f64)).collect();
            let (residual, y) = (numbers(rows, 3.0), numbers(columns, 4.0));
            let product = |matrix: &[f64], x: &[f64]| {
                let mut product = vec![0.0; rows];
                pattern.multiply_add(matrix, x, &mut product);
                product
            };
            let motion = |multipliers: &[f64]| {
                let mut motion = vec![0.0; columns];
                pattern.transpose_multiply_add(&foot, multipliers, &mut motion);
                motion.iter_mut().zip(&reciprocals).for_each(|(entry, reciprocal)| *entry *= reciprocal);
                motion
            };
            let sum = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a + b).collect::<Vec<_>>();
            for width in Width::available() {
                let mut blocks = Blocks::new(&reciprocals, &pattern).expect("small independent sets");
                blocks.registers = width.registers();
                assert_eq!(blocks.largest(), 3);
                blocks.factor_symmetric_of(&foot).expect("independent rows");

                let mut x = vec![f64::NAN; rows];
                blocks.solve(&residual, Some(&y), &mut x);
                agree(
                    &product(&foot, &motion(&x)),
                    &sum(&residual, &product(&foot, &y)).iter().map(|r| -r).collect::<Vec<_>>(),
                );
                let mut moved = y.clone();
                blocks.add_motion(&x, &mut moved);
                agree(&moved, &sum(&y, &motion(&x)));
                let mut removed = y.clone();
                blocks.remove(&residual, &mut removed);
                agree(&removed, &moved);
                agree(&sum(&residual, &product(&foot, &removed)), &vec![0.0; rows]);
                let mut products = residual.clone();
                blocks.add_product(&y, &mut products);
                agree(&products, &sum(&residual, &product(&foot, &y)));

                // With another matrix on the left, and in both numberings.
                let mut left = blocks.sets().zero_cells();
                blocks.sets().gather_entries(&near, &mut left);
                blocks.factor(&left).expect("independent rows");
                let mut corrected = y.clone();
                blocks.correct(&residual, &mut x, &mut corrected);
                agree(&sum(&residual, &product(&near, &motion(&x))), &vec![0.0; rows]);
                agree(&corrected, &sum(&y, &motion(&x)));
                let (mut values, mut impulse) = (blocks.sets().zero_rows(), blocks.sets().zero_rows());
                let mut positions = blocks.sets().zero_columns();
                for group in &blocks.sets.groups {
                    for (to, places) in values[group.first_row..].iter_mut().zip(&group.rows) {
                        *to = eight(&residual, places);
                    }
                }
                blocks.sets().gather_columns(&y, &mut positions);
                blocks.correct_abreast(&values, &mut impulse, &mut positions);
                blocks.correct_abreast(&values, &mut impulse, &mut positions);
                let (mut twice, mut multipliers) = (y.clone(), vec![0.0; rows]);
                blocks.sets().scatter_columns(&positions, &mut twice);
                blocks.sets().scatter_rows(&impulse, &mut multipliers);
                agree(&multipliers, &sum(&x, &x));
                agree(&twice, &sum(&corrected, &motion(&x)));

                // Natural sizes, the largest of products, and directions.
                let mut sizes = blocks.sets().zero_rows();
                let magnitudes: Vec<f64> = y.iter().map(|y| y.abs()).collect();
                blocks.reciprocal_sizes(&magnitudes, &mut sizes);
                let mut found = vec![0.0; rows];
                blocks.sets().scatter_rows(&sizes, &mut found);
                let absolute: Vec<f64> = foot.iter().map(|entry| entry.abs()).collect();
                agree(
                    &found,
                    &product(&absolute, &magnitudes).iter().map(|size| 1.0 / size).collect::<Vec<_>>(),
                );
                let largest = residual.iter().zip(&found).map(|(a, b)| (a * b).abs()).fold(0.0, f64::max);
                assert_eq!(blocks.largest_product(&values, &sizes).to_bits(), largest.to_bits());
                values[0][0] = f64::NAN;
                assert!(!blocks.largest_product(&values, &sizes).is_finite());
                assert!(blocks.face_forward(&left));
                let mut back = vec![0.0; pattern.len()];
                blocks.sets().scatter_entries(&left, &mut back);
                assert_eq!(back, near);
                let last = pattern.row(rows - 1);
                back[last].iter_mut().for_each(|entry| *entry = -*entry);
                blocks.sets().gather_entries(&back, &mut left);
                assert!(!blocks.face_forward(&left));
            }
        }
    }
}
