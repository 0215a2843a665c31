//! The door to sparse symmetric systems A x = b: analysed once, factored in every step, solved and checked.
//!
//! The structure is chosen by the pattern alone:
//!
//! | pattern | structure | cost of a factorization |
//! |---|---|---|
//! | nothing beside the diagonal | [`Structure::Diagonal`] | n |
//! | connected components of at most 12 unknowns (a molecule each) | [`Structure::Blocks`] | Σ s³/6 |
//! | small bandwidth, as it stands or after reverse Cuthill–McKee (a chain) | [`Structure::Banded`] | n b² |
//! | anything else | [`Structure::General`]: L D Lᵀ after approximate minimum degree | that of the fill |
//!
//! All are A = L D Lᵀ without pivoting, which exists for positive definite matrices and for most indefinite ones.
//! Because it need not be accurate for the latter, no pivot may be tiny beside its row, and every solution is checked
//! by its residual, refined once when that is poor, and refused when it stays so.

mod banded;
mod blocks;
mod general;
mod order;

use super::{Sets, SymmetricPattern};
use crate::lanes::Eight;
use banded::Banded;
use blocks::{Blocks, Measured};
use general::General;
use thiserror::Error;

/// The largest connected component that is treated as a dense block.
const LARGEST_BLOCK: usize = 12;
/// The largest bandwidth for which the band is used whatever the dimension.
const LARGEST_BANDWIDTH: usize = 16;
/// Up to this dimension the matrix is treated as one band, however wide.
const LARGEST_FULL_BAND: usize = 40;
/// A pivot below this fraction of the largest entry of its column is no pivot.
const SMALLEST_PIVOT: f64 = 1e-14;
/// A normwise backward error above this is worth a step of refinement: a few rounding errors.
const REFINE_ABOVE: f64 = 1e-14;
/// A normwise backward error above this after refinement is no solution.
const REFUSE_ABOVE: f64 = 1e-10;

/// A matrix that could not be factored.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[error("singular: the pivot of row {index} is {pivot:.3e}")]
pub struct FactorError {
    /// The pivot; not a number where the matrix was not finite.
    pub pivot: f64,
    /// The row of the pivot, in the numbering of the matrix (in the general form, a row close to it).
    pub index: usize,
}

/// A solution that does not satisfy its equation, even after a step of iterative refinement.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[error("the solution leaves the relative residual {residual:.3e}, worst in row {index}")]
pub struct SolveError {
    /// ‖b − A x‖∞ / (‖A‖∞ ‖x‖∞ + ‖b‖∞).
    pub residual: f64,
    /// The row where |b − A x| is largest.
    pub index: usize,
}

/// What the pattern was found to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Structure {
    /// Nothing beside the diagonal.
    Diagonal,
    /// Independent dense blocks.
    Blocks {
        /// How many.
        count: usize,
        /// The number of unknowns of the largest.
        largest: usize,
    },
    /// A band.
    Banded {
        /// The largest |i − j| of an entry.
        bandwidth: usize,
        /// Whether the unknowns were renumbered to make it small.
        renumbered: bool,
    },
    /// General sparse.
    General,
}

/// The solver of A x = b for matrices A of one pattern.
///
/// # Example
/// ```
/// use integrator_core::sparse::{SymmetricPattern, SymmetricSolver};
///
/// // [ 2 −1 ]
/// // [−1  2 ]
/// let mut solver = SymmetricSolver::analyse(&SymmetricPattern::new(2, [(1, 0)]));
/// solver.factor(&[2.0, -1.0, 2.0])?;
/// let mut x = [1.0, 1.0];
/// solver.solve(&mut x)?;
/// assert!((x[0] - 1.0).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct SymmetricSolver {
    pattern: SymmetricPattern,
    values: Vec<f64>,
    /// The number of entries of the longest column of the lower triangle.
    longest: f64,
    kernel: Kernel,
    check: Check,
}

#[derive(Debug)]
enum Kernel {
    Diagonal,
    Blocks(Blocks),
    Banded(Banded),
    General(Box<General>),
}

