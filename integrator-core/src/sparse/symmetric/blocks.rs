//! Independent dense blocks: one small L D Lᵀ for each connected component, eight of one size at a time.
//!
//! The same entry of eight blocks stands side by side, so that one pass of the loops below eliminates in all of them: each
//! operation is one of a SIMD register. The operations of a block and their order are those of the block alone, so neither the
//! registers at hand nor the blocks beside it change its bits.

use super::order::Components;
use super::{FactorError, LARGEST_BLOCK, SMALLEST_PIVOT, acceptable};
use crate::lanes::{Eight, Lanes, MOST_LANES, Real, Registers, Width, parts};
use crate::sparse::SymmetricPattern;
use crate::sparse::sets::{Sets, column_start, eight, put};
use pulp::{Scalar512b, Simd, WithSimd};

/// Lower triangles by columns, in groups of eight blocks.
#[derive(Debug)]
pub(super) struct Blocks {
    groups: Vec<Group>,
    count: usize,
    largest: usize,
    /// Where each value of the pattern goes in `values`, by number.
    scatter: Vec<u32>,
    /// The matrices.
    values: Vec<Eight>,
    /// Their factors: D⁻¹ on the diagonal, L below.
    factors: Vec<Eight>,
    registers: Option<Registers>,
}

/// Up to eight blocks of one size.
#[derive(Debug)]
struct Group {
    size: usize,
    /// Where its triangles begin in `values`.
    start: usize,
    /// The unknowns of each block, ascending.
    members: Vec<[u32; MOST_LANES]>,
    /// How many blocks there are; the lanes beyond hold the unit matrix.
    blocks: usize,
}

