//! Constraints: g(q, t) and its Jacobian G, and those on velocities.

use super::Assembly;
use crate::binding::moving::Motion;
use crate::binding::stages::Line;
use crate::sparse::{RowPattern, SymmetricPattern};
use crate::system::{Holonomic, Nonholonomic};

impl Holonomic for Assembly {
    fn constraints(&self) -> usize {
        self.rows.count()
    }

    fn constraint_name(&self, row: usize) -> String {
        self.rows.name_of(row)
    }

    fn constraint_values(&self, q: &[f64], t: f64, values: &mut [f64]) {
        let Some(()) = self.fits(&[q], [values]) else { return };
        let now = &self.at(t);
        values.fill(0.0);
        match self.constrained_by_sums() {
            None => self.constraints.iter().for_each(|family| family.add_values(q, now, values)),
            Some((staged, _)) => self.add_staged_constraints(staged, q, now, values),
        }
    }

    fn jacobian_pattern(&self) -> &RowPattern {
        &self.jacobian_pattern
    }

    fn jacobian(&self, q: &[f64], t: f64, values: &mut [f64], jacobian: &mut [f64]) {
        let Some(()) = self.fits(&[q], [values, jacobian]) else { return };
        let now = &self.at(t);
        values.fill(0.0);
        jacobian.fill(0.0);
        match self.constrained_by_sums() {
            None => self.constraints.iter().for_each(|family| family.add_jacobian(q, now, values, jacobian)),
            Some(staged) => self.add_staged_jacobian(staged, q, now, values, jacobian),
        }
    }

    fn constraint_rate(&self, q: &[f64], t: f64, rate: &mut [f64]) {
        let Some(()) = self.fits(&[q], [rate]) else { return };
        let now = &self.at(t);
        rate.fill(0.0);
        if self.facts.classification.time {
            match self.constrained_by_sums() {
                None => self.constraints.iter().for_each(|term| term.add_rate(q, now, rate)),
                Some(staged) => self.add_staged_constraint_rate(staged, q, now, rate),
            }
        }
    }

    fn constraint_curvature(&self, q: &[f64], v: &[f64], t: f64, curvature: &mut [f64]) {
        let Some(()) = self.fits(&[q, v], [curvature]) else { return };
        let now = &self.at(t);
        curvature.fill(0.0);
        match self.constrained_by_sums() {
            None => self.constraints.iter().for_each(|term| term.add_curvature(q, v, now, curvature)),
            Some(staged) => self.add_staged_curvature(staged, (q, now), v, Line::InTime, curvature),
        }
    }

    fn constraint_quadratic(&self, q: &[f64], t: f64, a: &[f64], quadratic: &mut [f64]) {
        let Some(()) = self.fits(&[q, a], [quadratic]) else { return };
        let now = &self.at(t);
        quadratic.fill(0.0);
        match self.constrained_by_sums() {
            None => self.constraints.iter().for_each(|term| term.add_quadratic(q, now, a, quadratic)),
            Some(staged) => self.add_staged_curvature(staged, (q, now), a, Line::Fixed, quadratic),
        }
    }

    fn weighted_pattern(&self) -> &SymmetricPattern {
        match self.constrained_by_sums() {
            None => &self.weighted().0,
            Some((staged, _)) => self.staged_weighted_pattern(staged),
        }
    }

    fn weighted_hessian(&self, q: &[f64], t: f64, weights: &[f64], hessian: &mut [f64]) {
        let Some(()) = self.fits(&[q], [hessian]) else { return };
        let now = &self.at(t);
        hessian.fill(0.0);
        if let Some(staged) = self.constrained_by_sums() {
            return self.staged_weighted_hessian(staged, (q, now), weights, hessian);
        }
        for (family, placed) in self.constraints.iter().zip(&self.weighted().1) {
            family.elements().add_weighted_hessian(placed, q, now, weights, hessian);
        }
    }

    fn add_weighted_product(&self, q: &[f64], t: f64, weights: &[f64], a: &[f64], product: &mut [f64]) {
        let Some(()) = self.fits(&[q, a], [product]) else { return };
        let now = &self.at(t);
        if let Some(staged) = self.constrained_by_sums() {
            return self.add_staged_weighted(staged, (q, now), (weights, a), 1, product);
        }
        self.constraints
            .iter()
            .for_each(|term| term.elements().add_weighted_product(q, now, weights, a, product));
    }

    fn add_weighted_third(&self, q: &[f64], t: f64, weights: &[f64], a: &[f64], contraction: &mut [f64]) {
        let Some(()) = self.fits(&[q, a], [contraction]) else { return };
        let now = &self.at(t);
        if let Some(staged) = self.constrained_by_sums() {
            return self.add_staged_weighted(staged, (q, now), (weights, a), 2, contraction);
        }
        self.constraints
            .iter()
            .for_each(|term| term.elements().add_weighted_third(q, now, weights, a, contraction));
    }
}

impl Nonholonomic for Assembly {
    fn nonholonomic_rows(&self) -> usize {
        self.nonholonomic_rows.count()
    }

    fn nonholonomic_name(&self, row: usize) -> String {
        self.nonholonomic_rows.name_of(row)
    }

    fn nonholonomic_pattern(&self) -> &RowPattern {
        &self.of_velocities.pattern
    }

    fn nonholonomic_values(&self, q: &[f64], v: &[f64], t: f64, values: &mut [f64]) {
        let Some(()) = self.fits(&[q, v], [values]) else { return };
        let now = &self.at(t);
        values.fill(0.0);
        self.with_motion(Motion { q, v, t, now }, |z| {
            self.nonholonomic.iter().for_each(|family| family.add_values(z, now, values));
        });
    }

    fn nonholonomic_derivatives(
        &self,
        q: &[f64],
        v: &[f64],
        t: f64,
        values: &mut [f64],
        derivatives: &mut [f64],
    ) {
        let Some(()) = self.fits(&[q, v], [values, derivatives]) else { return };
        let now = &self.at(t);
        values.fill(0.0);
        derivatives.fill(0.0);
        self.with_motion(Motion { q, v, t, now }, |z| {
            self.nonholonomic.iter().for_each(|family| family.add_values(z, now, values));
            self.add_row_derivatives(&self.nonholonomic, &self.of_velocities, z, now, derivatives);
        });
    }

    fn nonholonomic_time_derivative(&self, q: &[f64], v: &[f64], t: f64, rate: &mut [f64]) {
        let Some(()) = self.fits(&[q, v], [rate]) else { return };
        let now = &self.at(t);
        rate.fill(0.0);
        if self.facts.classification.time {
            self.add_rate_of_rows(Motion { q, v, t, now }, &self.nonholonomic, &self.of_velocities, rate);
        }
    }
}
