//! The equation that a state violates most.

use super::Manifold;
use crate::method::constraint::natural_size::worst;
use crate::system::Constrained;

impl<S: Constrained + ?Sized> Manifold<'_, S> {
    /// The equation that g violates most beyond the tolerance, its value, and the largest accepted one.
    pub(crate) fn worst_value(&mut self, q: &[f64], tolerance: f64) -> Option<(usize, f64, f64)> {
        self.measure(q, q, 0.0);
        worst(&self.values, &self.reciprocal_sizes, tolerance)
    }

    /// The equation whose rate G v + ∂g/∂t is farthest beyond the tolerance, with the rate and the
    /// largest accepted one.
    pub(crate) fn worst_rate(
        &mut self,
        q: &[f64],
        v: &[f64],
        t: f64,
        tolerance: f64,
    ) -> Option<(usize, f64, f64)> {
        self.measure(v, v, 0.0);
        self.system.constraint_rate(q, t, &mut self.residuals);
        for (size, rate) in self.reciprocal_sizes.iter_mut().zip(&self.residuals) {
            *size = 1.0 / (1.0 / *size + rate.abs());
        }
        self.add_product(v);
        worst(&self.residuals, &self.reciprocal_sizes, tolerance)
    }

    /// [`Manifold::worst_rate`], where each rate may also be as large as its entry of `allowed`.
    pub(crate) fn rates_beyond(
        &mut self,
        q: &[f64],
        v: &[f64],
        t: f64,
        tolerance: f64,
        allowed: &[f64],
    ) -> Option<(usize, f64, f64)> {
        self.worst_rate(q, v, t, tolerance)?;
        for (residual, allowed) in self.residuals.iter_mut().zip(allowed) {
            // NaN is beyond.
            *residual = if residual.abs() <= *allowed { 0.0 } else { *residual };
        }
        worst(&self.residuals, &self.reciprocal_sizes, tolerance)
    }
}
