use crate::error::{Begun, StartError};
use crate::method::force_error::{CONSTANT_MASS, no_factors};
use crate::sparse::{SymmetricMatrix, components, reciprocals};
use crate::system::Natural;
use nalgebra::{DMatrix, Dyn, SymmetricEigen};

/// The most degrees of freedom that the mass may couple: their eigenvectors are a dense matrix.
const LARGEST_BLOCK: usize = 64;

/// The most iterations for the eigenvalues; two or three for each suffice in practice.
const ITERATIONS: usize = 50 * LARGEST_BLOCK;

/// The eigenvectors of the mass, block by block, and its eigenvalues.
#[derive(Debug)]
pub(super) struct Modes {
    masses: Vec<f64>,
    blocks: Vec<CoupledBlock>,
    /// The entries of one block.
    copy: Vec<f64>,
}

/// Coupled degrees of freedom; a diagonal mass has no blocks.
#[derive(Debug)]
struct CoupledBlock {
    indices: Vec<usize>,
    /// The eigenvectors as columns.
    vectors: DMatrix<f64>,
}

impl Modes {
    pub(super) fn of<S: Natural + ?Sized>(system: &S) -> Begun<Self> {
        let mass = system.mass();
        let singular = |pivot, index| no_factors(system, CONSTANT_MASS, (pivot, index));
        if mass.is_diagonal() {
            reciprocals(&mass.values).map_err(|error| singular(error.pivot, error.index))?;
            return Ok(Self { masses: mass.values.clone(), blocks: Vec::new(), copy: Vec::new() });
        }
        let coupled = components(&mass.pattern).members();
        if let Some(block) = coupled.iter().find(|block| block.len() > LARGEST_BLOCK) {
            return Err(StartError::MassTooCoupled {
                system: system.name().to_owned(),
                coordinate: block.first().map_or_else(String::new, |&index| system.layout().name_of(index)),
                coupled: block.len(),
                most: LARGEST_BLOCK,
            });
        }
        let mut modes =
            Self { masses: vec![0.0; mass.pattern.dimension()], blocks: Vec::new(), copy: Vec::new() };
        for indices in coupled {
            let Some(SymmetricEigen { eigenvalues, eigenvectors }) = eigenvectors(mass, &indices) else {
                return Err(singular(f64::NAN, indices.first().copied().unwrap_or_default()));
            };
            for (&index, &value) in indices.iter().zip(&eigenvalues) {
                if !(value > 0.0 && value.is_finite()) {
                    return Err(singular(value, index));
                }
                modes.masses[index] = value;
            }
            if indices.len() > 1 {
                modes.copy.resize(modes.copy.len().max(indices.len()), 0.0);
                modes.blocks.push(CoupledBlock { indices, vectors: eigenvectors });
            }
        }
        Ok(modes)
    }

    /// True if the mass couples coordinates.
    pub(super) fn are_coupled(&self) -> bool {
        !self.blocks.is_empty()
    }

    pub(super) fn masses(&self) -> &[f64] {
        &self.masses
    }

    /// v ← Vᵀ v: the amplitudes of the modes.
    pub(super) fn resolve(&mut self, v: &mut [f64]) {
        self.each_block(v, |block, row, column| block.vectors[(column, row)]);
    }

    /// v ← V v: from the amplitudes of the modes.
    pub(super) fn combine(&mut self, v: &mut [f64]) {
        self.each_block(v, |block, row, column| block.vectors[(row, column)]);
    }

    fn each_block(&mut self, v: &mut [f64], entry: impl Fn(&CoupledBlock, usize, usize) -> f64) {
        for block in &self.blocks {
            for (copy, &index) in self.copy.iter_mut().zip(&block.indices) {
                *copy = v[index];
            }
            for (row, &index) in block.indices.iter().enumerate() {
                let entries = self.copy.iter().take(block.indices.len()).enumerate();
                v[index] = entries.map(|(column, value)| entry(block, row, column) * value).sum();
            }
        }
    }
}

/// The eigenvalues and eigenvectors of a diagonal block of the mass; `None` if it is not finite.
fn eigenvectors(mass: &SymmetricMatrix, indices: &[usize]) -> Option<SymmetricEigen<f64, Dyn>> {
    let block = DMatrix::from_fn(indices.len(), indices.len(), |row, column| {
        mass.pattern.position(indices[row], indices[column]).map_or(0.0, |place| mass.values[place])
    });
    SymmetricEigen::try_new(block, f64::EPSILON, ITERATIONS)
}
