//! The solver of one pattern: chooses a kernel, keeps the matrix, checks solutions.

use super::banded::Banded;
use super::banded_lu::BandedLu;
use super::check::Check;
use super::dense::Dense;
use super::dense_blocks::{self, DenseBlocks};
use super::diagonal::Diagonal;
use super::general::General;
use super::kernel::{Elimination, Entries, Factor, Factored, SolveError};
use super::lu::Lu;
use super::reordered::Reordered;
use super::tridiagonal::Tridiagonal;
use crate::sparse::order;
use crate::sparse::pattern::{SymmetricPattern, placed};

/// Fewer components are not treated as dense blocks: most of eight lanes would idle.
const FEWEST_BLOCKS: usize = 4;
/// The largest bandwidth for which the band of a symmetric matrix is used whatever the dimension.
const LARGEST_BANDWIDTH: usize = 16;
/// The largest bandwidth of an unsymmetric matrix; beyond, it goes to a factorization with pivoting.
const LARGEST_SQUARE_BANDWIDTH: usize = 32;
/// The largest bandwidth of a matrix that needs pivoting: its rows become three times as long.
const LARGEST_PIVOTED_BANDWIDTH: usize = 24;
/// Up to this dimension the matrix is treated as one band, however wide.
const LARGEST_FULL_BAND: usize = 40;
/// Up to this dimension all entries are stored, whatever the pattern.
const LARGEST_SMALL: usize = 6;
/// Up to this dimension the factors of a matrix that needs pivoting are stored whole.
const LARGEST_DENSE: usize = 24;
/// A pivot of an unsymmetric matrix below this part of its column is none: dependent constraints leave
/// more than one rounding error of a pivot.
pub(in crate::sparse) const SMALLEST_PIVOT: f64 = 1e-13;

/// The properties of the matrices beside their pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MatrixKind {
    /// They are symmetric.
    Symmetric,
    /// They are near symmetric, positive definite ones.
    Square,
    /// They may be anything: only pivoting finds their factors.
    Pivoted,
}

/// The solver of A x = b for matrices A of one symmetric pattern.
///
/// # Example
/// ```
/// use least_action::advanced::sparse::{Solver, SymmetricPattern};
///
/// // [ 2 −1 ]
/// // [−1  2 ]
/// let mut solver = Solver::symmetric(&SymmetricPattern::new(2, [(1, 0)]));
/// solver.factor(&[2.0, -1.0, 2.0])?;
/// let mut x = [1.0, 1.0];
/// solver.solve(&mut x)?;
/// assert!((x[0] - 1.0).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Solver {
    kind: MatrixKind,
    pattern: SymmetricPattern,
    /// The lower triangle in the order of the pattern, and behind it the upper one in the same order,
    /// unless they are symmetric.
    values: Vec<f64>,
    /// True if the last factored matrix is the lower triangle and its mirror image.
    mirrored: bool,
    kernel: Box<dyn Factor>,
    check: Check,
    /// A pivot below this part of the largest entry of its column is no pivot.
    smallest_pivot: f64,
}

impl Solver {
    /// For symmetric matrices: chooses the kernel, the order of elimination and all memory.
    pub fn symmetric(pattern: &SymmetricPattern) -> Self {
        Self::new(pattern, MatrixKind::Symmetric, choose(pattern, false))
    }

    /// For matrices near symmetric, positive definite ones.
    pub fn square(pattern: &SymmetricPattern) -> Self {
        Self::new(pattern, MatrixKind::Square, choose(pattern, true))
    }

    /// For matrices near symmetric, positive definite ones, with the unknowns at these places; `None`
    /// where that makes no narrow band.
    pub(crate) fn in_order(pattern: &SymmetricPattern, places: Vec<u32>) -> Option<Self> {
        let width = order::bandwidth_after(pattern, &places);
        (width <= LARGEST_BANDWIDTH).then(|| {
            let kernel = Reordered::new(pattern, places, true, |pattern| band(pattern, width, true));
            Self::new(pattern, MatrixKind::Square, Box::new(kernel))
        })
    }

    /// For any matrices. `None` when there is no memory.
    ///
    /// The memory of the factors is taken in the first factorization, and more only when pivoting makes
    /// them fuller than ever before.
    pub fn pivoted(pattern: &SymmetricPattern) -> Option<Self> {
        if pattern.dimension() <= LARGEST_SMALL {
            return Some(Self::new(pattern, MatrixKind::Pivoted, Box::new(Dense::pivoted(pattern))));
        }
        Some(Self::new(pattern, MatrixKind::Pivoted, Box::new(Lu::new(pattern)?)))
    }

