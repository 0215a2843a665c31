use crate::error::StartError;
use crate::sparse::{SymmetricMatrix, components, reciprocals};
use crate::system::Natural;

/// The most degrees of freedom that the mass may couple: their eigenvectors are a dense matrix.
const LARGEST_BLOCK: usize = 64;

/// Sweeps of Jacobi's method, which converges quadratically: seven suffice in practice.
const SWEEPS: u32 = 50;

/// The eigenvectors of the mass, block by block, and its eigenvalues.
#[derive(Debug)]
pub(super) struct Modes {
    masses: Vec<f64>,
    blocks: Vec<Block>,
    /// The entries of one block.
    copy: Vec<f64>,
}

/// Coupled degrees of freedom; none are kept where the mass is diagonal.
#[derive(Debug)]
struct Block {
    indices: Vec<usize>,
    /// The eigenvectors, by rows.
    vectors: Vec<f64>,
}

impl Modes {
    pub(super) fn of<S: Natural + ?Sized>(system: &S) -> Result<Self, StartError> {
        let mass = system.mass();
        let singular = |pivot: f64, index: usize| StartError::Singular {
            system: system.name().to_owned(),
            matrix: "the mass matrix",
            pivot,
            place: system.layout().name_of(index),
        };
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
            let (values, vectors) = eigenvectors(mass, &indices);
            for (&index, &value) in indices.iter().zip(&values) {
                if !(value > 0.0 && value.is_finite()) {
                    return Err(singular(value, index));
                }
                modes.masses[index] = value;
            }
            if indices.len() > 1 {
                modes.copy.resize(modes.copy.len().max(indices.len()), 0.0);
                modes.blocks.push(Block { indices, vectors });
            }
        }
        Ok(modes)
    }

    /// The mass of each mode.
    pub(super) fn masses(&self) -> &[f64] {
        &self.masses
    }

    /// v ← Vᵀ v: the amplitudes of the modes.
    pub(super) fn resolve(&mut self, v: &mut [f64]) {
        self.each_block(v, |block, row, column| block.vectors[column * block.indices.len() + row]);
    }

    /// v ← V v: from the amplitudes of the modes.
    pub(super) fn combine(&mut self, v: &mut [f64]) {
        self.each_block(v, |block, row, column| block.vectors[row * block.indices.len() + column]);
    }

    fn each_block(&mut self, v: &mut [f64], entry: impl Fn(&Block, usize, usize) -> f64) {
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

/// The eigenvalues and, by rows, the eigenvectors of a diagonal block of the mass, by Jacobi's cyclic method.
fn eigenvectors(mass: &SymmetricMatrix, indices: &[usize]) -> (Vec<f64>, Vec<f64>) {
    let n = indices.len();
    let entry = |(i, j): (usize, usize)| mass.pattern.position(i, j).map_or(0.0, |place| mass.values[place]);
    let mut a: Vec<f64> = (0..n * n).map(|k| entry((indices[k / n], indices[k % n]))).collect();
    let mut vectors: Vec<f64> = (0..n * n).map(|k| if k / n == k % n { 1.0 } else { 0.0 }).collect();
    for _ in 0..SWEEPS {
        let mut rotated = false;
        for p in 0..n {
            for q in p + 1..n {
                let (diagonal, off) = ((a[p * n + p], a[q * n + q]), a[p * n + q]);
                if off.abs() <= 0.1 * f64::EPSILON * (diagonal.0 * diagonal.1).abs().sqrt() {
                    continue;
                }
                rotated = true;
                // The rotation by the smaller angle that makes the entry zero.
                let cotangent = (diagonal.1 - diagonal.0) / (2.0 * off);
                let tangent = cotangent.signum() / (cotangent.abs() + cotangent.hypot(1.0));
                let cosine = 1.0 / tangent.hypot(1.0);
                let sine = tangent * cosine;
                for k in 0..n {
                    rotate(&mut a, k * n + p, k * n + q, cosine, sine);
                    rotate(&mut vectors, k * n + p, k * n + q, cosine, sine);
                }
                for k in 0..n {
                    rotate(&mut a, p * n + k, q * n + k, cosine, sine);
                }
            }
        }
        if !rotated {
            break;
        }
    }
    ((0..n).map(|k| a[k * n + k]).collect(), vectors)
}

fn rotate(matrix: &mut [f64], first: usize, second: usize, cosine: f64, sine: f64) {
    let (x, y) = (matrix[first], matrix[second]);
    matrix[first] = cosine * x - sine * y;
    matrix[second] = sine * x + cosine * y;
}