impl SymmetricSolver {
    /// Chooses the structure, the order of elimination and all memory.
    pub fn analyse(pattern: &SymmetricPattern) -> Self {
        let dimension = pattern.dimension();
        Self {
            values: vec![0.0; pattern.len()],
            longest: pattern.starts().windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0) as f64,
            kernel: Kernel::choose(pattern),
            check: Check::new(dimension),
            pattern: pattern.clone(),
        }
    }

    /// What the pattern was found to be.
    pub fn structure(&self) -> Structure {
        match &self.kernel {
            Kernel::Diagonal => Structure::Diagonal,
            Kernel::Blocks(blocks) => Structure::Blocks { count: blocks.count(), largest: blocks.largest() },
            Kernel::Banded(band) => {
                Structure::Banded { bandwidth: band.bandwidth(), renumbered: band.renumbered() }
            }
            Kernel::General(_) => Structure::General,
        }
    }

    /// The pattern of the matrices.
    pub fn pattern(&self) -> &SymmetricPattern {
        &self.pattern
    }

    /// Factors the matrix with these values (lower triangle, in the order of the pattern).
    ///
    /// # Errors
    /// A pivot is zero beside its column, or the matrix is not finite.
    pub fn factor(&mut self, values: &[f64]) -> Result<(), FactorError> {
        self.factor_with(|own| own.copy_from_slice(values))
    }

    /// The same, with values that `fill` writes into the solver's own memory.
    ///
    /// # Errors
    /// A pivot is zero beside its column, or the matrix is not finite.
    pub fn factor_with(&mut self, fill: impl FnOnce(&mut [f64])) -> Result<(), FactorError> {
        fill(&mut self.values);
        self.check.norm = self.longest * largest_magnitude(&self.values);
        let (pattern, values) = (&self.pattern, &self.values);
        match &mut self.kernel {
            Kernel::Diagonal => check_diagonal(values),
            Kernel::Blocks(blocks) => blocks.factor(values),
            Kernel::Banded(band) => band.factor(pattern, values),
            Kernel::General(general) => general.factor(pattern, values),
        }
    }

    /// Replaces b by the solution x of A x = b, for the matrix factored last.
    ///
    /// # Errors
    /// The residual is too large after one step of refinement: the matrix is singular to working precision, or
    /// indefinite in a way that needs pivoting.  `rhs` then holds the refused solution.
    pub fn solve(&mut self, rhs: &mut [f64]) -> Result<(), SolveError> {
        if let Kernel::Diagonal = self.kernel {
            for (x, value) in rhs.iter_mut().zip(&self.values) {
                *x /= value;
            }
            return Ok(());
        }
        let Self { pattern, values, kernel, check, .. } = self;
        match kernel {
            Kernel::Blocks(blocks) => check.solve_blocks(blocks, rhs),
            _ => check.solve(&mut Factored { pattern, values, kernel }, rhs),
        }
    }
}

/// The solver of A x = b for matrices A of independent sets of unknowns, whose lower triangles are filled eight sets side by side.
#[derive(Debug)]
pub(crate) struct SetsSolver {
    blocks: Blocks,
    check: Check,
}

impl SetsSolver {
    /// For the columns of these sets; unknowns in none have the entries of this diagonal. `None` where a set is too large to be
    /// treated as dense.
    pub(crate) fn new(sets: &Sets, diagonal: &[f64]) -> Option<Self> {
        let small = sets.shapes.iter().all(|shape| shape.columns <= LARGEST_BLOCK);
        small.then(|| Self { blocks: Blocks::of_sets(sets, diagonal), check: Check::new(diagonal.len()) })
    }

    /// Factors the triangles that `fill` writes, in the order of the sets.
    pub(crate) fn factor_with(&mut self, fill: impl FnOnce(&mut [Eight])) -> Result<(), FactorError> {
        self.blocks.factor_with(fill)?;
        self.check.norm = self.blocks.largest() as f64 * self.blocks.largest_magnitude();
        Ok(())
    }

    /// Replaces b by the solution x of A x = b, as [`SymmetricSolver::solve`] does.
    pub(crate) fn solve(&mut self, rhs: &mut [f64]) -> Result<(), SolveError> {
        self.check.solve_blocks(&self.blocks, rhs)
    }
}

/// A factored matrix.
trait Substitution {
    /// x ← A⁻¹ x.
    fn substitute(&mut self, x: &mut [f64]);
    /// b − A x, written over `residual`.
    fn residual(&mut self, x: &[f64], b: &[f64], residual: &mut [f64]);
}

impl Substitution for &Blocks {
    fn substitute(&mut self, x: &mut [f64]) {
        Blocks::substitute(self, x);
    }

    fn residual(&mut self, x: &[f64], b: &[f64], residual: &mut [f64]) {
        Blocks::residual(self, x, b, residual);
    }
}

/// A matrix with the factors of any structure.
struct Factored<'a> {
    pattern: &'a SymmetricPattern,
    values: &'a [f64],
    kernel: &'a mut Kernel,
}

impl Substitution for Factored<'_> {
    fn substitute(&mut self, x: &mut [f64]) {
        match self.kernel {
            Kernel::Diagonal => {}
            Kernel::Blocks(blocks) => blocks.substitute(x),
            Kernel::Banded(band) => band.solve(x),
            Kernel::General(general) => general.solve(x),
        }
    }

    fn residual(&mut self, x: &[f64], b: &[f64], residual: &mut [f64]) {
        for (out, value) in residual.iter_mut().zip(b) {
            *out = -value;
        }
        self.pattern.multiply_add(self.values, x, residual);
        for out in residual {
            *out = -*out;
        }
    }
}

/// What a solution is checked with.
#[derive(Debug)]
struct Check {
    /// An estimate of ‖A‖∞ for the last factored matrix: its largest entry times the length of its longest column.
    norm: f64,
    right_hand_side: Vec<f64>,
    residual: Vec<f64>,
}

