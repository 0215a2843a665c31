//! Constraints: g(q, t) and its Jacobian G, and constraints c(q, v, t) on velocities.

use super::Assembly;
use crate::binding::function::Along;
use crate::binding::function::RowFunction;
use crate::sparse::{RowPattern, SymmetricPattern};
use crate::system::{Holonomic, MomentMethod, Moments, Nonholonomic, RowsOf};

impl Holonomic for Assembly {
    fn constraints(&self) -> usize {
        self.rows.count()
    }

    fn constraint_name(&self, row: usize) -> String {
        self.rows.name_of(row)
    }

    fn constraint_values(&self, q: &[f64], t: f64, values: &mut [f64]) {
        let Some(()) = self.fits(&[q], [values]) else { return };
        values.fill(0.0);
        self.constraints.add_values(&self.positions, (&[q], &self.at(t)), values);
    }

    fn constraints_move(&self) -> bool {
        let facts = &self.facts.classification;
        facts.time || facts.phase_in_constraints || !self.signals.named().is_empty()
    }

    fn jacobian_pattern(&self) -> &RowPattern {
        self.constraints.pattern(&self.positions)
    }

    fn jacobian(&self, q: &[f64], t: f64, values: &mut [f64], jacobian: &mut [f64]) {
        let Some(()) = self.fits(&[q], [values, jacobian]) else { return };
        values.fill(0.0);
        if !self.constraints.is_written() {
            jacobian.fill(0.0);
        }
        self.constraints.add_jacobian((&self.positions, 0), (&[q], &self.at(t)), values, jacobian);
    }

    fn constraint_rate(&self, q: &[f64], t: f64, rate: &mut [f64]) {
        let Some(()) = self.fits(&[q], [rate]) else { return };
        rate.fill(0.0);
        if self.facts.classification.time {
            self.constraints.add_rate(&self.positions, (&[q], &self.at(t)), rate);
        }
    }

    fn constraint_curvature(&self, q: &[f64], v: &[f64], t: f64, curvature: &mut [f64]) {
        let Some(()) = self.fits(&[q, v], [curvature]) else { return };
        curvature.fill(0.0);
        self.constraints.add_curvature(&self.positions, (q, &self.at(t)), (v, Along::Motion), curvature);
    }

    fn constraint_quadratic(&self, q: &[f64], t: f64, a: &[f64], quadratic: &mut [f64]) {
        let Some(()) = self.fits(&[q, a], [quadratic]) else { return };
        quadratic.fill(0.0);
        self.constraints.add_curvature(&self.positions, (q, &self.at(t)), (a, Along::Line), quadratic);
    }

    fn weighted_pattern(&self) -> &SymmetricPattern {
        // A caller whose second derivatives were refused does not come here.
        self.constraints.second(&self.positions).map_or(&self.mass.pattern, |second| &second.pattern)
    }

    fn weighted_hessian(&self, q: &[f64], t: f64, weights: &[f64], hessian: &mut [f64]) {
        let Some(()) = self.fits(&[q], [hessian]) else { return };
        self.constraints.write_weighted(&self.positions, (q, &self.at(t)), weights, hessian);
    }

    fn add_weighted_product(&self, q: &[f64], t: f64, weights: &[f64], a: &[f64], product: &mut [f64]) {
        let Some(()) = self.fits(&[q, a], [product]) else { return };
        let at = (q, &self.at(t));
        self.constraints.add_weighted_product(&self.positions, at, (weights, a), product);
    }

    fn add_weighted_third(&self, q: &[f64], t: f64, weights: &[f64], a: &[f64], contraction: &mut [f64]) {
        let Some(()) = self.fits(&[q, a], [contraction]) else { return };
        let at = (q, &self.at(t));
        self.constraints.add_weighted_third(&self.positions, at, (weights, a), contraction);
    }

    fn add_weighted_third_rate(
        &self,
        q: &[f64],
        t: f64,
        weights: &[f64],
        (a, d): (&[f64], &[f64]),
        rate: &mut [f64],
    ) {
        let Some(()) = self.fits(&[q, a, d], [rate]) else { return };
        self.constraints.add_weighted_third_rate((q, &self.at(t)), (weights, a, d), rate);
    }

    fn constraint_quadratic_rate(&self, q: &[f64], t: f64, (a, d): (&[f64], &[f64]), rate: &mut [f64]) {
        let Some(()) = self.fits(&[q, a, d], [rate]) else { return };
        rate.fill(0.0);
        self.constraints.add_quadratic_rate((q, &self.at(t)), (a, d), rate);
    }
}

impl Nonholonomic for Assembly {
    fn nonholonomic_rows(&self) -> usize {
        self.of_motion[0].rows.count()
    }

    fn nonholonomic_name(&self, row: usize) -> String {
        self.of_motion[0].rows.name_of(row)
    }

    fn nonholonomic_pattern(&self) -> &RowPattern {
        self.moment_pattern(RowsOf::Nonholonomic)
    }

    fn nonholonomic_values(&self, q: &[f64], v: &[f64], t: f64, values: &mut [f64]) {
        self.moment_values(RowsOf::Nonholonomic, q, v, t, values);
    }

    fn nonholonomic_derivatives(
        &self,
        q: &[f64],
        v: &[f64],
        t: f64,
        values: &mut [f64],
        derivatives: &mut [f64],
    ) {
        self.moment_derivatives(RowsOf::Nonholonomic, q, v, t, values, derivatives);
    }

    fn nonholonomic_time_derivative(&self, q: &[f64], v: &[f64], t: f64, rate: &mut [f64]) {
        let Some(()) = self.fits(&[q, v], [rate]) else { return };
        rate.fill(0.0);
        if self.facts.classification.time {
            self.moment_rates(RowsOf::Nonholonomic, q, v, t, rate);
        }
    }
}

impl Assembly {
    fn of_motion(&self, of: RowsOf) -> &RowFunction {
        &self.of_motion[(of as usize).saturating_sub(1)].function
    }
}

impl Moments for Assembly {
    fn moment_methods(&self, of: RowsOf) -> &[MomentMethod] {
        (of as usize).checked_sub(RowsOf::Reset as usize).map_or(&[], |kind| &self.moments[kind])
    }

    fn moment_pattern(&self, of: RowsOf) -> &RowPattern {
        self.of_motion(of).pattern(&self.motion)
    }

    fn moment_values(&self, of: RowsOf, q: &[f64], v: &[f64], t: f64, values: &mut [f64]) {
        let Some(()) = self.fits(&[q, v], [values]) else { return };
        values.fill(0.0);
        self.of_motion(of).add_values(&self.motion, (&[q, v, &[t]], &self.at(t)), values);
    }

    fn moment_derivatives(
        &self,
        of: RowsOf,
        q: &[f64],
        v: &[f64],
        t: f64,
        values: &mut [f64],
        derivatives: &mut [f64],
    ) {
        let Some(()) = self.fits(&[q, v], [values, derivatives]) else { return };
        values.fill(0.0);
        derivatives.fill(0.0);
        let at: (&[&[f64]], _) = (&[q, v, &[t]], &self.at(t));
        self.of_motion(of).add_jacobian((&self.motion, 0), at, values, derivatives);
    }

    fn moment_rates(&self, of: RowsOf, q: &[f64], v: &[f64], t: f64, rates: &mut [f64]) {
        let Some(()) = self.fits(&[q, v], [rates]) else { return };
        rates.fill(0.0);
        self.of_motion(of).add_rate(&self.motion, (&[q, v, &[t]], &self.at(t)), rates);
    }
}
