//! Saddle points of a mass and constraints: a mass whose inverse is dense uses them.

use super::kernel::{Factored, SolveError};
use super::light::Units;
use super::solver::Solver;
use crate::carried::carried;
use crate::sparse::pattern::SymmetricPattern;
use crate::sparse::rows::RowPattern;

/// The saddle point system [A G₂ᵀ; G₁ 0] (x, y) = (b, c), with A symmetric positive semidefinite, and
/// definite where G x = 0, and G₁, G₂ of full rank; without constraints A x = b alone.
///
/// No matrix is denser than A and G, and pivots come from G where A has none.
/// A and G₂ A⁻¹ G₂ᵀ of a diagonal A have unit diagonals in the units of the unknowns.
/// Columns of G₂ beside zeros on the diagonal of A are as long as its rows.
/// So the units of mass and length do not decide whether a matrix is singular.
#[derive(Debug)]
pub struct Saddle {
    solver: Solver,
    jacobian: RowPattern,
    of_mass: Vec<u32>,
    /// The places of the entries of G₁ and of G₂ᵀ among the values of the matrix.
    of_jacobian: Vec<[u32; 2]>,
    /// The scale of each unknown.
    scales: Vec<f64>,
    mass: SymmetricPattern,
    units: Units,
}

impl Saddle {
    /// `None` when there is no memory.
    pub fn new(mass: &SymmetricPattern, jacobian: &RowPattern) -> Option<Self> {
        let n = mass.dimension();
        let lower = || jacobian.entries().map(|(row, column)| (n + row, column));
        let pattern = SymmetricPattern::new(n + jacobian.height(), mass.entries().chain(lower()));
        let solver = match jacobian.height() {
            0 => Solver::symmetric(&pattern),
            _ => Solver::pivoted(&pattern)?,
        };
        Some(Self {
            of_mass: mass.entries().map(|(i, j)| solver.place(i, j)).collect(),
            of_jacobian: lower().map(|(i, j)| [solver.place(i, j), solver.place(j, i)]).collect(),
            scales: vec![1.0; n + jacobian.height()],
            jacobian: jacobian.clone(),
            mass: mass.clone(),
            units: Units::default(),
            solver,
        })
    }

    /// See [`Solver::demand_pivots`].
    pub(crate) fn demand_pivots(&mut self, least: f64) {
        self.solver.demand_pivots(least);
    }

    /// True if a part with mass takes its units from rows: G A⁻¹ Gᵀ would hide the other rows.
    pub(in crate::sparse) fn has_light_parts(&mut self, mass: &[f64], jacobian: &[f64]) -> bool {
        self.units.find((&self.mass, mass), (&self.jacobian, jacobian))
    }

    /// Factors the system with these values of A, G₁ and G₂, in the order of their patterns.
    ///
    /// # Errors
    /// The matrix is singular.
    pub fn factor(&mut self, mass: &[f64], left: &[f64], right: &[f64]) -> Factored {
        self.factor_shifted(mass, left, right, &[])
    }

    /// As [`factor`](Self::factor), of [A G₂ᵀ; G₁ −Δ] with shifts Δ of the rows.
    pub(crate) fn factor_shifted(
        &mut self,
        mass: &[f64],
        left: &[f64],
        right: &[f64],
        shifts: &[f64],
    ) -> Factored {
        self.scale(mass, right);
        let values = self.solver.values_mut();
        let n = self.mass.dimension();
        let mirror = values.len() / 2;
        for ((&place, (i, j)), value) in self.of_mass.iter().zip(self.mass.entries()).zip(mass) {
            let scaled = self.scales[i] * value * self.scales[j];
            values[place as usize] = scaled;
            if self.jacobian.height() > 0 {
                values[mirror + place as usize] = scaled;
            }
        }
        let entries = self.of_jacobian.iter().zip(self.jacobian.entries()).zip(left.iter().zip(right));
        for ((&[lower, upper], (row, column)), (left, right)) in entries {
            let scale = self.scales[n + row] * self.scales[column];
            (values[lower as usize], values[upper as usize]) = (scale * left, scale * right);
        }
        for row in 0..self.jacobian.height() {
            let shift = shifts.get(row).map_or(0.0, |shift| -shift * self.scales[n + row].powi(2));
            if let Some(place) = self.solver.position(n + row, n + row) {
                self.solver.values_mut()[place] = shift;
            }
        }
        self.solver.refactor()
    }

    /// Replaces (b, c) by (x, y).
    ///
    /// # Errors
    /// The residual stays large: the matrix is all but singular.
    pub fn solve(&mut self, x: &mut [f64]) -> Result<(), SolveError> {
        let scale =
            |x: &mut [f64], scales: &[f64]| x.iter_mut().zip(scales).for_each(|(x, scale)| *x *= scale);
        scale(x, &self.scales);
        let outcome = self.solver.solve(x);
        scale(x, &self.scales);
        outcome
    }

    fn scale(&mut self, mass: &[f64], jacobian: &[f64]) {
        let Self { units, scales, mass: pattern, jacobian: rows, .. } = self;
        let root = |sum: f64| if sum > 0.0 && sum.is_finite() { 1.0 / sum.sqrt() } else { 1.0 };
        let (free, constrained) = scales.split_at_mut(pattern.dimension());
        units.measure((pattern, mass), (rows, jacobian), free);
        for (row, scale) in constrained.iter_mut().enumerate() {
            let entries = || {
                let columns = rows.columns()[rows.row(row)].iter().map(|&column| column as usize);
                columns.zip(&jacobian[rows.row(row)])
            };
            let square = |(column, value): (usize, &f64)| (free[column] * value).powi(2);
            let with_mass = |column: usize| !units.is_massless((pattern, mass), column);
            let sum: f64 = entries().filter(|(column, _)| with_mass(*column)).map(square).sum();
            *scale = root(if sum > 0.0 { sum } else { entries().map(square).sum() });
        }
    }
}

carried!([] Saddle { units } besides { solver, jacobian, of_mass, of_jacobian, scales, mass });
