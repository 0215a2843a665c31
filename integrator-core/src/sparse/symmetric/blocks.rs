//! Independent dense blocks: one small L D Lᵀ for each connected component, eight of one size at a time.
//!
//! The same entry of eight blocks stands side by side, so that one pass of the loops below eliminates in all of them: each
//! operation is one of a SIMD register. The operations of a block and their order are those of the block alone, so neither the
//! registers at hand nor the blocks beside it change its bits.

use super::order::Components;
use super::{FactorError, acceptable};
use crate::lanes::{MOST_LANES, Registers, Width};
use crate::sparse::SymmetricPattern;
use pulp::{Simd, WithSimd};

/// The same number of eight blocks.
type Eight = [f64; MOST_LANES];

/// Lower triangles by columns, in groups of eight blocks.
#[derive(Debug)]
pub(super) struct Blocks {
    groups: Vec<Group>,
    count: usize,
    largest: usize,
    /// Where each value of the pattern goes in `values`, by number.
    scatter: Vec<u32>,
    /// The factors: D⁻¹ on the diagonal, L below.
    values: Vec<Eight>,
    /// The right-hand sides of a group.
    local: Vec<Eight>,
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
        Self {
            groups,
            count: components.sizes.len(),
            largest,
            scatter,
            values: vec![[0.0; MOST_LANES]; length],
            local: vec![[0.0; MOST_LANES]; largest],
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
        let flat = self.values.as_flattened_mut();
        flat.fill(0.0);
        for (&place, &value) in self.scatter.iter().zip(values) {
            flat[place as usize] = value;
        }
        for group in &self.groups {
            for column in 0..group.size {
                self.values[group.start + column_start(group.size, column)][group.blocks..].fill(1.0);
            }
        }
        let work = Factor { groups: &self.groups, values: &mut self.values };
        match self.registers {
            Some(registers) => registers.run(work),
            None => work.run(),
        }
    }

    pub(super) fn solve(&mut self, x: &mut [f64]) {
        let work = Solve { groups: &self.groups, values: &self.values, local: &mut self.local, x };
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
    let mut largest = [0.0_f64; MOST_LANES];
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
        if let Some(lane) = (0..MOST_LANES).find(|&lane| !acceptable(pivot[lane], largest[lane])) {
            return Err((pivot[lane], pivot_row, lane));
        }
        let mut inverse = [0.0; MOST_LANES];
        for lane in 0..MOST_LANES {
            inverse[lane] = 1.0 / pivot[lane];
        }
        let mut first = 0;
        for row in 1..column.len() {
            let below = &column[row..];
            let mut factor = [0.0; MOST_LANES];
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
            for (slot, indices) in local.iter_mut().zip(members) {
                // The lanes beyond the last block solve for what the first unknown is: nobody reads it.
                for lane in 0..MOST_LANES {
                    slot[lane] = self.x[indices[lane] as usize];
                }
            }
            solve(&self.values[*start..start + size * (size + 1) / 2], local);
            for (slot, indices) in local.iter().zip(members) {
                for lane in 0..*blocks {
                    self.x[indices[lane] as usize] = slot[lane];
                }
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
