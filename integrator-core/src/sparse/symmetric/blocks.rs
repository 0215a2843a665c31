//! Independent dense blocks: one small L D Lᵀ for each connected component.

use super::order::Components;
use super::{FactorError, acceptable};
use crate::sparse::SymmetricPattern;

/// Dense lower triangles by columns, one block after the other.
#[derive(Debug)]
pub(super) struct Blocks {
    /// The unknowns of all blocks, one block after the other, ascending within a block.
    members: Vec<u32>,
    /// Where each block begins in `members` and in `values`.
    starts: Vec<(usize, usize)>,
    /// Where each value of the pattern goes.
    scatter: Vec<u32>,
    /// The factors: D⁻¹ on the diagonal, L below.
    values: Vec<f64>,
    largest: usize,
    /// The right-hand side of one block.
    local: Vec<f64>,
}

impl Blocks {
    pub(super) fn new(pattern: &SymmetricPattern, components: &Components) -> Self {
        let mut starts = Vec::with_capacity(components.sizes.len() + 1);
        let (mut member, mut value) = (0, 0);
        for &size in &components.sizes {
            starts.push((member, value));
            member += size;
            value += size * size;
        }
        starts.push((member, value));
        let mut members = vec![0; pattern.dimension()];
        let mut local = vec![0; pattern.dimension()];
        let mut filled = vec![0; components.sizes.len()];
        for (index, &component) in components.of.iter().enumerate() {
            let component = component as usize;
            local[index] = filled[component];
            members[starts[component].0 + filled[component]] = index as u32;
            filled[component] += 1;
        }
        let scatter = pattern
            .entries()
            .map(|(row, column)| {
                let component = components.of[row] as usize;
                (starts[component].1 + local[column] * components.sizes[component] + local[row]) as u32
            })
            .collect();
        let largest = components.largest();
        Self { members, starts, scatter, values: vec![0.0; value], largest, local: vec![0.0; largest] }
    }

    pub(super) fn count(&self) -> usize {
        self.starts.len() - 1
    }

    pub(super) fn largest(&self) -> usize {
        self.largest
    }

    pub(super) fn factor(&mut self, values: &[f64]) -> Result<(), FactorError> {
        self.values.fill(0.0);
        for (&place, &value) in self.scatter.iter().zip(values) {
            self.values[place as usize] = value;
        }
        for pair in self.starts.windows(2) {
            let [(member, value), (next_member, next_value)] = [pair[0], pair[1]];
            let block = &mut self.values[value..next_value];
            factor_dense(block, next_member - member)
                .map_err(|(pivot, row)| FactorError { pivot, index: self.members[member + row] as usize })?;
        }
        Ok(())
    }

    pub(super) fn solve(&mut self, x: &mut [f64]) {
        for pair in self.starts.windows(2) {
            let [(member, value), (next_member, next_value)] = [pair[0], pair[1]];
            let members = &self.members[member..next_member];
            let local = &mut self.local[..members.len()];
            for (slot, &index) in local.iter_mut().zip(members) {
                *slot = x[index as usize];
            }
            solve_dense(&self.values[value..next_value], local);
            for (slot, &index) in local.iter().zip(members) {
                x[index as usize] = *slot;
            }
        }
    }
}

/// A = L D Lᵀ in place, columns of length `size`; on failure the pivot and its row.
fn factor_dense(block: &mut [f64], size: usize) -> Result<(), (f64, usize)> {
    let mut largest = 0.0_f64;
    for value in block.iter() {
        largest = largest.max(value.abs());
    }
    for pivot_column in 0..size {
        let (done, rest) = block.split_at_mut((pivot_column + 1) * size);
        let column = &mut done[pivot_column * size..];
        let pivot = column[pivot_column];
        if !acceptable(pivot, largest) {
            return Err((pivot, pivot_column));
        }
        let inverse = 1.0 / pivot;
        for (offset, target) in rest.chunks_exact_mut(size).enumerate() {
            let row = pivot_column + 1 + offset;
            let factor = column[row] * inverse;
            for (out, &value) in target[row..].iter_mut().zip(&column[row..]) {
                *out -= factor * value;
            }
        }
        for value in &mut column[pivot_column + 1..] {
            *value *= inverse;
        }
        column[pivot_column] = inverse;
    }
    Ok(())
}

fn solve_dense(block: &[f64], x: &mut [f64]) {
    let size = x.len();
    for (index, column) in block.chunks_exact(size).enumerate() {
        let known = x[index];
        for (out, &factor) in x[index + 1..].iter_mut().zip(&column[index + 1..]) {
            *out -= factor * known;
        }
        x[index] = known * column[index];
    }
    for (index, column) in block.chunks_exact(size).enumerate().rev() {
        let mut sum = x[index];
        for (&known, &factor) in x[index + 1..].iter().zip(&column[index + 1..]) {
            sum -= factor * known;
        }
        x[index] = sum;
    }
}
