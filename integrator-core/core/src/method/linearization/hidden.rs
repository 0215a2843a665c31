//! κ = v · Hess g + ∂ₜ∇g, the derivative of the hidden constraint G v + ∂g/∂t = 0 by the position.

use crate::system::{Holonomic, Parametric};

/// Memory for κ.
pub(in crate::method) struct Hidden {
    /// v ± a over x.
    faster: Vec<f64>,
    slower: Vec<f64>,
    rates: Vec<f64>,
}

impl Hidden {
    pub(in crate::method) fn new(n: usize, rows: usize) -> Self {
        Self { faster: vec![0.0; n], slower: vec![0.0; n], rates: vec![0.0; rows] }
    }

    /// Writes κ a over `y`: a quarter of the difference of d²g/dt² at the velocities v ± a, exactly.
    pub(in crate::method) fn rates(
        &mut self,
        (holonomic, parametric): (Option<&dyn Holonomic>, Option<&dyn Parametric>),
        (q, v, t): (&[f64], &[f64], f64),
        a: &[f64],
        y: &mut [f64],
    ) {
        let Some(holonomic) = holonomic else { return };
        // Velocities of one size keep the digits.
        let largest = |x: &[f64]| x.iter().fold(0.0, |most: f64, entry| most.max(entry.abs()));
        let (size, other) = (largest(v), largest(a));
        let scale = if size > 0.0 && other > 0.0 { size / other } else { 1.0 };
        // Parameters are at rest.
        let v = v.iter().chain(std::iter::repeat(&0.0));
        for (((faster, slower), v), a) in self.faster.iter_mut().zip(&mut self.slower).zip(v).zip(a) {
            (*faster, *slower) = (v + scale * a, v - scale * a);
        }
        for (velocity, rates) in [(&self.faster, &mut *y), (&self.slower, &mut self.rates)] {
            match parametric {
                None => holonomic.constraint_curvature(q, velocity, t, rates),
                Some(parametric) => parametric.constraint_curvature(q, velocity, t, rates),
            }
        }
        let factor = 0.25 / scale;
        y.iter_mut().zip(&self.rates).for_each(|(y, rate)| *y = factor * (*y - rate));
    }
}

/// Adds κᵀ w to `y`, for constraints without time.
pub(in crate::method) fn add_hidden_transposed(
    holonomic: Option<&dyn Holonomic>,
    (q, v, t): (&[f64], &[f64], f64),
    weights: &[f64],
    y: &mut [f64],
) {
    if let Some(holonomic) = holonomic {
        holonomic.add_weighted_product(q, t, weights, v, &mut y[..v.len()]);
    }
}
