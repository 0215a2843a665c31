//! The linear equations at the foot, for tangent velocities and multipliers, also with dependent rows.

use super::Manifold;
use crate::system::Constrained;

/// The proximal iterations after the first, and the power of the projector onto the null space.
const REFINEMENTS: usize = 3;
const POWERS: usize = 3;
/// Rows of the accelerations have no multipliers if a larger part of their terms stays open.
const OPEN: f64 = 1e-9;

impl<S: Constrained + ?Sized> Manifold<'_, S> {
    /// v ← v + M⁻¹ Gᵀ μ with G v + ∂g/∂t = 0 at the foot.
    pub(crate) fn make_tangent(&mut self, q: &[f64], v: &mut [f64], t: f64) {
        self.system.constraint_rate(q, t, &mut self.residuals);
        self.remove(v);
    }

    /// v ← v + M⁻¹ Gᵀ μ with G v = 0 at the foot.
    pub(crate) fn remove_normal(&mut self, v: &mut [f64]) {
        self.residuals.fill(0.0);
        self.remove(v);
    }

    /// y ← y − M⁻¹ Gᵀ S⁻¹ (r + G y), with r in the residuals.
    fn remove(&mut self, y: &mut [f64]) {
        self.add_product(y);
        let mut x = std::mem::take(&mut self.multipliers);
        self.solve(&mut x);
        self.add_motion(&x, y);
        self.multipliers = x;
    }

    /// x ← −S⁻¹ r, with r in the residuals and S at the foot; the x of least norm if it is not unique.
    fn solve(&mut self, x: &mut [f64]) {
        let (m, _) = self.sizes();
        self.matrix.solve(&self.residuals[..m], &mut x[..m]);
        if self.is_soft() {
            self.refine(x);
        }
    }

    /// The proximal iterations after the first; then removes the rounding error of x in the null space.
    #[cold]
    fn refine(&mut self, x: &mut [f64]) {
        for _ in 0..REFINEMENTS {
            self.leave(x);
            self.matrix.solve(&self.left, &mut self.change);
            x.iter_mut().zip(&self.change).for_each(|(x, change)| *x += change);
        }
        self.remove_null(x);
    }

    /// Writes r + S x, with r in the residuals, and M⁻¹ Gᵀ x.
    fn leave(&mut self, x: &[f64]) {
        self.left.copy_from_slice(&self.residuals);
        self.nearby.fill(0.0);
        self.matrix.add_motion(x, &mut self.nearby);
        self.pattern.multiply_add(&self.jacobian, &self.nearby, &mut self.left);
    }

    /// x ← x − P x, with the projector P onto the null space of the soft S at the foot.
    #[cold]
    pub(super) fn remove_null(&mut self, x: &mut [f64]) {
        self.change.copy_from_slice(x);
        for _ in 0..POWERS {
            self.matrix.keep_null(&mut self.change, &mut self.left);
        }
        x.iter_mut().zip(&self.change).for_each(|(x, null)| *x -= null);
    }

    /// Gives multipliers of the foot the least norm, if rows depend on each other.
    pub(crate) fn make_least(&mut self, multipliers: &mut [f64]) {
        if self.is_soft() && (self.settled || self.settle().is_ok()) && self.is_soft() {
            self.remove_null(multipliers);
        }
    }

    /// r ← r + G x, with r in the residuals.
    pub(super) fn add_product(&mut self, x: &[f64]) {
        let (m, n) = self.sizes();
        self.pattern.multiply_add(&self.jacobian, &x[..n], &mut self.residuals[..m]);
    }

    /// Forms the factors of the foot if there are none; true if they exist. The foot of a good state has
    /// been factored before; if that fails now, the next step reports it.
    pub(crate) fn is_settled(&mut self) -> bool {
        self.settled || self.settle().is_ok()
    }

    /// The multipliers at the foot: G M⁻¹ Gᵀ λ = −(G a + d²g/dt² at zero acceleration), with the free
    /// acceleration a.
    ///
    /// False, and zeros, if dependent rows leave no solution, as at a singular position.
    pub(crate) fn multipliers(
        &mut self,
        q: &[f64],
        v: &[f64],
        t: f64,
        a: &[f64],
        multipliers: &mut [f64],
    ) -> bool {
        self.system.constraint_curvature(q, v, t, &mut self.residuals);
        self.add_product(a);
        self.solve(multipliers);
        !self.is_soft() || self.is_solved(a, multipliers)
    }

    #[cold]
    fn is_solved(&mut self, a: &[f64], multipliers: &mut [f64]) -> bool {
        self.leave(multipliers);
        let pattern = &self.pattern;
        let (mut open, mut size) = (0.0_f64, 0.0_f64);
        for (row, left) in self.left.iter().enumerate() {
            let terms = pattern.row(row).map(|place| {
                let column = pattern.columns()[place] as usize;
                self.jacobian[place].abs() * (a[column].abs() + self.nearby[column].abs())
            });
            size = size.max(self.residuals[row].abs() + terms.sum::<f64>());
            open = if left.abs() > open || left.is_nan() { left.abs() } else { open };
        }
        let solved = open <= OPEN * size;
        if !solved {
            multipliers.fill(0.0);
        }
        solved
    }

    /// The multipliers that carry the foot, displaced by `offset`, onto the constraints linearized at
    /// the foot: G M⁻¹ Gᵀ λ = −(g + G · offset).
    pub(in crate::method::constraint) fn linearized(&mut self, offset: &[f64], multipliers: &mut [f64]) {
        self.residuals.copy_from_slice(&self.values);
        self.add_product(offset);
        self.solve(multipliers);
    }
}
