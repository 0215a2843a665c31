//! κ = v · Hess g + ∂ₜ∇g, the derivative of the hidden constraint G v + ∂g/∂t = 0 by the position.

use crate::polar::Polar;
use crate::system::Holonomic;

/// Memory for κ.
pub(in crate::method) struct Hidden {
    polar: Polar,
    /// v over x, where parameters are at rest.
    direction: Vec<f64>,
}

impl Hidden {
    pub(in crate::method) fn new(n: usize, rows: usize) -> Self {
        Self { polar: Polar::new(n, rows), direction: vec![0.0; n] }
    }

    /// Writes κ a over `y`, from d²g/dt² at the velocities v ± a, exactly.
    pub(in crate::method) fn rates(
        &mut self,
        rows: Option<&dyn Holonomic>,
        (x, v, t): (&[f64], &[f64], f64),
        a: &[f64],
        y: &mut [f64],
    ) {
        let Some(rows) = rows else { return };
        self.polar.product(v, a, y, |velocity, rates| rows.constraint_curvature(x, velocity, t, rates));
    }

    /// Adds κᵀ w to `y`, of length n or all of x.
    ///
    /// For constraints that move it takes the columns of κ one by one: no kernel has a weighted ∂ₜ∇g.
    pub(in crate::method) fn add_transposed(
        &mut self,
        rows: Option<&dyn Holonomic>,
        (x, v, t): (&[f64], &[f64], f64),
        weights: &[f64],
        y: &mut [f64],
    ) {
        let Some(own) = rows else { return };
        let length = y.len();
        if own.constraints_move() {
            let (mut column, mut rates) = (vec![0.0; length], vec![0.0; weights.len()]);
            for (place, entry) in y.iter_mut().enumerate() {
                column[place] = 1.0;
                self.rates(rows, (x, v, t), &column, &mut rates);
                column[place] = 0.0;
                *entry += rates.iter().zip(weights).map(|(rate, weight)| rate * weight).sum::<f64>();
            }
            return;
        }
        self.direction[..v.len()].copy_from_slice(v);
        own.add_weighted_product(x, t, weights, &self.direction, y);
    }
}