impl Check {
    fn new(dimension: usize) -> Self {
        Self { norm: 0.0, right_hand_side: vec![0.0; dimension], residual: vec![0.0; dimension] }
    }

    /// Solves, and looks closer only where the residual is poor.
    fn solve_blocks(&mut self, blocks: &Blocks, rhs: &mut [f64]) -> Result<(), SolveError> {
        self.right_hand_side.copy_from_slice(rhs);
        let Measured { x, b, residual } = blocks.solve_measured(rhs);
        if residual <= REFINE_ABOVE * (self.norm * x + b) {
            return Ok(());
        }
        rhs.copy_from_slice(&self.right_hand_side);
        self.solve(&mut &*blocks, rhs)
    }

    /// Solves, and refines where the residual is poor.
    fn solve(&mut self, matrix: &mut impl Substitution, rhs: &mut [f64]) -> Result<(), SolveError> {
        self.right_hand_side.copy_from_slice(rhs);
        matrix.substitute(rhs);
        if self.backward_error(matrix, rhs) <= REFINE_ABOVE {
            return Ok(());
        }
        matrix.substitute(&mut self.residual);
        for (x, correction) in rhs.iter_mut().zip(&self.residual) {
            *x += correction;
        }
        let residual = self.backward_error(matrix, rhs);
        // Written so that a residual that is not a number is refused.
        if residual <= REFUSE_ABOVE { Ok(()) } else { Err(SolveError { residual, index: self.worst_row() }) }
    }

    /// ‖b − A x‖∞ / (‖A‖∞ ‖x‖∞ + ‖b‖∞); leaves b − A x in `self.residual`.
    fn backward_error(&mut self, matrix: &mut impl Substitution, x: &[f64]) -> f64 {
        let Self { right_hand_side, residual, norm } = self;
        matrix.residual(x, right_hand_side, residual);
        let largest = largest_magnitude(residual);
        // A comparison skips what is not a number; a sum does not.
        if residual.iter().map(|entry| 0.0 * entry).sum::<f64>() != 0.0 {
            return f64::NAN;
        }
        let scale = *norm * largest_magnitude(x) + largest_magnitude(right_hand_side);
        if largest == 0.0 { 0.0 } else { largest / scale }
    }

    /// The row where the residual is largest, or the first where it is not a number.
    fn worst_row(&self) -> usize {
        let (mut index, mut largest) = (0, 0.0_f64);
        for (row, entry) in self.residual.iter().enumerate() {
            let magnitude = entry.abs();
            if magnitude > largest || (magnitude.is_nan() && !largest.is_nan()) {
                (index, largest) = (row, magnitude);
            }
        }
        index
    }
}

impl Kernel {
    fn choose(pattern: &SymmetricPattern) -> Self {
        if pattern.len() == pattern.dimension() {
            return Self::Diagonal;
        }
        let components = order::components(pattern);
        if components.largest() <= LARGEST_BLOCK {
            return Self::Blocks(Blocks::new(pattern, &components));
        }
        let natural = order::bandwidth(pattern);
        if natural <= LARGEST_BANDWIDTH {
            return Self::Banded(Banded::new(pattern, natural, None));
        }
        let places = order::reverse_cuthill_mckee(pattern);
        let renumbered = order::bandwidth_after(pattern, &places);
        if renumbered <= LARGEST_BANDWIDTH || pattern.dimension() <= LARGEST_FULL_BAND {
            return if renumbered < natural {
                Self::Banded(Banded::new(pattern, renumbered, Some(places)))
            } else {
                Self::Banded(Banded::new(pattern, natural, None))
            };
        }
        // An ordering or an allocation that fails leaves the band, which is correct for any pattern.
        match General::new(pattern) {
            Some(general) => Self::General(Box::new(general)),
            None if renumbered < natural => Self::Banded(Banded::new(pattern, renumbered, Some(places))),
            None => Self::Banded(Banded::new(pattern, natural, None)),
        }
    }
}

fn check_diagonal(values: &[f64]) -> Result<(), FactorError> {
    match values.iter().position(|value| *value == 0.0 || !value.is_finite()) {
        Some(index) => Err(FactorError { pivot: values[index], index }),
        None => Ok(()),
    }
}

/// Whether `pivot` can be divided by, in a column whose largest entry was `scale`.
fn acceptable(pivot: f64, scale: f64) -> bool {
    pivot.is_finite() && pivot.abs() > SMALLEST_PIVOT * scale
}

/// The largest magnitude of what is a number.
fn largest_magnitude(values: &[f64]) -> f64 {
    let larger = |a: f64, b: f64| if b > a { b } else { a };
    let (chunks, rest) = values.as_chunks::<8>();
    // Several at once, so that the loop is vectorized.
    let mut largest = [0.0; 8];
    for chunk in chunks {
        for lane in 0..8 {
            largest[lane] = larger(largest[lane], chunk[lane].abs());
        }
    }
    largest.into_iter().chain(rest.iter().map(|value| value.abs())).fold(0.0, larger)
}

#[cfg(test)]
mod tests;
