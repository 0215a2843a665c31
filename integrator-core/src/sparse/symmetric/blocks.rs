//! Independent dense blocks: one small L D Lᵀ for each connected component, eight of one size at a time.
//!
//! The same entry of eight blocks stands side by side, so that one pass of the loops below eliminates in all of them: each
//! operation is one of a SIMD register. The operations of a block and their order are those of the block alone, so neither the
//! registers at hand nor the blocks beside it change its bits.

use super::order::Components;
use super::{FactorError, acceptable};
use crate::lanes::{Eight, MOST_LANES, Registers, Width};
use crate::sparse::SymmetricPattern;
use pulp::{Simd, WithSimd};

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
    /// The right-hand sides and the residuals of a group.
    local: Vec<Eight>,
    residuals: Vec<Eight>,
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
            local: zeros(largest),
            residuals: zeros(largest),
            registers: Width::widest().registers(),
        }
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    pub(super) fn largest(&self) -> usize {
        self.largest
    }

    pub(super) fn factor(&mut self, values: &[f64]) -> Result<(), FactorError> {
        for (&place, &value) in self.scatter.iter().zip(values) {
            let place = place as usize;
            self.values[place / MOST_LANES][place % MOST_LANES] = value;
        }
        self.factors.copy_from_slice(&self.values);
        let work = Factor { groups: &self.groups, values: &mut self.factors };
        match self.registers {
            Some(registers) => registers.run(work),
            None => work.run(),
        }
    }

    pub(super) fn solve(&mut self, x: &mut [f64]) {
        let work = Solve { groups: &self.groups, values: &self.factors, local: &mut self.local, x };
        match self.registers {
            Some(registers) => registers.run(work),
            None => work.run(),
        }
    }

    /// b − A x, written over `residual`.
    pub(super) fn residual(&mut self, x: &[f64], b: &[f64], residual: &mut [f64]) {
        let Self { groups, values, local, residuals, .. } = self;
        let work = Residual { groups, values, local, residuals, x, b, out: residual };
        match self.registers {
            Some(registers) => registers.run(work),
            None => work.run(),
        }
    }
}

/// Where a column of a lower triangle begins.
#[inline(always)]
fn column_start(size: usize, column: usize) -> usize {
    column * (2 * size + 1 - column) / 2
}

/// A = L D Lᵀ in place, for all groups.
struct Factor<'a> {
    groups: &'a [Group],
    values: &'a mut [Eight],
}

impl WithSimd for Factor<'_> {
    type Output = Result<(), FactorError>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Self::Output {
        self.run()
    }
}

impl Factor<'_> {
    #[inline(always)]
    fn run(self) -> Result<(), FactorError> {
        for group in self.groups {
            let Group { size, start, .. } = *group;
            let triangle = &mut self.values[start..start + size * (size + 1) / 2];
            factor(triangle, size).map_err(|(pivot, row, lane)| FactorError {
                pivot,
                index: group.members[row][lane] as usize,
            })?;
        }
        Ok(())
    }
}

/// Eight triangles in place; on failure a pivot, its row and its lane.
#[inline(always)]
fn factor(triangle: &mut [Eight], size: usize) -> Result<(), (f64, usize, usize)> {
    let mut largest = Eight::ZERO;
    for entry in triangle.iter() {
        for lane in 0..MOST_LANES {
            let magnitude = entry[lane].abs();
            largest[lane] = if magnitude > largest[lane] { magnitude } else { largest[lane] };
        }
    }
    let mut rest = triangle;
    for pivot_row in 0..size {
        let (column, after) = rest.split_at_mut(size - pivot_row);
        let pivot = column[0];
        let mut all_acceptable = true;
        let mut inverse = Eight::ZERO;
        for lane in 0..MOST_LANES {
            all_acceptable &= acceptable(pivot[lane], largest[lane]);
            inverse[lane] = 1.0 / pivot[lane];
        }
        if !all_acceptable {
            let lane = (0..MOST_LANES).find(|&lane| !acceptable(pivot[lane], largest[lane])).unwrap_or(0);
            return Err((pivot[lane], pivot_row, lane));
        }
        let mut first = 0;
        for row in 1..column.len() {
            let below = &column[row..];
            let mut factor = Eight::ZERO;
            for lane in 0..MOST_LANES {
                factor[lane] = below[0][lane] * inverse[lane];
            }
            for (out, value) in after[first..first + below.len()].iter_mut().zip(below) {
                for lane in 0..MOST_LANES {
                    out[lane] -= factor[lane] * value[lane];
                }
            }
            first += below.len();
        }
        for value in &mut column[1..] {
            for lane in 0..MOST_LANES {
                value[lane] *= inverse[lane];
            }
        }
        column[0] = inverse;
        rest = after;
    }
    Ok(())
}