impl Blocks {
    pub(super) fn new(pattern: &SymmetricPattern, components: &Components) -> Self {
        let largest = components.largest();
        let mut groups: Vec<Group> = Vec::new();
        // The group that is being filled, for each size.
        let mut open: Vec<Option<usize>> = vec![None; largest + 1];
        let mut length = 0;
        let mut place_of = Vec::with_capacity(components.sizes.len());
        for &size in &components.sizes {
            let full = |group: &usize| groups[*group].blocks == MOST_LANES;
            if open[size].as_ref().is_none_or(full) {
                open[size] = Some(groups.len());
                groups.push(Group { size, start: length, members: vec![[0; MOST_LANES]; size], blocks: 0 });
                length += size * (size + 1) / 2;
            }
            let group = open[size].unwrap_or_default();
            place_of.push((group, groups[group].blocks));
            groups[group].blocks += 1;
        }
        let mut local = vec![0; pattern.dimension()];
        let mut filled = vec![0; components.sizes.len()];
        for (index, &component) in components.of.iter().enumerate() {
            let component = component as usize;
            let (group, lane) = place_of[component];
            local[index] = filled[component];
            groups[group].members[filled[component]][lane] = index as u32;
            filled[component] += 1;
        }
        let scatter = pattern
            .entries()
            .map(|(row, column)| {
                let (group, lane) = place_of[components.of[row] as usize];
                let Group { size, start, .. } = groups[group];
                let entry = start + column_start(size, local[column]) + local[row] - local[column];
                (entry * MOST_LANES + lane) as u32
            })
            .collect();
        let zeros = |length| vec![Eight::ZERO; length];
        let mut values = zeros(length);
        for group in &groups {
            for column in 0..group.size {
                values[group.start + column_start(group.size, column)][group.blocks..].fill(1.0);
            }
        }
        Self {
            groups,
            count: components.sizes.len(),
            largest,
            scatter,
            values,
            factors: zeros(length),
            registers: Width::widest().registers(),
        }
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    pub(super) fn largest(&self) -> usize {
        self.largest
    }

    /// For the triangles of sets of columns, in the order in which the sets have them, and behind them the entries of the
    /// `diagonal` that belong to no set.
    pub(super) fn of_sets(sets: &Sets, diagonal: &[f64]) -> Self {
        let mut values = sets.zero_triangles();
        let mut alone = vec![true; diagonal.len()];
        let mut groups = Vec::with_capacity(sets.groups.len());
        for group in &sets.groups {
            group.columns.iter().flatten().for_each(|column| alone[*column as usize] = false);
            groups.push(Group {
                size: group.columns.len(),
                start: group.first_triangle,
                members: group.columns.clone(),
                blocks: group.sets,
            });
        }
        let alone: Vec<u32> = (0..).zip(alone).filter(|(_, alone)| *alone).map(|(index, _)| index).collect();
        for indices in alone.chunks(MOST_LANES) {
            let (mut members, mut value) = ([0; MOST_LANES], Eight([1.0; MOST_LANES]));
            members[..indices.len()].copy_from_slice(indices);
            value.iter_mut().zip(indices).for_each(|(value, index)| *value = diagonal[*index as usize]);
            groups.push(Group {
                size: 1,
                start: values.len(),
                members: vec![members],
                blocks: indices.len(),
            });
            values.push(value);
        }
        let largest = groups.iter().map(|group| group.size).max().unwrap_or(0);
        Self {
            count: sets.count + alone.len(),
            largest,
            scatter: Vec::new(),
            factors: values.clone(),
            values,
            registers: Width::widest().registers(),
            groups,
        }
    }

    /// The largest magnitude of an entry that is a number.
    pub(super) fn largest_magnitude(&self) -> f64 {
        let mut largest = Eight::ZERO;
        for entry in &self.values {
            for lane in 0..MOST_LANES {
                let magnitude = entry[lane].abs();
                largest[lane] = if magnitude > largest[lane] { magnitude } else { largest[lane] };
            }
        }
        largest.iter().fold(0.0, |a, b| if *b > a { *b } else { a })
    }

    /// Factors the triangles that `fill` writes.
    pub(super) fn factor_with(&mut self, fill: impl FnOnce(&mut [Eight])) -> Result<(), FactorError> {
        fill(&mut self.values);
        self.factor_values()
    }

    pub(super) fn factor(&mut self, values: &[f64]) -> Result<(), FactorError> {
        for (&place, &value) in self.scatter.iter().zip(values) {
            let place = place as usize;
            self.values[place / MOST_LANES][place % MOST_LANES] = value;
        }
        self.factor_values()
    }

    fn factor_values(&mut self) -> Result<(), FactorError> {
        self.factors.copy_from_slice(&self.values);
        let work = Factor { groups: &self.groups, values: &mut self.factors };
        match self.registers {
            Some(registers) => registers.run(work),
            None => work.with_simd(Scalar512b),
        }
    }

    /// x ← A⁻¹ x.
    pub(super) fn substitute(&self, x: &mut [f64]) {
        self.run(Solve { groups: &self.groups, factors: &self.factors, x });
    }

    /// b − A x, written over `residual`.
    pub(super) fn residual(&self, x: &[f64], b: &[f64], residual: &mut [f64]) {
        let Self { groups, values, .. } = self;
        self.run(FindResidual { groups, values, x, b, residual });
    }

    /// x ← A⁻¹ x, with what tells how good the solution is.
    pub(super) fn solve_measured(&self, x: &mut [f64]) -> Measured {
        let Self { groups, values, factors, .. } = self;
        self.run(SolveMeasured { groups, values, factors, x })
    }

    fn run<W: WithSimd>(&self, work: W) -> W::Output {
        match self.registers {
            Some(registers) => registers.run(work),
            None => work.with_simd(Scalar512b),
        }
    }
}

/// Of a solution of A x = b: the largest magnitudes of x, of b, and of b − A x.
#[derive(Debug, Clone, Copy)]
pub(super) struct Measured {
    pub(super) x: f64,
    pub(super) b: f64,
    /// Not a number where any of it is none.
    pub(super) residual: f64,
}

/// The number of unknowns of a block, known to the compiler or not.
trait Size: Copy {
    fn get(self) -> usize;
}

/// That of a few points in the plane or in space: their numbers stay in registers.
#[derive(Clone, Copy)]
struct Fixed<const N: usize>;

impl<const N: usize> Size for Fixed<N> {
    #[inline(always)]
    fn get(self) -> usize {
        N
    }
}

impl Size for usize {
    #[inline(always)]
    fn get(self) -> usize {
        self
    }
}

/// Runs `$body` with the size of a group.
macro_rules! with_size {
    ($size:expr, |$fixed:ident| $body:expr) => {
        match $size {
            4 => {
                let $fixed = Fixed::<4>;
                $body
            }
            6 => {
                let $fixed = Fixed::<6>;
                $body
            }
            9 => {
                let $fixed = Fixed::<9>;
                $body
            }
            12 => {
                let $fixed = Fixed::<12>;
                $body
            }
            $fixed => $body,
        }
    };
}

/// One number of each unknown of a block.
type Unknowns<S> = [Lanes<S>; LARGEST_BLOCK];

/// A = L D Lᵀ in place, for all groups.
struct Factor<'a> {
    groups: &'a [Group],
    values: &'a mut [Eight],
}

