//! Tangent velocities and multipliers at the foot, and the equations that a state violates most.

use super::Manifold;
use crate::method::constraint::natural_size::Excess;
use crate::system::Constrained;

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
        let (m, n) = self.sizes();
        let Self { foot, residuals, multipliers, .. } = self;
        let (residuals, multipliers, y) = (&mut residuals[..m], &mut multipliers[..m], &mut y[..n]);
        foot.add_product(y, residuals);
        foot.solve(residuals, multipliers);
        foot.matrix.add_motion(multipliers, y);
    }

    /// The multipliers μ that made the last velocity tangent.
    pub(crate) fn last_correction(&self) -> &[f64] {
        &self.multipliers
    }

    /// The multipliers at the foot: G M⁻¹ Gᵀ λ = −(G a + d²g/dt² at zero acceleration), with the free
    /// acceleration a.
    ///
    /// False, and zeros, if dependent rows leave no solution, as at a singular position.
    pub(crate) fn multipliers(
        &mut self,
        (q, v, t): (&[f64], &[f64], f64),
        a: &[f64],
        multipliers: &mut [f64],
    ) -> bool {
        let (m, n) = self.sizes();
        let (residuals, multipliers) = (&mut self.residuals[..m], &mut multipliers[..m]);
        self.system.constraint_curvature(q, v, t, residuals);
        self.foot.add_product(&a[..n], residuals);
        self.foot.solve(residuals, multipliers);
        if self.foot.is_soft() && !self.foot.is_solved(residuals, a, multipliers) {
            multipliers.fill(0.0);
            return false;
        }
        true
    }

    /// Gives multipliers of the foot the least norm, if rows depend on each other.
    pub(crate) fn make_least(&mut self, multipliers: &mut [f64]) {
        if self.foot.is_soft() && self.is_settled() && self.foot.is_soft() {
            self.foot.remove_null(multipliers);
        }
    }

    /// The multipliers that carry the foot, displaced by `offset`, onto the constraints linearized at
    /// the foot: G M⁻¹ Gᵀ λ = −(g + G · offset).
    pub(in crate::method::constraint) fn linearized(&mut self, offset: &[f64], multipliers: &mut [f64]) {
        self.residuals.copy_from_slice(&self.ahead.values);
        self.foot.add_product(offset, &mut self.residuals);
        self.foot.solve(&self.residuals, multipliers);
    }

    /// The equation that g violates most beyond the tolerance.
    pub(in crate::method::constraint) fn worst_value(&mut self, q: &[f64], tolerance: f64) -> Option<Excess> {
        self.sizes.measure((&self.foot.pattern, &self.foot.jacobian), (q, q), 0.0);
        self.sizes.worst(&self.ahead.values, tolerance)
    }

    /// The equation whose rate G v + ∂g/∂t is farthest beyond the tolerance. A rate may also be as large
    /// as its entry of `allowed`, if there are any.
    pub(in crate::method::constraint) fn worst_rate(
        &mut self,
        (q, v, t): (&[f64], &[f64], f64),
        tolerance: f64,
        allowed: &[f64],
    ) -> Option<Excess> {
        let Self { system, foot, sizes, residuals, .. } = self;
        sizes.measure((&foot.pattern, &foot.jacobian), (v, v), 0.0);
        system.constraint_rate(q, t, residuals);
        sizes.add(residuals);
        foot.add_product(v, residuals);
        for (residual, allowed) in residuals.iter_mut().zip(allowed) {
            // NaN is beyond.
            *residual = if residual.abs() <= *allowed { 0.0 } else { *residual };
        }
        sizes.worst(residuals, tolerance)
    }
}
