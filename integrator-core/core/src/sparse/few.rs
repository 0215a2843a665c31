//! S = G₁ M⁻¹ G₂ᵀ of a few constraints on a few coordinates, as full matrices.
//!
//! Single pendulums and rigid bodies under SHAKE and RATTLE
//! use it: places of nonzero entries cost more there.

use super::factor::{Factored, eliminate, of_dimension, solve};
use super::full::{self, product_of_rows};
use super::inverse_mass::InverseMass;
use super::rows::RowPattern;

/// The most rows.
pub(crate) const MOST_ROWS: usize = 6;

/// S and its factors, G full by rows.
pub(super) struct Few {
    rows: usize,
    columns: usize,
    /// The columns in a block.
    block: usize,
    /// G₂ M⁻¹: its rows are the directions into which the multipliers move the positions.
    directions: Vec<f64>,
    /// S by rows, and its factors.
    matrix: Vec<f64>,
    factors: Vec<f64>,
}

impl Few {
    /// For G of this pattern, which is full.
    pub(super) fn new(jacobian: &RowPattern) -> Self {
        let (rows, columns, block) = (jacobian.height(), jacobian.width(), jacobian.block());
        let square = vec![0.0; rows * rows];
        Self {
            rows,
            columns,
            block,
            directions: vec![0.0; rows * columns],
            matrix: square.clone(),
            factors: square,
        }
    }

    /// Takes G₂.
    pub(super) fn stand(&mut self, mass: &mut InverseMass, jacobian: &[f64]) {
        if let InverseMass::Diagonal(reciprocals) = mass {
            return full::scale((self.rows, self.block), jacobian, reciprocals, &mut self.directions);
        }
        self.directions.copy_from_slice(jacobian);
        self.directions.chunks_exact_mut(self.columns.max(1)).for_each(|row| mass.apply(1.0, row));
    }

    /// Factors S + the diagonal matrix of `shifts`, with the last G₂, which is G₁ of a symmetric S.
    /// A pivot is refused below the part `least` of the largest entry of its row and column.
    pub(super) fn factor(
        &mut self,
        (left, is_symmetric): (&[f64], bool),
        shifts: &[f64],
        least: f64,
    ) -> Factored {
        let Self { rows, columns, block, directions, matrix, factors } = self;
        product_of_rows(*rows, (*columns, *block), (left, directions), is_symmetric, matrix);
        for (row, shift) in shifts.iter().enumerate() {
            matrix[row * *rows + row] += shift;
        }
        of_dimension!(*rows, eliminate(matrix, factors, least))
    }

    /// x ← −S⁻¹ r.
    #[inline(always)]
    pub(super) fn solve(&self, residual: &[f64], x: &mut [f64]) {
        of_dimension!(self.rows, solve(&self.factors, residual, x));
    }

    /// x ← −S⁻¹ r, and y ← y + M⁻¹ G₂ᵀ x.
    pub(super) fn correct(&self, residual: &[f64], x: &mut [f64], y: &mut [f64]) {
        self.solve(residual, x);
        self.add_motion(x, y);
    }

    /// y ← y + M⁻¹ G₂ᵀ λ.
    #[inline]
    pub(super) fn add_motion(&self, multipliers: &[f64], y: &mut [f64]) {
        full::push(self.block, &self.directions, multipliers, y);
    }
}
