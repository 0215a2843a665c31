//! Problems, and the results of their solution.

use nalgebra_sparse::CsrMatrix;
use serde::Serialize;
use thiserror::Error;

/// A least-squares problem: residuals r(x) to make small, constraints c(x) = 0, bounds l ≤ x ≤ u.
pub trait Problem {
    /// The reason why a point has no values.
    type Error;

    /// The number n of unknowns.
    fn unknowns(&self) -> usize;

    /// l and u for each unknown; −∞ and ∞ where there is none, and l = u holds an unknown fast.
    fn bounds(&self) -> Vec<[f64; 2]> {
        vec![[f64::NEG_INFINITY, f64::INFINITY]; self.unknowns()]
    }

    /// The name of a constraint in messages.
    fn constraint(&self, index: usize) -> String {
        format!("constraint {index}")
    }

    /// r and c at x. Their lengths never change.
    ///
    /// # Errors
    /// There are no values at x: at the start the solution fails, later the step becomes shorter.
    fn evaluate(&mut self, x: &[f64]) -> Result<Values, Self::Error>;

    /// ∂r/∂x and ∂c/∂x at x, a point with values.
    ///
    /// # Errors
    /// There are no derivatives at x: the solution fails.
    fn linearize(&mut self, x: &[f64]) -> Result<Slopes, Self::Error>;

    /// Σ λ ∂²c/∂x² at the point that was linearized last, exact or not: the entries (row, column, value)
    /// on and above the diagonal. Without them a step takes the constraints as straight.
    fn curvature(&mut self, _multipliers: &[f64]) -> Vec<(usize, usize, f64)> {
        Vec::new()
    }

    /// True once the program asks for the end; from then on a point may have no values.
    fn is_stopped(&self) -> bool {
        false
    }
}

/// r and c at a point.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Values {
    /// r.
    pub residuals: Vec<f64>,
    /// c.
    pub constraints: Vec<f64>,
}

/// ∂r/∂x and ∂c/∂x at a point, a column for each unknown.
#[derive(Debug, Clone)]
pub struct Slopes {
    /// ∂r/∂x. Rows with equal columns, zeros included, make a block.
    pub residuals: CsrMatrix<f64>,
    /// ∂c/∂x.
    pub constraints: CsrMatrix<f64>,
}

/// A sparse matrix that grows by rows.
#[derive(Debug, Clone)]
pub(crate) struct Rows {
    offsets: Vec<usize>,
    columns: Vec<usize>,
    values: Vec<f64>,
}

impl Default for Rows {
    fn default() -> Self {
        Self { offsets: vec![0], columns: Vec::new(), values: Vec::new() }
    }
}

impl Rows {
    /// Adds a row of different unknowns, each with its derivative.
    pub(crate) fn push(&mut self, row: impl IntoIterator<Item = (usize, f64)>) {
        for (unknown, slope) in row {
            self.columns.push(unknown);
            self.values.push(slope);
        }
        self.offsets.push(self.columns.len());
    }

    /// Adds the rows of another matrix.
    pub(crate) fn append(&mut self, rows: &Self) {
        let before = self.columns.len();
        self.offsets.extend(rows.offsets[1..].iter().map(|offset| before + offset));
        self.columns.extend(&rows.columns);
        self.values.extend(&rows.values);
    }

    /// The matrix over so many unknowns.
    pub(crate) fn over(self, unknowns: usize) -> CsrMatrix<f64> {
        let Self { offsets, columns, values } = self;
        let matrix =
            CsrMatrix::try_from_unsorted_csr_data(offsets.len() - 1, unknowns, offsets, columns, values);
        // A solution refuses a matrix without rows.
        matrix.unwrap_or_else(|_| CsrMatrix::zeros(0, unknowns))
    }
}

/// The settings of a solution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// The largest number of iterations.
    pub iterations: usize,
    /// The cosine between r and each column of A at a solution, and |c| as a part of its terms.
    pub tolerance: f64,
    /// The first μ.
    pub damping: f64,
}

impl Default for Options {
    fn default() -> Self {
        Self { iterations: 200, tolerance: 1e-8, damping: 1e-3 }
    }
}

/// An accepted point, the start included.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Iteration<'x> {
    /// The number of steps done.
    pub number: usize,
    /// ½ |r|².
    pub cost: f64,
    /// The largest |cᵢ|.
    pub violation: f64,
    /// The norm of the step that led here, each unknown in units of its column of derivatives.
    pub step: f64,
    /// μ.
    pub damping: f64,
    /// The point.
    pub x: &'x [f64],
}

/// The reason for the end of a solution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Status {
    /// The gradient of the Lagrangian and the constraints vanish within the tolerance.
    Converged,
    /// The constraints hold, and no step lowers ½ |r|² by more than rounding.
    Still,
    /// The number of iterations is used up.
    Limit,
    /// The callback stopped it.
    Stopped,
}

/// The last point of a solution.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Solution {
    /// x.
    pub x: Vec<f64>,
    /// r(x).
    pub residuals: Vec<f64>,
    /// c(x).
    pub constraints: Vec<f64>,
    /// λ with Aᵀr + Bᵀλ = 0 in the unknowns between their bounds.
    pub multipliers: Vec<f64>,
    /// A and B at x.
    pub slopes: Slopes,
    /// The number of steps.
    pub iterations: usize,
    /// The reason for the end.
    pub status: Status,
}

/// The failure of a solution.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error<E> {
    /// The start has no values, or a point has no derivatives.
    #[error("{0}")]
    Problem(E),
    /// Bounds that cross, lengths that contradict each other, or a start without finite numbers.
    #[error("{0}")]
    Mistake(String),
    /// Constraints that no step brings nearer to zero.
    #[error(
        "no point near the first one fulfils the constraints: {name} is {value:e} after {iterations} iterations, and no step lowers it; \
         loosen it or its bounds, or begin elsewhere"
    )]
    Infeasible {
        /// The name of the constraint with the largest share.
        name: String,
        /// Its number.
        index: usize,
        /// c.
        value: f64,
        /// The number of steps.
        iterations: usize,
        /// The point.
        x: Vec<f64>,
    },
}