    /// As [`pivoted`](Self::pivoted), in less time for matrices
    /// that are small, or narrow after reverse Cuthill–McKee.
    pub fn unsymmetric(pattern: &SymmetricPattern) -> Option<Self> {
        if pattern.dimension() <= LARGEST_DENSE {
            return Some(Self::new(pattern, MatrixKind::Pivoted, Box::new(Dense::pivoted(pattern))));
        }
        let places = order::reverse_cuthill_mckee(pattern);
        let bandwidth = order::bandwidth_after(pattern, &places).max(1);
        if bandwidth > LARGEST_PIVOTED_BANDWIDTH {
            return Self::pivoted(pattern);
        }
        let band = |pattern: &SymmetricPattern| Box::new(BandedLu::new(pattern, bandwidth)) as _;
        Some(Self::new(pattern, MatrixKind::Pivoted, Box::new(Reordered::new(pattern, places, true, band))))
    }

    fn new(pattern: &SymmetricPattern, kind: MatrixKind, kernel: Box<dyn Factor>) -> Self {
        let triangles = if kind == MatrixKind::Symmetric { 1 } else { 2 };
        Self {
            kind,
            values: vec![0.0; triangles * pattern.len()],
            mirrored: true,
            kernel,
            check: Check::new(pattern),
            smallest_pivot: if kind == MatrixKind::Symmetric { 1e-14 } else { SMALLEST_PIVOT },
            pattern: pattern.clone(),
        }
    }

    /// Factors whatever has no pivot that is zero: for an iteration that judges the solutions.
    pub(crate) fn accept_small_pivots(&mut self) {
        self.smallest_pivot = 0.0;
    }

    /// Refuses pivots below this part of the largest entry of
    /// their column, as of rows that depend on each other.
    pub(crate) fn demand_pivots(&mut self, least: f64) {
        self.smallest_pivot = least;
    }

    /// The elimination that the pattern leads to.
    pub fn elimination(&self) -> Elimination {
        self.kernel.elimination()
    }

    /// True if the factors of an [unsymmetric](Self::unsymmetric) matrix are stored whole.
    pub(crate) fn is_dense(&self) -> bool {
        self.kind == MatrixKind::Pivoted && self.pattern.dimension() <= LARGEST_DENSE
    }

    /// The pattern of the matrices.
    pub fn pattern(&self) -> &SymmetricPattern {
        &self.pattern
    }

    /// The place of the entry (row, column) among the values; of a symmetric matrix, in either triangle.
    pub fn position(&self, row: usize, column: usize) -> Option<usize> {
        let mirrored = row < column && self.kind != MatrixKind::Symmetric;
        let shift = if mirrored { self.pattern.len() } else { 0 };
        self.pattern.position(row, column).map(|place| place + shift)
    }

    /// [`Self::position`] of an entry of which the pattern was made.
    pub(crate) fn place(&self, row: usize, column: usize) -> u32 {
        placed(self.position(row, column))
    }

    /// The values of the matrix to be [refactored](Self::refactor): the lower triangle in the order of
    /// the pattern, and behind it, of an unsymmetric one, the mirror images of its entries.
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// The pattern, and the values to be [refactored](Self::refactor).
    pub(crate) fn pattern_and_values(&mut self) -> (&SymmetricPattern, &mut [f64]) {
        (&self.pattern, &mut self.values)
    }

    /// Multiplies each row and each column of an unsymmetric matrix by its scale, and then puts
    /// `diagonal` on the diagonal, where that is given.
    pub(crate) fn scale(&mut self, scales: &[f64], diagonal: impl Fn(usize) -> Option<f64>) {
        let (lower, upper) = self.values.split_at_mut(self.pattern.len());
        let mut at = 0;
        for (column, &end) in self.pattern.starts()[1..].iter().enumerate() {
            let entries = lower[at..end].iter_mut().zip(&mut upper[at..end]);
            for (&row, (lower, upper)) in self.pattern.rows()[at..end].iter().zip(entries) {
                let scale = scales[row as usize] * scales[column];
                (*lower, *upper) = (scale * *lower, scale * *upper);
            }
            // The diagonal stands first.
            if let Some(value) = diagonal(column) {
                lower[at] = value;
            }
            at = end;
        }
    }

    /// Factors the matrix with these values (lower triangle, in the order of the pattern).
    ///
    /// # Errors
    /// A pivot is zero beside its column, or the matrix is not finite.
    pub fn factor(&mut self, values: &[f64]) -> Factored {
        self.values.copy_from_slice(values);
        self.refactor()
    }

