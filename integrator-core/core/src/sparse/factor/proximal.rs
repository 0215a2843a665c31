//! Saddle points with dependent rows: redundant joints and singular positions of linkages use them.

use super::kernel::Factored;
use super::solver::Solver;
use crate::sparse::pattern::SymmetricPattern;
use crate::sparse::rows::RowPattern;

/// The saddle point matrix [A Bᵀ; C −δ], which has factors
/// also where rows of B and C depend on each other.
///
/// With true residuals of [A Bᵀ; C 0] (x, y) = (b, c), each solution is an iteration of the proximal
/// method of multipliers: along an eigenvector of C A⁻¹ Bᵀ with the eigenvalue σ the error falls by
/// δ/(σ + δ), and where σ = 0 and the rows agree, y stays. From y = 0 it leads to the y of least norm.
///
/// All unknowns are [scaled](Scales).
///
/// # Reference
/// R. T. Rockafellar, Math. Oper. Res. 1 (1976) 97, doi:10.1287/moor.1.2.97.
#[derive(Debug)]
pub(crate) struct Proximal {
    solver: Solver,
    scales: Vec<f64>,
    /// The number of unknowns x.
    free: usize,
    /// δ.
    delta: f64,
}

/// δ of so many rows, beside rows of length 1 in the metric of A⁻¹.
///
/// Much smaller, it leaves rows that depend on each other, or all but do so beside a singular position,
/// to rounding; much larger, the iteration is slow where σ is small without being zero.
/// The smallest σ of bodies in a chain falls with the square of their number, and is near 10⁻⁶ with a
/// thousand rows of one length; so does δ from there on.
pub(crate) fn delta(rows: usize) -> f64 {
    let thousands = (rows as f64 / 1e3).max(1.0);
    (1e-9 / thousands.powi(2)).max(LEAST_DELTA)
}

/// The least δ, which is still a pivot.
const LEAST_DELTA: f64 = 1e-12;

/// A row of B shorter than the longest by more than the root of this number has its own unit.
///
/// In the unit of rows of light bodies the joints of a
/// thousand of these bodies would hold no more than δ.
const SPREAD: f64 = 1e2;
/// A row that is shorter than the longest by more than the root of this counts as none.
const NONE: f64 = 1e-12;

impl Proximal {
    /// For matrices A with these entries, of either triangle and with repetitions, and rows B and C.
    /// `None` when there is no memory.
    pub(crate) fn new(
        free: usize,
        entries: impl Iterator<Item = (usize, usize)>,
        rows: &[&RowPattern],
    ) -> Option<Self> {
        let height = rows.iter().map(|rows| rows.height()).max().unwrap_or(0);
        let below = rows.iter().flat_map(|rows| rows.entries()).map(|(row, column)| (free + row, column));
        let pattern = SymmetricPattern::new(free + height, entries.chain(below));
        Some(Self {
            solver: Solver::unsymmetric(&pattern)?,
            scales: vec![1.0; free + height],
            free,
            delta: delta(height),
        })
    }

    /// Accepts any pivot but zero: an iteration judges its solutions, and stiffness makes σ small, too.
    pub(crate) fn accept_small_pivots(&mut self) {
        self.solver.accept_small_pivots();
    }

    /// True if the matrix is factored in no more time than its entries take.
    pub(crate) fn is_small(&self) -> bool {
        self.solver.is_dense()
    }

    /// δ.
    pub(crate) fn delta(&self) -> f64 {
        self.delta
    }

    /// The place of the entry (row, column) among the values.
    pub(crate) fn place(&self, row: usize, column: usize) -> u32 {
        self.solver.place(row, column)
    }

    /// Factors the matrix whose entries other than δ `fill` adds to zeros.
    pub(crate) fn factor(&mut self, scales: &[f64], fill: impl FnOnce(&mut [f64])) -> Factored {
        self.scales.copy_from_slice(scales);
        let Self { solver, scales, free, delta } = self;
        let values = solver.values_mut();
        values.fill(0.0);
        fill(values);
        solver.scale(scales, |index| if index < *free { None } else { Some(-*delta) });
        solver.refactor()
    }

    /// Replaces (b, c) by the solution (x, y), unchecked.
    pub(crate) fn solve(&mut self, x: &mut [f64]) {
        x.iter_mut().zip(&self.scales).for_each(|(x, scale)| *x *= scale);
        self.solver.substitute(x);
        x.iter_mut().zip(&self.scales).for_each(|(x, scale)| *x *= scale);
    }
}

/// Replaces the squares of the lengths of rows by the squares of their units: the longest length, unless
/// the lengths differ much.
pub(crate) fn weights(squares: &mut [f64]) {
    let longest = squares.iter().fold(0.0_f64, |longest, square| longest.max(*square));
    for square in squares {
        let weight = longest.min(SPREAD * square.max(NONE * longest));
        *square = if weight > 0.0 && weight.is_finite() { weight } else { 1.0 };
    }
}
