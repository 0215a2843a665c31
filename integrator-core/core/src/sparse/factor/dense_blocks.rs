//! Independent dense blocks: A = L D U of a small matrix for each connected component, eight of one size
//! at a time.
//!
//! Rigid molecules use it: each is a block of the matrix of constraints.
//!
//! The same entry of eight blocks stands side by side, so that one pass of the loops below eliminates in
//! all of them: each operation is one of a SIMD register.
//! Each block has the operations and the order of a block alone, so neither the registers at hand nor
//! the blocks beside it change its bits.

use super::kernel::{Elimination, Entries, Factor, FactorError, Factored};
use crate::lanes::{Registers, Width};
use crate::sparse::order::Components;
use crate::sparse::pattern::SymmetricPattern;
use pulp::{Simd, WithSimd};

/// The most unknowns of a block.
pub(super) const LARGEST: usize = 12;
/// How many blocks stand side by side.
const LANES: usize = 8;

/// One number of eight blocks.
///
/// Aligned to a cache line: a register that straddles two is moved at half the speed.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
struct Eight([f64; LANES]);

/// One number of each unknown of eight blocks.
type BlockUnknowns = [Eight; LARGEST];

/// The triangles of all blocks, in groups of eight.
#[derive(Debug)]
pub(super) struct DenseBlocks {
    groups: Vec<BlockGroup>,
    count: usize,
    largest: usize,
    /// Where each entry of the pattern goes, by number.
    scatter: Vec<u32>,
    /// The matrices: lower triangles by columns, and upper
    /// ones by rows, where there are unsymmetric matrices.
    values: [Vec<Eight>; 2],
    /// Their factors: D⁻¹ on the diagonal, L below, U above.
    factors: [Vec<Eight>; 2],
    /// True if the last matrices were symmetric.
    symmetric: bool,
    registers: Option<Registers>,
}

/// Up to eight blocks of one size.
#[derive(Debug)]
struct BlockGroup {
    size: usize,
    /// Where its triangles begin.
    start: usize,
    /// The unknowns of each block, ascending; the last block stands in the lanes that are left over.
    members: Vec<[u32; LANES]>,
    /// How many blocks there are; the matrices of the other lanes are unit matrices.
    blocks: usize,
}

/// Where a column of a lower triangle of this size begins, column by column.
#[inline(always)]
fn column_start(size: usize, column: usize) -> usize {
    column * (2 * size + 1 - column) / 2
}

impl DenseBlocks {
    pub(super) fn new(pattern: &SymmetricPattern, components: &Components, square: bool) -> Self {
        let mut blocks = components.members();
        blocks.sort_by_key(Vec::len);
        let of_one_size = blocks.chunk_by(|a, b| a.len() == b.len());
        let mut groups: Vec<BlockGroup> = Vec::new();
        let mut unit = Vec::new();
        // Group, lane and number in the block of each unknown.
        let mut places = vec![(0, 0, 0); pattern.dimension()];
        for blocks in of_one_size.flat_map(|blocks| blocks.chunks(LANES)) {
            let size = blocks[0].len();
            let mut members = vec![[0; LANES]; size];
            for (lane, block) in blocks.iter().enumerate() {
                for (local, &unknown) in block.iter().enumerate() {
                    members[local][lane..].fill(unknown as u32);
                    places[unknown] = (groups.len(), lane, local);
                }
            }
            groups.push(BlockGroup { size, start: unit.len(), members, blocks: blocks.len() });
            for column in 0..size {
                let mut one = Eight::ZERO;
                one.0[blocks.len()..].fill(1.0);
                unit.push(one);
                unit.resize(unit.len() + size - 1 - column, Eight::ZERO);
            }
        }
        let place = |(row, column): (usize, usize)| {
            let ((group, lane, row), (_, _, column)) = (places[row], places[column]);
            let BlockGroup { size, start, .. } = groups[group];
            ((start + column_start(size, column) + row - column) * LANES + lane) as u32
        };
        let scatter = pattern.entries().map(place).collect();
        let upper = if square { unit.clone() } else { Vec::new() };
        Self {
            count: components.sizes.len(),
            largest: components.largest(),
            groups,
            scatter,
            factors: [unit.clone(), upper.clone()],
            values: [unit, upper],
            symmetric: true,
            registers: Width::widest().registers(),
        }
    }

    fn run<W: WithSimd>(&self, work: W) -> W::Output {
        match self.registers {
            Some(registers) => registers.run(work),
            None => work.with_simd(pulp::Scalar512b),
        }
    }
}

impl Factor for DenseBlocks {
    fn factor(&mut self, entries: &Entries<'_>) -> Factored {
        self.symmetric = entries.upper.is_none();
        for (triangles, values) in self.values.iter_mut().zip([Some(entries.lower), entries.upper]) {
            for (&place, &value) in self.scatter.iter().zip(values.unwrap_or_default()) {
                triangles[place as usize / LANES].0[place as usize % LANES] = value;
            }
        }
        let mut factors = std::mem::take(&mut self.factors);
        let outcome = self.run(EliminateBlocks { blocks: self, entries, factors: &mut factors });
        self.factors = factors;
        outcome
    }

