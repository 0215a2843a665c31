//! The linear equations at a foot, for tangent velocities and multipliers, also with dependent rows.

use crate::method::force_error::{Attempt, ForceError, OF_ROWS};
use crate::method::report::Evaluations;
use crate::sparse::{FactorError, MultiplierSystem, RowPattern, SymmetricMatrix};

/// The proximal iterations after the first, and the power of the projector onto the null space.
const REFINEMENTS: usize = 3;
const POWERS: usize = 3;
/// Rows of the accelerations have no multipliers if a larger part of their terms stays open.
const OPEN: f64 = 1e-9;

/// G at a position, the foot, with directions M⁻¹ Gᵀ and factors of S = G M⁻¹ Gᵀ; on the way to another
/// position, with its G on the left.
///
/// If rows depend on each other, everywhere or at this foot alone, S is
/// [soft](MultiplierSystem::soften): the iterations for the position have true residuals and are
/// proximal iterations already; the linear equations are refined; multipliers have least norm.
pub(crate) struct Foot {
    /// The pattern of G, full where it has few entries.
    pub(super) pattern: RowPattern,
    pub(super) jacobian: Vec<f64>,
    pub(super) matrix: MultiplierSystem,
    /// True if the factors belong to G at the foot on both sides.
    pub(super) settled: bool,
    /// A residual, a change of multipliers, and a motion, for the rare equations.
    pub(super) left: Vec<f64>,
    change: Vec<f64>,
    pub(super) motion: Vec<f64>,
}

impl Foot {
    pub(super) fn new(mass: &SymmetricMatrix, pattern: RowPattern) -> Result<Self, FactorError> {
        let matrix = MultiplierSystem::new(mass, &pattern)?;
        let [left, change] = [vec![0.0; pattern.height()], vec![0.0; pattern.height()]];
        let (jacobian, motion) = (vec![0.0; pattern.len()], vec![0.0; pattern.width()]);
        Ok(Self { pattern, jacobian, matrix, settled: false, left, change, motion })
    }

    /// Moves to the position of this G, without factors.
    pub(super) fn move_to(&mut self, jacobian: &mut Vec<f64>) {
        std::mem::swap(&mut self.jacobian, jacobian);
        self.settled = false;
    }

    /// Forms and factors S; softens it if it is singular.
    pub(super) fn settle(&mut self, counts: &mut Evaluations) -> Result<(), FactorError> {
        counts.factorizations += 1;
        self.matrix.soften(false);
        if self.matrix.factor_symmetric(&self.jacobian).is_err() {
            counts.factorizations += 1;
            self.matrix.soften(true);
            self.matrix.factor_symmetric(&self.jacobian)?;
        }
        self.settled = true;
        Ok(())
    }

    /// Forms the factors if there are none; true if they exist. The foot of a good state has been
    /// factored before; if that fails now, the next step reports it.
    pub(super) fn is_settled(&mut self, counts: &mut Evaluations) -> bool {
        self.settled || self.settle(counts).is_ok()
    }

    /// Takes the directions, soft or not, and leaves the factors.
    pub(super) fn stand(&mut self, soft: bool) {
        self.matrix.soften(soft);
        self.matrix.stand(&self.jacobian);
        self.settled = false;
    }

    /// Factors G₁ M⁻¹ Gᵀ with another G₁; softens it if it is singular.
    pub(super) fn factor(&mut self, left: &[f64], counts: &mut Evaluations) -> Result<(), FactorError> {
        self.settled = false;
        counts.factorizations += 1;
        let outcome = self.matrix.factor(left);
        if outcome.is_ok() || self.is_soft() {
            return outcome;
        }
        counts.factorizations += 1;
        self.stand(true);
        self.matrix.factor(left)
    }

    /// The failure of a matrix of the rows, as a part of a step.
    #[cold]
    pub(super) fn singular(&self, zero: FactorError) -> ForceError {
        let index = self.motion.len() + zero.index;
        ForceError::Singular { matrix: OF_ROWS, error: FactorError { index, ..zero } }
    }

    /// [`Self::settle`] as a part of a step.
    pub(super) fn settle_in_step(&mut self, counts: &mut Evaluations) -> Attempt {
        self.settle(counts).map_err(|zero| self.singular(zero))
    }

    /// y ← y + M⁻¹ Gᵀ λ at a foot that may have no directions.
    pub(super) fn add_free_motion(&mut self, multipliers: &[f64], y: &mut [f64]) {
        if !self.settled {
            self.matrix.stand(&self.jacobian);
        }
        self.matrix.add_motion(multipliers, y);
    }

    /// True if rows depend on each other here or at the G on the left.
    pub(super) fn is_soft(&self) -> bool {
        self.matrix.shifts().is_some()
    }

    /// r ← r + G y.
    #[inline]
    pub(super) fn add_product(&self, y: &[f64], residual: &mut [f64]) {
        self.pattern.multiply_add(&self.jacobian, y, residual);
    }

    /// x ← −S⁻¹ r; the x of least norm if it is not unique.
    #[inline]
    pub(super) fn solve(&mut self, residual: &[f64], x: &mut [f64]) {
        self.matrix.solve(residual, x);
        if self.is_soft() {
            self.refine(residual, x);
        }
    }

    /// The proximal iterations after the first; then removes the rounding error of x in the null space.
    #[cold]
    fn refine(&mut self, residual: &[f64], x: &mut [f64]) {
        for _ in 0..REFINEMENTS {
            self.leave(residual, x);
            self.matrix.solve(&self.left, &mut self.change);
            x.iter_mut().zip(&self.change).for_each(|(x, change)| *x += change);
        }
        self.remove_null(x);
    }

    /// Writes r + S x, and M⁻¹ Gᵀ x.
    fn leave(&mut self, residual: &[f64], x: &[f64]) {
        let Self { pattern, jacobian, matrix, left, motion, .. } = self;
        left.copy_from_slice(residual);
        motion.fill(0.0);
        matrix.add_motion(x, motion);
        pattern.multiply_add(jacobian, motion, left);
    }

    /// x ← x − P x, with the projector P onto the null space of the soft S.
    #[cold]
    pub(super) fn remove_null(&mut self, x: &mut [f64]) {
        self.change.copy_from_slice(x);
        for _ in 0..POWERS {
            self.matrix.keep_null(&mut self.change, &mut self.left);
        }
        x.iter_mut().zip(&self.change).for_each(|(x, null)| *x -= null);
    }

    /// True if multipliers solve S x = −r, where r has the terms of an acceleration a.
    #[cold]
    pub(super) fn is_solved(&mut self, residual: &[f64], a: &[f64], x: &[f64]) -> bool {
        self.leave(residual, x);
        let pattern = &self.pattern;
        let (mut open, mut size) = (0.0_f64, 0.0_f64);
        for (row, left) in self.left.iter().enumerate() {
            let terms = pattern.row(row).map(|place| {
                let column = pattern.columns()[place] as usize;
                self.jacobian[place].abs() * (a[column].abs() + self.motion[column].abs())
            });
            size = size.max(residual[row].abs() + terms.sum::<f64>());
            open = if left.abs() > open || left.is_nan() { left.abs() } else { open };
        }
        open <= OPEN * size
    }
}