    /// As [`factor`](Self::factor), with values that `fill` writes into the solver's own memory.
    pub(crate) fn factor_with(&mut self, fill: impl FnOnce(&mut [f64])) -> Factored {
        fill(&mut self.values);
        self.refactor()
    }

    /// Factors the matrix of the present values.
    ///
    /// # Errors
    /// A pivot is too small.
    pub fn refactor(&mut self) -> Factored {
        self.mirrored = self.kind == MatrixKind::Symmetric;
        self.eliminate()
    }

    /// As [`refactor`](Self::refactor), with the mirror image of the lower triangle above it.
    ///
    /// # Errors
    /// A pivot is too small.
    pub fn refactor_mirrored(&mut self) -> Factored {
        self.mirrored = true;
        self.eliminate()
    }

    fn eliminate(&mut self) -> Factored {
        self.check.renew();
        let Self { kernel, pattern, values, mirrored, smallest_pivot, .. } = self;
        kernel.factor(&entries(pattern, values, *mirrored, *smallest_pivot))
    }

    /// x ← A⁻¹ x for the matrix factored last, unchecked: for an iteration that judges by other means.
    pub fn substitute(&mut self, x: &mut [f64]) {
        self.kernel.solve(x);
    }

    /// Replaces b by the solution x of A x = b, for the matrix factored last.
    ///
    /// # Errors
    /// The residual is too large after one step of refinement: the matrix is singular to working
    /// precision, or indefinite in a way that needs pivoting. `rhs` then holds the refused solution.
    pub fn solve(&mut self, rhs: &mut [f64]) -> Result<(), SolveError> {
        let Self { kernel, pattern, values, mirrored, check, smallest_pivot, .. } = self;
        if kernel.elimination() == Elimination::Diagonal {
            kernel.solve(rhs);
            return Ok(());
        }
        check.solve(&mut **kernel, &entries(pattern, values, *mirrored, *smallest_pivot), rhs)
    }

    /// As [`solve`](Self::solve), for an iteration around it, which does not converge
    /// with the numbers that stand for a refused solution.
    pub(crate) fn solve_or_spoil(&mut self, rhs: &mut [f64]) {
        if self.solve(rhs).is_err() {
            rhs.fill(f64::NAN);
        }
    }
}

fn entries<'a>(
    pattern: &'a SymmetricPattern,
    values: &'a [f64],
    mirrored: bool,
    smallest_pivot: f64,
) -> Entries<'a> {
    let (lower, upper) = values.split_at(pattern.len());
    Entries { pattern, lower, upper: (!mirrored).then_some(upper), smallest_pivot }
}

/// The kernel for a pattern of symmetric matrices, or of unsymmetric ones.
fn choose(pattern: &SymmetricPattern, square: bool) -> Box<dyn Factor> {
    if pattern.len() == pattern.dimension() {
        return Box::new(Diagonal::new(pattern.dimension()));
    }
    let natural = order::bandwidth(pattern);
    if pattern.dimension() <= LARGEST_SMALL {
        return Box::new(Dense::new(pattern));
    }
    let components = order::components(pattern);
    if natural > 1 && components.largest() <= dense_blocks::LARGEST && components.sizes.len() >= FEWEST_BLOCKS
    {
        return Box::new(DenseBlocks::new(pattern, &components, square));
    }
    let widest = if square { LARGEST_SQUARE_BANDWIDTH } else { LARGEST_BANDWIDTH };
    if natural <= LARGEST_BANDWIDTH {
        return band(pattern, natural, square);
    }
    let places = order::reverse_cuthill_mckee(pattern);
    let renumbered = order::bandwidth_after(pattern, &places);
    if natural.min(renumbered) > widest && pattern.dimension() > LARGEST_FULL_BAND {
        let general: Option<Box<dyn Factor>> = if square {
            Lu::near_definite(pattern).map(|lu| Box::new(lu) as _)
        } else {
            General::new(pattern).map(|general| Box::new(general) as _)
        };
        // An ordering or an allocation that fails leaves the band, which is correct for any pattern.
        if let Some(general) = general {
            return general;
        }
    }
    if renumbered < natural {
        Box::new(Reordered::new(pattern, places, square, |pattern| band(pattern, renumbered, square)))
    } else {
        band(pattern, natural, square)
    }
}

fn band(pattern: &SymmetricPattern, bandwidth: usize, square: bool) -> Box<dyn Factor> {
    match bandwidth {
        1 => Box::new(Tridiagonal::new(pattern.dimension())),
        _ => Box::new(Banded::new(pattern.dimension(), bandwidth, square)),
    }
}