    fn solve(&mut self, x: &mut [f64]) {
        self.run(Substitute { blocks: self, x });
    }

    fn elimination(&self) -> Elimination {
        Elimination::Blocks { count: self.count, largest: self.largest }
    }

    fn residual(&self, _: &Entries<'_>, x: &[f64], b: &[f64], residual: &mut [f64]) {
        self.run(FindResidual { blocks: self, x, b, residual });
    }
}

/// The number of unknowns of a block, known to the compiler or not.
trait Size: Copy {
    fn get(self) -> usize;
}

/// The size of a few points in the plane or in space, or
/// of their distances: their numbers stay in registers.
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

/// Runs `$body` with the size of a group, a usual one known to the compiler.
macro_rules! with_size {
    ($size:expr, |$fixed:ident| $body:expr) => {
        with_size!(@ $size, $fixed, $body, 3, 4, 6, 9, 12)
    };
    (@ $size:expr, $fixed:ident, $body:expr, $($usual:literal),*) => {
        match $size {
            $($usual => {
                let $fixed = Fixed::<$usual>;
                $body
            })*
            $fixed => $body,
        }
    };
}

/// A = L D U, for all groups, in a function with the instructions of the registers at hand.
struct EliminateBlocks<'a> {
    blocks: &'a DenseBlocks,
    entries: &'a Entries<'a>,
    factors: &'a mut [Vec<Eight>; 2],
}

impl WithSimd for EliminateBlocks<'_> {
    type Output = Factored;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Self::Output {
        let Self { blocks: DenseBlocks { groups, values, symmetric, .. }, entries, factors } = self;
        for group in groups {
            let values = values.each_ref().map(|values| values.get(group.start..).unwrap_or_default());
            let factors =
                factors.each_mut().map(|factors| factors.get_mut(group.start..).unwrap_or_default());
            let pivots = with_size!(group.size, |size| eliminate(size, *symmetric, values, factors));
            check(entries, group, values[0], &pivots)?;
        }
        Ok(())
    }
}

/// Eliminates in the lower triangle, and in the upper one unless it is its mirror image; the pivots.
#[inline(always)]
fn eliminate(
    size: impl Size,
    symmetric: bool,
    values: [&[Eight]; 2],
    factors: [&mut [Eight]; 2],
) -> BlockUnknowns {
    let [lower, upper] = factors;
    let (mut pivots, mut inverses) = ([Eight::ZERO; LARGEST], [Eight::ZERO; LARGEST]);
    for column in 0..size.get() {
        let other = if symmetric { &*lower } else { &*upper };
        let below = eliminated(size, column, values[0], lower, other, &inverses);
        if !symmetric {
            // With the diagonal, which is not used.
            let above = eliminated(size, column, values[1], upper, lower, &inverses);
            put(size, column, &above, upper);
        }
        pivots[column] = below[column];
        inverses[column] = below[column].reciprocal();
        put(size, column, &below, lower);
    }
    finish(size, &inverses, lower);
    if !symmetric {
        finish(size, &inverses, upper);
    }
    pivots
}

/// A column of L D, or of (D U)ᵀ, after the elimination of the columns before it.
#[inline(always)]
fn eliminated(
    size: impl Size,
    column: usize,
    values: &[Eight],
    own: &[Eight],
    other: &[Eight],
    inverses: &BlockUnknowns,
) -> BlockUnknowns {
    let size = size.get();
    let mut entries = [Eight::ZERO; LARGEST];
    entries[column..size].copy_from_slice(&values[column_start(size, column)..][..size - column]);
    for k in 0..column {
        let start = column_start(size, k);
        let factor = other[start + column - k].times(inverses[k]);
        for (entry, before) in entries[column..size].iter_mut().zip(&own[start + column - k..]) {
            entry.subtract(factor, *before);
        }
    }
    entries
}

#[inline(always)]
fn put(size: impl Size, column: usize, entries: &BlockUnknowns, triangle: &mut [Eight]) {
    let size = size.get();
    triangle[column_start(size, column)..][..size - column].copy_from_slice(&entries[column..size]);
}

/// L from L D, with D⁻¹ on the diagonal.
#[inline(always)]
fn finish(size: impl Size, inverses: &BlockUnknowns, triangle: &mut [Eight]) {
    let size = size.get();
    for column in 0..size {
        let entries = &mut triangle[column_start(size, column)..][..size - column];
        entries[0] = inverses[column];
        for entry in &mut entries[1..] {
            *entry = entry.times(inverses[column]);
        }
    }
}