impl WithSimd for Factor<'_> {
    type Output = Result<(), FactorError>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Self::Output {
        for group in self.groups {
            let Group { size, start, members, .. } = group;
            for first in parts::<S>(MOST_LANES) {
                let triangle = &mut self.values[*start..];
                with_size!(*size, |size| factor(simd, size, triangle, first)).map_err(|zero| {
                    FactorError { pivot: zero.pivot, index: members[zero.row][first + zero.lane] as usize }
                })?;
            }
        }
        Ok(())
    }
}

/// A pivot that cannot be divided by, in one of the blocks.
struct ZeroInLane {
    row: usize,
    lane: usize,
    pivot: f64,
}

/// Triangles side by side in place, column after column: D⁻¹ on the diagonal, L below.
#[inline(always)]
fn factor<S: Simd>(simd: S, size: impl Size, triangle: &mut [Eight], first: usize) -> Result<(), ZeroInLane> {
    let size = size.get();
    let triangle = &mut triangle[..column_start(size, size)];
    let (zero, one) = (Lanes::splat(simd, 0.0), Lanes::splat(simd, 1.0));
    let mut largest = zero;
    for entry in triangle.iter() {
        let magnitude = entry.part(simd, first).abs();
        largest = Lanes::select(largest.lt(magnitude), magnitude, largest);
    }
    let smallest_pivot = largest * SMALLEST_PIVOT;
    let infinite = Lanes::splat(simd, f64::INFINITY);
    let (mut pivots, mut inverses, mut acceptable): (Unknowns<S>, Unknowns<S>, _) =
        ([zero; LARGEST_BLOCK], [zero; LARGEST_BLOCK], one);
    for column in 0..size {
        let mut entries = [zero; LARGEST_BLOCK];
        for row in column..size {
            entries[row] = triangle[column_start(size, column) + row - column].part(simd, first);
        }
        for k in 0..column {
            let before = &triangle[column_start(size, k)..][..size - k];
            let factor = before[column - k].part(simd, first) * inverses[k];
            for row in column..size {
                entries[row] = entries[row] - factor * before[row - k].part(simd, first);
            }
        }
        let pivot = entries[column];
        pivots[column] = pivot;
        // What is not a number is neither greater nor less.
        let large = smallest_pivot.lt(pivot.abs());
        let good = Lanes::both(large, pivot.abs().lt(infinite));
        acceptable = Lanes::select(good, acceptable, zero);
        inverses[column] = one / pivot;
        for row in column..size {
            triangle[column_start(size, column) + row - column].set_part(entries[row], first);
        }
    }
    if acceptable.total() < Lanes::<S>::COUNT as f64 {
        return Err(first_zero(&pivots[..size], largest));
    }
    for column in 0..size {
        let entries = &mut triangle[column_start(size, column)..][..size - column];
        entries[0].set_part(inverses[column], first);
        for entry in &mut entries[1..] {
            entry.set_part(entry.part(simd, first) * inverses[column], first);
        }
    }
    Ok(())
}

/// The first pivot that cannot be divided by.
#[cold]
fn first_zero<S: Simd>(pivots: &[Lanes<S>], largest: Lanes<S>) -> ZeroInLane {
    let largest = largest.to_array();
    for (row, pivots) in pivots.iter().enumerate() {
        let pivots = pivots.to_array();
        let lane = (0..Lanes::<S>::COUNT).find(|lane| !acceptable(pivots[*lane], largest[*lane]));
        if let Some(lane) = lane {
            return ZeroInLane { row, lane, pivot: pivots[lane] };
        }
    }
    ZeroInLane { row: 0, lane: 0, pivot: f64::NAN }
}

/// L D Lᵀ x = b, for all groups.
struct Solve<'a> {
    groups: &'a [Group],
    factors: &'a [Eight],
    x: &'a mut [f64],
}

impl WithSimd for Solve<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        for group in self.groups {
            for first in parts::<S>(group.blocks) {
                let mut x = gather(simd, self.x, group, first);
                let factors = &self.factors[group.start..];
                with_size!(group.size, |size| solve(simd, size, factors, first, &mut x));
                scatter(&x, group, first, self.x);
            }
        }
    }
}

/// b − A x, for all groups.
struct FindResidual<'a> {
    groups: &'a [Group],
    values: &'a [Eight],
    x: &'a [f64],
    b: &'a [f64],
    residual: &'a mut [f64],
}

