use super::lu::SparseLu;
use crate::sparse::{RowPattern, SymmetricMatrix};
use thiserror::Error;

/// A mass matrix that is singular or indefinite.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[error("the mass matrix is singular or indefinite: pivot {pivot:.3e} at degree of freedom {index}")]
pub struct SingularMass {
    /// The degree of freedom.
    pub index: usize,
    /// Its pivot.
    pub pivot: f64,
}

/// Coupled degrees of freedom up to this number are inverted as a dense block.
const LARGEST_BLOCK: usize = 12;

/// M⁻¹ in the form that its sparsity allows; explicit where that is sparse, since S = G M⁻¹ Gᵀ is made of its entries.
pub(super) enum InverseMass {
    /// The reciprocals of a diagonal mass.
    Diagonal(Vec<f64>),
    /// Independent small blocks, inverted: all entries of M⁻¹ by rows.
    Blocks { pattern: RowPattern, values: Vec<f64>, copy: Vec<f64> },
    /// A mass whose inverse is dense: factored.
    General(Box<SparseLu>),
}

impl InverseMass {
    pub(super) fn new(mass: &SymmetricMatrix) -> Result<Self, SingularMass> {
        if mass.is_diagonal() {
            return reciprocals(&mass.values).map(Self::Diagonal);
        }
        let blocks = components(mass);
        if blocks.iter().all(|block| block.len() <= LARGEST_BLOCK) {
            return Self::invert(mass, &blocks);
        }
        let entries = full_entries(mass);
        let mut lu = SparseLu::new(mass.pattern.dimension(), &entries)
            .ok_or(SingularMass { index: 0, pivot: f64::NAN })?;
        for (value, &(column, row)) in lu.values.iter_mut().zip(&entries) {
            *value = mass.pattern.position(row, column).map_or(0.0, |k| mass.values[k]);
        }
        lu.factor().map_err(|null| SingularMass { index: null.row, pivot: null.pivot })?;
        Ok(Self::General(Box::new(lu)))
    }

    fn invert(mass: &SymmetricMatrix, blocks: &[Vec<usize>]) -> Result<Self, SingularMass> {
        let dimension = mass.pattern.dimension();
        let pairs = blocks.iter().flat_map(|b| b.iter().flat_map(move |&i| b.iter().map(move |&j| (i, j))));
        let pattern = RowPattern::new(dimension, dimension, pairs);
        let mut values = vec![0.0; pattern.len()];
        for block in blocks {
            let inverse = invert_block(mass, block)?;
            for (row, &i) in block.iter().enumerate() {
                for (column, &j) in block.iter().enumerate() {
                    if let Some(place) = pattern.position(i, j) {
                        values[place] = inverse[row * block.len() + column];
                    }
                }
            }
        }
        Ok(Self::Blocks { pattern, values, copy: vec![0.0; dimension] })
    }

    /// x ← −M⁻¹ x.
    pub(super) fn apply_negative(&mut self, x: &mut [f64]) {
        if let Self::Diagonal(reciprocals) = self {
            apply_negative(reciprocals, x);
        } else {
            self.apply(x);
            x.iter_mut().for_each(|entry| *entry = -*entry);
        }
    }

    /// x ← M⁻¹ x.
    pub(super) fn apply(&mut self, x: &mut [f64]) {
        match self {
            Self::Diagonal(reciprocals) => {
                for (entry, reciprocal) in x.iter_mut().zip(reciprocals) {
                    *entry *= *reciprocal;
                }
            }
            Self::Blocks { pattern, values, copy } => {
                copy.copy_from_slice(x);
                x.fill(0.0);
                pattern.multiply_add(values, copy, x);
            }
            Self::General(lu) => lu.solve(x),
        }
    }
}

/// x ← −M⁻¹ x for a diagonal mass.
pub(super) fn apply_negative(reciprocals: &[f64], x: &mut [f64]) {
    for (entry, reciprocal) in x.iter_mut().zip(reciprocals) {
        *entry *= -*reciprocal;
    }
}

/// The inverse of a diagonal mass.
pub(crate) fn reciprocals(diagonal: &[f64]) -> Result<Vec<f64>, SingularMass> {
    match diagonal.iter().position(|entry| !(*entry > 0.0 && entry.is_finite())) {
        Some(index) => Err(SingularMass { index, pivot: diagonal[index] }),
        None => Ok(diagonal.iter().map(|entry| 1.0 / entry).collect()),
    }
}

/// The entries (column, row) of both triangles, in order.
pub(super) fn full_entries(mass: &SymmetricMatrix) -> Vec<(usize, usize)> {
    let mut entries: Vec<_> = mass.pattern.entries().flat_map(|(i, j)| [(i, j), (j, i)]).collect();
    entries.sort_unstable();
    entries.dedup();
    entries
}

/// The sets of degrees of freedom that the mass couples.
pub(crate) fn components(mass: &SymmetricMatrix) -> Vec<Vec<usize>> {
    fn root(parents: &mut [usize], mut index: usize) -> usize {
        while parents[index] != index {
            parents[index] = parents[parents[index]];
            index = parents[index];
        }
        index
    }
    let dimension = mass.pattern.dimension();
    let mut parents: Vec<usize> = (0..dimension).collect();
    for (i, j) in mass.pattern.entries() {
        let (i, j) = (root(&mut parents, i), root(&mut parents, j));
        parents[i.max(j)] = i.min(j);
    }
    let mut blocks = vec![Vec::new(); dimension];
    for index in 0..dimension {
        let owner = root(&mut parents, index);
        blocks[owner].push(index);
    }
    blocks.retain(|block| !block.is_empty());
    blocks
}

/// The inverse of one diagonal block by Gauss-Jordan elimination, which needs no pivoting for a positive definite one.
fn invert_block(mass: &SymmetricMatrix, block: &[usize]) -> Result<Vec<f64>, SingularMass> {
    let n = block.len();
    let entry = |i: usize, j: usize| {
        mass.pattern.position(block[i], block[j]).map_or(0.0, |place| mass.values[place])
    };
    let mut a: Vec<f64> = (0..n * n).map(|k| entry(k / n, k % n)).collect();
    for k in 0..n {
        let pivot = a[k * n + k];
        if pivot <= 1e-14 * entry(k, k).abs() || !pivot.is_finite() {
            return Err(SingularMass { index: block[k], pivot });
        }
        a[k * n + k] = 1.0;
        for j in 0..n {
            a[k * n + j] /= pivot;
        }
        for i in (0..n).filter(|&i| i != k) {
            let factor = std::mem::replace(&mut a[i * n + k], 0.0);
            for j in 0..n {
                a[i * n + j] -= factor * a[k * n + j];
            }
        }
    }
    Ok(a)
}