/// True if all pivots are large enough.
#[inline(always)]
fn check(entries: &Entries<'_>, group: &BlockGroup, values: &[Eight], pivots: &BlockUnknowns) -> Factored {
    let size = group.size;
    let mut scale = Eight::ZERO;
    for entry in &values[..column_start(size, size)] {
        for lane in 0..LANES {
            let magnitude = entry.0[lane].abs();
            scale.0[lane] = if magnitude > scale.0[lane] { magnitude } else { scale.0[lane] };
        }
    }
    for (members, pivots) in group.members.iter().zip(pivots) {
        let mut all = true;
        for lane in 0..LANES {
            all &= entries.acceptable(pivots.0[lane], scale.0[lane]);
        }
        if !all {
            let bad = (0..LANES).find(|lane| !entries.acceptable(pivots.0[*lane], scale.0[*lane]));
            let lane = bad.unwrap_or_default();
            return Err(FactorError { pivot: pivots.0[lane], index: members[lane] as usize });
        }
    }
    Ok(())
}

/// L D U x = b, for all groups.
struct Substitute<'a> {
    blocks: &'a DenseBlocks,
    x: &'a mut [f64],
}

impl WithSimd for Substitute<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let DenseBlocks { groups, factors: [lower, upper], symmetric, .. } = self.blocks;
        let upper = if *symmetric { lower } else { upper };
        for group in groups {
            let (lower, upper) = (&lower[group.start..], &upper[group.start..]);
            with_size!(group.size, |size| {
                let mut x = gather(size, self.x, group);
                substitute(size, lower, upper, &mut x);
                scatter(size, &x, group, self.x);
            });
        }
    }
}

/// x ← U⁻¹ D⁻¹ L⁻¹ x.
#[inline(always)]
fn substitute(size: impl Size, lower: &[Eight], upper: &[Eight], x: &mut BlockUnknowns) {
    let size = size.get();
    for column in 0..size {
        let known = x[column];
        let entries = &lower[column_start(size, column)..][..size - column];
        for (x, entry) in x[column + 1..size].iter_mut().zip(&entries[1..]) {
            x.subtract(*entry, known);
        }
        x[column] = known.times(entries[0]);
    }
    for row in (0..size).rev() {
        let mut sum = x[row];
        // The last known unknown comes last.
        for column in (row + 1..size).rev() {
            sum.subtract(upper[column_start(size, row) + column - row], x[column]);
        }
        x[row] = sum;
    }
}

/// b − A x, for all groups.
struct FindResidual<'a> {
    blocks: &'a DenseBlocks,
    x: &'a [f64],
    b: &'a [f64],
    residual: &'a mut [f64],
}

impl WithSimd for FindResidual<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let DenseBlocks { groups, values: [lower, upper], symmetric, .. } = self.blocks;
        let upper = if *symmetric { lower } else { upper };
        for group in groups {
            let (lower, upper) = (&lower[group.start..], &upper[group.start..]);
            with_size!(group.size, |size| {
                let x = gather(size, self.x, group);
                let mut residual = gather(size, self.b, group);
                subtract_product(size, lower, upper, &x, &mut residual);
                scatter(size, &residual, group, self.residual);
            });
        }
    }
}

/// r ← r − A x.
#[inline(always)]
fn subtract_product(
    size: impl Size,
    lower: &[Eight],
    upper: &[Eight],
    x: &BlockUnknowns,
    residual: &mut BlockUnknowns,
) {
    let size = size.get();
    for column in 0..size {
        let start = column_start(size, column);
        residual[column].subtract(lower[start], x[column]);
        for row in column + 1..size {
            residual[column].subtract(upper[start + row - column], x[row]);
            residual[row].subtract(lower[start + row - column], x[column]);
        }
    }
}

/// The unknowns of a group.
#[inline(always)]
fn gather(size: impl Size, from: &[f64], group: &BlockGroup) -> BlockUnknowns {
    let mut values = [Eight::ZERO; LARGEST];
    for (value, places) in values[..size.get()].iter_mut().zip(&group.members) {
        for lane in 0..LANES {
            value.0[lane] = from[places[lane] as usize];
        }
    }
    values
}

/// The lanes beyond the last block, whose matrices are others, are not written.
#[inline(always)]
fn scatter(size: impl Size, values: &BlockUnknowns, group: &BlockGroup, to: &mut [f64]) {
    for (value, places) in values[..size.get()].iter().zip(&group.members) {
        // A loop of known length is unrolled.
        if group.blocks == LANES {
            for lane in 0..LANES {
                to[places[lane] as usize] = value.0[lane];
            }
        } else {
            for lane in 0..group.blocks {
                to[places[lane] as usize] = value.0[lane];
            }
        }
    }
}

impl Eight {
    const ZERO: Self = Self([0.0; LANES]);

    #[inline(always)]
    fn times(mut self, other: Self) -> Self {
        for lane in 0..LANES {
            self.0[lane] *= other.0[lane];
        }
        self
    }

    #[inline(always)]
    fn reciprocal(mut self) -> Self {
        for lane in 0..LANES {
            self.0[lane] = 1.0 / self.0[lane];
        }
        self
    }

    /// The number minus a b.
    #[inline(always)]
    fn subtract(&mut self, a: Self, b: Self) {
        for lane in 0..LANES {
            self.0[lane] -= a.0[lane] * b.0[lane];
        }
    }
}