impl WithSimd for FindResidual<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        for group in self.groups {
            for first in parts::<S>(group.blocks) {
                let x = gather(simd, self.x, group, first);
                let mut residual = gather(simd, self.b, group, first);
                let values = &self.values[group.start..];
                with_size!(group.size, |size| subtract_product(simd, size, values, first, &x, &mut residual));
                scatter(&residual, group, first, self.residual);
            }
        }
    }
}

/// Both at once.
struct SolveMeasured<'a> {
    groups: &'a [Group],
    values: &'a [Eight],
    factors: &'a [Eight],
    x: &'a mut [f64],
}

impl WithSimd for SolveMeasured<'_> {
    type Output = Measured;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Measured {
        let zero = Lanes::splat(simd, 0.0);
        let (mut of_x, mut of_b, mut of_residual, mut not_numbers) = (zero, zero, zero, zero);
        for group in self.groups {
            for first in parts::<S>(group.blocks) {
                let b = gather(simd, self.x, group, first);
                let (mut x, mut residual) = (b, b);
                let (factors, values) = (&self.factors[group.start..], &self.values[group.start..]);
                with_size!(group.size, |size| {
                    solve(simd, size, factors, first, &mut x);
                    subtract_product(simd, size, values, first, &x, &mut residual);
                });
                for row in 0..group.size {
                    for (largest, number) in
                        [(&mut of_x, x[row]), (&mut of_b, b[row]), (&mut of_residual, residual[row])]
                    {
                        let magnitude = number.abs();
                        *largest = Lanes::select(largest.lt(magnitude), magnitude, *largest);
                    }
                    // A comparison skips what is not a number, and a sum does not.
                    not_numbers = not_numbers + residual[row] * zero;
                }
                scatter(&x, group, first, self.x);
            }
        }
        let (x, b) = (of_x.largest(), of_b.largest());
        Measured { x, b, residual: of_residual.largest() + not_numbers.total() }
    }
}

/// x ← (L D Lᵀ)⁻¹ x.
#[inline(always)]
fn solve<S: Simd>(simd: S, size: impl Size, factors: &[Eight], first: usize, x: &mut Unknowns<S>) {
    let size = size.get();
    let factors = &factors[..column_start(size, size)];
    let at = |row: usize, column: usize| factors[column_start(size, column) + row - column].part(simd, first);
    for column in 0..size {
        for row in column + 1..size {
            x[row] = x[row] - at(row, column) * x[column];
        }
    }
    for column in (0..size).rev() {
        let mut sum = x[column] * at(column, column);
        // What is known last comes last.
        for row in (column + 1..size).rev() {
            sum = sum - at(row, column) * x[row];
        }
        x[column] = sum;
    }
}

/// r ← r − A x.
#[inline(always)]
fn subtract_product<S: Simd>(
    simd: S,
    size: impl Size,
    values: &[Eight],
    first: usize,
    x: &Unknowns<S>,
    residual: &mut Unknowns<S>,
) {
    let size = size.get();
    let values = &values[..column_start(size, size)];
    for column in 0..size {
        let entries = &values[column_start(size, column)..][..size - column];
        residual[column] = residual[column] - entries[0].part(simd, first) * x[column];
        for row in column + 1..size {
            let entry = entries[row - column].part(simd, first);
            residual[column] = residual[column] - entry * x[row];
            residual[row] = residual[row] - entry * x[column];
        }
    }
}

/// What the unknowns of a group are, from lane `first` on; the lanes beyond the last block are never scattered.
#[inline(always)]
fn gather<S: Simd>(simd: S, from: &[f64], group: &Group, first: usize) -> Unknowns<S> {
    let mut values = [Lanes::splat(simd, 0.0); LARGEST_BLOCK];
    for (value, places) in values.iter_mut().zip(&group.members) {
        *value = eight(from, places).part(simd, first);
    }
    values
}

#[inline(always)]
fn scatter<S: Simd>(values: &Unknowns<S>, group: &Group, first: usize, to: &mut [f64]) {
    let lanes = (group.blocks - first).min(Lanes::<S>::COUNT);
    for (values, places) in values.iter().zip(&group.members) {
        let values = values.to_array();
        // A loop of known length is unrolled.
        if lanes == Lanes::<S>::COUNT {
            put(&values[..Lanes::<S>::COUNT], &places[first..][..Lanes::<S>::COUNT], to);
        } else {
            put(&values[..lanes], &places[first..], to);
        }
    }
}
