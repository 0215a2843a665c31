//! The Lagrangian of a reduced system, ½ vᵀ M' v − V', and its derivatives in (q, v, t).

use super::JacobiReduced;
use crate::sparse::{SymmetricMatrix, SymmetricPattern};
use crate::system::{Lagrangian, Natural, finish_gradient};
use crate::wrap::second::AddedSecond;

impl<S: Natural + ?Sized> JacobiReduced<'_, S> {
    fn second(&self) -> &AddedSecond {
        self.second.get_or_init(|| AddedSecond::new(&self.mass.pattern, &self.pattern))
    }
}

impl<S: Natural + ?Sized> Lagrangian for JacobiReduced<'_, S> {
    fn lagrangian(&self, q: &[f64], v: &[f64], t: f64) -> f64 {
        0.5 * self.mass.quadratic(v) - self.potential(q, t)
    }

    fn energy(&self, q: &[f64], v: &[f64], t: f64) -> f64 {
        0.5 * self.mass.quadratic(v) + self.potential(q, t)
    }

    fn first_derivatives(&self, q: &[f64], v: &[f64], t: f64, gradient: &mut [f64]) {
        let (of_positions, rest) = gradient.split_at_mut(q.len());
        self.potential_gradient(q, t, of_positions);
        finish_gradient(self, q, v, t, of_positions, rest);
    }

    fn second_pattern(&self) -> &SymmetricPattern {
        &self.second().layout.pattern
    }

    fn second_derivatives(&self, q: &[f64], v: &[f64], t: f64, gradient: &mut [f64], hessian: &mut [f64]) {
        let second = self.second();
        let (of_positions, rest) = gradient.split_at_mut(q.len());
        second.hessian.with(|potential| {
            self.potential_second(q, t, of_positions, potential);
            second.layout.fill(&self.mass.values, potential, hessian);
        });
        finish_gradient(self, q, v, t, of_positions, rest);
    }

    fn natural_mass(&self) -> Option<&SymmetricMatrix> {
        Some(&self.mass)
    }
}