/// L D Lᵀ x = b, for all groups.
struct Solve<'a> {
    groups: &'a [Group],
    values: &'a [Eight],
    local: &'a mut [Eight],
    x: &'a mut [f64],
}

impl WithSimd for Solve<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        self.run();
    }
}

impl Solve<'_> {
    #[inline(always)]
    fn run(self) {
        for Group { size, start, members, blocks } in self.groups {
            let local = &mut self.local[..*size];
            // The lanes beyond the last block solve for what the first unknown is: nobody reads it.
            gather(self.x, members, local);
            solve(&self.values[*start..start + size * (size + 1) / 2], local);
            scatter(local, members, *blocks, self.x);
        }
    }
}

/// b − A x, for all groups.
struct Residual<'a> {
    groups: &'a [Group],
    values: &'a [Eight],
    local: &'a mut [Eight],
    residuals: &'a mut [Eight],
    x: &'a [f64],
    b: &'a [f64],
    out: &'a mut [f64],
}

impl WithSimd for Residual<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        self.run();
    }
}

impl Residual<'_> {
    #[inline(always)]
    fn run(self) {
        for Group { size, start, members, blocks } in self.groups {
            let (x, residuals) = (&mut self.local[..*size], &mut self.residuals[..*size]);
            gather(self.x, members, x);
            gather(self.b, members, residuals);
            let mut rest = &self.values[*start..start + size * (size + 1) / 2];
            for row in 0..*size {
                let (column, after) = rest.split_at(size - row);
                subtract_column(column, &x[row..], &mut residuals[row..]);
                rest = after;
            }
            scatter(residuals, members, *blocks, self.out);
        }
    }
}

/// What the first column of a lower triangle and its mirror image take from the residuals.
#[inline(always)]
fn subtract_column(column: &[Eight], x: &[Eight], residuals: &mut [Eight]) {
    let (known, mut sum) = (x[0], residuals[0]);
    for lane in 0..MOST_LANES {
        sum[lane] -= column[0][lane] * known[lane];
    }
    for ((value, x), residual) in column.iter().zip(x).zip(residuals.iter_mut()).skip(1) {
        for lane in 0..MOST_LANES {
            sum[lane] -= value[lane] * x[lane];
            residual[lane] -= value[lane] * known[lane];
        }
    }
    residuals[0] = sum;
}

#[inline(always)]
fn gather(from: &[f64], members: &[[u32; MOST_LANES]], to: &mut [Eight]) {
    for (to, indices) in to.iter_mut().zip(members) {
        for lane in 0..MOST_LANES {
            to[lane] = from[indices[lane] as usize];
        }
    }
}

#[inline(always)]
fn scatter(from: &[Eight], members: &[[u32; MOST_LANES]], blocks: usize, to: &mut [f64]) {
    for (from, indices) in from.iter().zip(members) {
        // A loop of known length is unrolled.
        if blocks == MOST_LANES {
            for lane in 0..MOST_LANES {
                to[indices[lane] as usize] = from[lane];
            }
        } else {
            for lane in 0..blocks {
                to[indices[lane] as usize] = from[lane];
            }
        }
    }
}

#[inline(always)]
fn solve(triangle: &[Eight], x: &mut [Eight]) {
    let size = x.len();
    let mut rest = triangle;
    for row in 0..size {
        let (column, after) = rest.split_at(size - row);
        let known = x[row];
        for (out, factor) in x[row + 1..].iter_mut().zip(&column[1..]) {
            for lane in 0..MOST_LANES {
                out[lane] -= factor[lane] * known[lane];
            }
        }
        for lane in 0..MOST_LANES {
            x[row][lane] = known[lane] * column[0][lane];
        }
        rest = after;
    }
    for row in (0..size).rev() {
        let column = &triangle[column_start(size, row)..][..size - row];
        let mut sum = x[row];
        for (known, factor) in x[row + 1..].iter().zip(&column[1..]) {
            for lane in 0..MOST_LANES {
                sum[lane] -= factor[lane] * known[lane];
            }
        }
        x[row] = sum;
    }
}
