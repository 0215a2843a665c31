//! κ = v · Hess g + ∂ₜ∇g, the derivative of the hidden constraint G v + ∂g/∂t = 0 by the position.

use super::natural::scale;
use crate::system::Holonomic;

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
        rows: Option<&dyn Holonomic>,
        (x, v, t): (&[f64], &[f64], f64),
        a: &[f64],
        y: &mut [f64],
    ) {
        let Some(rows) = rows else { return };
        // Velocities of one size keep the digits.
        let scale = scale(v, a);
        // Parameters are at rest.
        let v = v.iter().chain(std::iter::repeat(&0.0));
        for (((faster, slower), v), a) in self.faster.iter_mut().zip(&mut self.slower).zip(v).zip(a) {
            (*faster, *slower) = (v + scale * a, v - scale * a);
        }
        for (velocity, rates) in [(&self.faster, &mut *y), (&self.slower, &mut self.rates)] {
            rows.constraint_curvature(x, velocity, t, rates);
        }
        let factor = 0.25 / scale;
        y.iter_mut().zip(&self.rates).for_each(|(y, rate)| *y = factor * (*y - rate));
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
        let direction = &mut self.faster;
        direction.fill(0.0);
        direction[..v.len()].copy_from_slice(v);
        own.add_weighted_product(x, t, weights, direction, y);
    }
}
