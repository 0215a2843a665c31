use crate::sparse::{FactorError, RowPattern, SolveError, SymmetricPattern, SymmetricSolver};

/// The saddle point system [A Gᵀ; G 0] (x, y) = (b, c), with A symmetric positive definite and G of full rank.
///
/// What is factored is the quasi-definite [A Gᵀ; G −δ], which has an L D Lᵀ in any order of elimination; a few steps of
/// iterative refinement against the true matrix remove δ.  Without constraints it is A x = b alone.
///
/// # Reference
/// R. J. Vanderbei, Symmetric quasidefinite matrices, SIAM J. Optim. 5 (1995) 100, doi:10.1137/0805005.
#[derive(Debug)]
pub(super) struct Saddle {
    pattern: SymmetricPattern,
    of_mass: Vec<u32>,
    of_jacobian: Vec<u32>,
    /// Where δ goes.
    of_multipliers: Vec<u32>,
    /// The true matrix, and that with δ.
    values: Vec<f64>,
    shifted: Vec<f64>,
    solver: SymmetricSolver,
    right_hand_side: Vec<f64>,
    residual: Vec<f64>,
}

/// δ beside the largest diagonal entry of G D⁻¹ Gᵀ, where D is the diagonal of A.
const SHIFT: f64 = 1e-9;
/// Each step gains the digits that δ leaves, so this many are plenty.
const REFINEMENTS: usize = 8;
/// What is accepted of ‖b − K x‖ beside ‖K‖ ‖x‖ + ‖b‖.
const ACCEPTED: f64 = 1e-12;

impl Saddle {
    pub(super) fn new(mass: &SymmetricPattern, jacobian: Option<&RowPattern>) -> Self {
        let n = mass.dimension();
        let rows = jacobian.map_or(0, RowPattern::height);
        let lower: Vec<(usize, usize)> =
            jacobian.into_iter().flat_map(RowPattern::entries).map(|(c, j)| (n + c, j)).collect();
        let pattern = SymmetricPattern::new(n + rows, mass.entries().chain(lower.iter().copied()));
        let place = |(i, j)| pattern.position(i, j).map(|k| k as u32);
        Self {
            of_mass: mass.entries().filter_map(place).collect(),
            of_jacobian: lower.into_iter().filter_map(place).collect(),
            of_multipliers: (n..n + rows).map(|c| (c, c)).filter_map(place).collect(),
            values: vec![0.0; pattern.len()],
            shifted: vec![0.0; pattern.len()],
            solver: SymmetricSolver::analyse(&pattern),
            right_hand_side: vec![0.0; n + rows],
            residual: vec![0.0; n + rows],
            pattern,
        }
    }

    /// Factors the system with these values of A and G, in the order of their patterns.
    pub(super) fn factor(&mut self, mass: &[f64], jacobian: &[f64]) -> Result<(), FactorError> {
        self.values.fill(0.0);
        for (&place, &value) in self.of_mass.iter().zip(mass) {
            self.values[place as usize] = value;
        }
        for (&place, &value) in self.of_jacobian.iter().zip(jacobian) {
            self.values[place as usize] = value;
        }
        self.shifted.copy_from_slice(&self.values);
        let delta = SHIFT * self.compliance();
        for &place in &self.of_multipliers {
            self.shifted[place as usize] = -delta;
        }
        self.solver.factor(&self.shifted)
    }

    /// Replaces (b, c) by (x, y).
    pub(super) fn solve(&mut self, x: &mut [f64]) -> Result<(), SolveError> {
        self.right_hand_side.copy_from_slice(x);
        self.solver.solve(x)?;
        if self.of_multipliers.is_empty() {
            return Ok(());
        }
        let mut last = self.error_of(x);
        for _ in 0..REFINEMENTS {
            if last.residual <= f64::EPSILON {
                break;
            }
            self.solver.solve(&mut self.residual)?;
            for (x, correction) in x.iter_mut().zip(&self.residual) {
                *x += correction;
            }
            let error = self.error_of(x);
            let settled = error.residual > 0.5 * last.residual;
            last = error;
            if settled {
                break;
            }
        }
        // Written so that a residual that is not a number is refused.
        if last.residual <= ACCEPTED { Ok(()) } else { Err(last) }
    }

    /// Leaves b − K x in `self.residual`.
    fn error_of(&mut self, x: &[f64]) -> SolveError {
        self.residual.fill(0.0);
        self.pattern.multiply_add(&self.values, x, &mut self.residual);
        let mut error = SolveError { residual: 0.0, index: 0 };
        let mut scale = f64::MIN_POSITIVE;
        for (index, (out, &wanted)) in self.residual.iter_mut().zip(&self.right_hand_side).enumerate() {
            scale = wanted.abs().max(out.abs()).max(scale);
            *out = wanted - *out;
            if out.abs() > error.residual || out.is_nan() {
                error = SolveError { residual: out.abs(), index };
            }
        }
        let size = |values: &[f64]| values.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
        scale = scale.max(size(&self.values) * size(x));
        SolveError { residual: error.residual / scale, ..error }
    }

    /// The largest Σ_j G_cj² / A_jj over the constraints c.
    fn compliance(&mut self) -> f64 {
        let n = self.right_hand_side.len() - self.of_multipliers.len();
        let sums = &mut self.residual;
        sums.fill(0.0);
        for column in 0..n {
            let range = self.pattern.starts()[column]..self.pattern.starts()[column + 1];
            // The diagonal is the first entry of its column.
            let diagonal = self.values[range.start];
            for position in range {
                let row = self.pattern.rows()[position] as usize;
                if row >= n {
                    sums[row] += self.values[position] * self.values[position] / diagonal;
                }
            }
        }
        sums.iter().fold(0.0, |a: f64, b| a.max(*b))
    }
}
