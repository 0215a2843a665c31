//! Derivatives by the sensitive parameters of a model.

use super::Assembly;
use crate::binding::terms::Terms;
use crate::error::BindError;
use crate::scratch::Scratch;
use crate::sparse::RowPattern;
use crate::system::{Forced, Holonomic, Nonholonomic, Parametric, Sampling, Signal, System};

/// A declaration whose sensitive parameters are coordinates.
pub(in crate::binding) struct WithParameters {
    assembly: Assembly,
    /// The number n of degrees of freedom.
    freedom: usize,
    values: Vec<f64>,
    /// The inputs among the parameters.
    inputs: Vec<(usize, Signal)>,
    memory: Scratch<Memory>,
}

/// The vectors of an evaluation.
struct Memory {
    /// (q, θ, v, 0, t).
    z: Vec<f64>,
    /// A direction by z, and a product by z.
    a: Vec<f64>,
    product: Vec<f64>,
    /// The velocities of x.
    v: Vec<f64>,
    /// A force on x that nobody reads.
    force: Vec<f64>,
}

impl WithParameters {
    /// The declaration with its parameters; `numbers` are the values of its fields, and the coordinates
    /// of `sampled` are averages of signals.
    pub(in crate::binding) fn new(
        assembly: Assembly,
        freedom: usize,
        numbers: Vec<f64>,
        sampled: Vec<(usize, Signal)>,
    ) -> Result<Self, BindError> {
        let (x, model) = (assembly.dimension(), assembly.facts.name);
        let mut values = numbers;
        let inputs: Vec<_> = sampled.into_iter().map(|(place, signal)| (place - freedom, signal)).collect();
        // Each signal has one place for all of its values.
        for (place, signal) in &inputs {
            let end = (place + signal.values().len()).min(values.len());
            values.splice((*place).min(end)..end, [0.0]);
        }
        if x != freedom + values.len() {
            let (expected, found) = (x - freedom, values.len());
            return Err(BindError::ParameterCount { model, expected, found });
        }
        let zeros = |length| vec![0.0; length];
        let memory = Scratch::new(move || Memory {
            z: zeros(2 * x + 1),
            a: zeros(2 * x + 1),
            product: zeros(2 * x + 1),
            v: zeros(x),
            force: zeros(x),
        });
        Ok(Self { assembly, freedom, values, inputs, memory })
    }

    fn add_product(
        &self,
        (q, v, t): (&[f64], &[f64], f64),
        (a, b): (&[f64], &[f64]),
        (product, product_v): (&mut [f64], &mut [f64]),
        with_potential: bool,
    ) {
        let (n, x, assembly) = (self.freedom, self.assembly.dimension(), &self.assembly);
        let fits = [q.len(), v.len(), b.len(), product_v.len()] == [n; 4];
        if !(fits && [a.len(), product.len()] == [x; 2]) {
            product.fill(f64::NAN);
            product_v.fill(f64::NAN);
            return;
        }
        let now = &assembly.at(t);
        self.memory.with(|Memory { z, a: along, product: sum, .. }| {
            self.place(q, z);
            z[x..x + n].copy_from_slice(v);
            z[2 * x] = t;
            along[..x].copy_from_slice(a);
            along[x..x + n].copy_from_slice(b);
            sum.fill(0.0);
            if with_potential {
                assembly.v().add_product(&z[..x], a, now, &mut sum[..x]);
                sum[..x].iter_mut().for_each(|entry| *entry = -*entry);
            }
            assembly.mass.multiply(&along[x..2 * x], &mut sum[x..2 * x]);
            assembly.r().add_product(z, along, now, sum);
            product.iter_mut().zip(&sum[..x]).for_each(|(to, value)| *to += value);
            product_v.iter_mut().zip(&sum[x..]).for_each(|(to, value)| *to += value);
        });
    }

    /// Runs `inside` at x, if the lengths fit.
    fn at(
        &self,
        q: &[f64],
        a: &[f64],
        result: &mut [f64],
        inside: impl FnOnce(&Assembly, &[f64], &mut [f64]),
    ) {
        if result.len() != self.assembly.dimension() {
            return result.fill(f64::NAN);
        }
        self.of_rows(q, a, result, inside);
    }

    /// As [`at`](Self::at), for a result of any length.
    fn of_rows(
        &self,
        q: &[f64],
        a: &[f64],
        result: &mut [f64],
        inside: impl FnOnce(&Assembly, &[f64], &mut [f64]),
    ) {
        let x = self.assembly.dimension();
        if q.len() != self.freedom || a.len() != x {
            return result.fill(f64::NAN);
        }
        self.memory.with(|Memory { z, .. }| {
            self.place(q, z);
            inside(&self.assembly, &z[..x], result);
        });
    }

    /// Runs `inside` at x with a direction a of q alone, if the lengths fit.
    fn along(
        &self,
        q: &[f64],
        a: &[f64],
        d: &[f64],
        result: &mut [f64],
        inside: impl FnOnce(&Assembly, &[f64], &[f64], &mut [f64]),
    ) {
        let (n, x) = (self.freedom, self.assembly.dimension());
        if [q.len(), a.len(), d.len()] != [n, n, x] {
            return result.fill(f64::NAN);
        }
        self.memory.with(|Memory { z, a: along, .. }| {
            self.place(q, z);
            along[..n].copy_from_slice(a);
            along[n..].fill(0.0);
            inside(&self.assembly, &z[..x], &along[..x], result);
        });
    }

    /// Runs `inside` at x and its velocities, if the lengths fit, with memory for a force on x;
    /// without velocities they are zero.
    fn at_motion<const N: usize>(
        &self,
        (q, v): (&[f64], &[f64]),
        results: [&mut [f64]; N],
        inside: impl FnOnce((&mut [f64], &[f64]), [&mut [f64]; N], &mut [f64]),
    ) {
        let (n, x) = (self.freedom, self.assembly.dimension());
        if q.len() != n || !(v.is_empty() || v.len() == n) {
            return results.into_iter().for_each(|result| result.fill(f64::NAN));
        }
        self.memory.with(|Memory { z, v: velocities, force, .. }| {
            self.place(q, z);
            velocities[..v.len()].copy_from_slice(v);
            inside((&mut z[..x], velocities), results, force);
        });
    }

    /// Writes (q, θ) over the front of z.
    fn place(&self, q: &[f64], z: &mut [f64]) {
        z[..self.freedom].copy_from_slice(q);
        z[self.freedom..self.freedom + self.values.len()].copy_from_slice(&self.values);
    }
}

impl Parametric for WithParameters {
    fn count(&self) -> usize {
        self.values.len()
    }

    fn values(&self) -> &[f64] {
        &self.values
    }

    fn inputs(&self) -> &[(usize, Signal)] {
        &self.inputs
    }

    fn name(&self, parameter: usize) -> String {
        self.assembly.layout.name_of(self.freedom + parameter)
    }

    fn couplings(&self) -> Option<[Vec<(usize, usize)>; 3]> {
        let Self { freedom, assembly: Assembly { potential, general, constraints, .. }, .. } = self;
        let (n, x) = (*freedom, self.assembly.dimension());
        let parts = [potential.all(), Terms::of(general), Terms::of(&constraints.families)];
        if parts.iter().any(|terms| terms.reads_sums() || !terms.near.is_empty()) {
            return None;
        }
        Some(parts.map(|terms| {
            let mut entries = Vec::new();
            for family in terms.families {
                family.visit_elements(&mut |_, inputs| {
                    let places = inputs.iter().map(|input| *input as usize);
                    let of_theta = places.clone().filter(|place| (n..x).contains(place));
                    for i in places.filter(|place| *place < 2 * x && place % x < n) {
                        entries.extend(of_theta.clone().map(|j| (i % x, j)));
                    }
                });
            }
            entries.sort_unstable();
            entries.dedup();
            entries
        }))
    }

    fn add_potential_product(&self, q: &[f64], t: f64, a: &[f64], product: &mut [f64]) {
        self.at(q, a, product, |assembly, x, product| {
            assembly.v().add_product(x, a, &assembly.at(t), product);
        });
    }

    fn add_potential_third(&self, q: &[f64], t: f64, a: &[f64], contraction: &mut [f64]) {
        self.at(q, a, contraction, |assembly, x, contraction| {
            assembly.v().add_third(x, a, &assembly.at(t), contraction);
        });
    }

    fn add_stiff_third(&self, q: &[f64], t: f64, a: &[f64], contraction: &mut [f64]) {
        self.at(q, a, contraction, |assembly, x, contraction| {
            assembly.stiff().add_third(x, a, &assembly.at(t), contraction);
        });
    }

    fn has_third_rates(&self) -> bool {
        let Assembly { potential, constraints, .. } = &self.assembly;
        potential.all().have_third_rates() && Terms::of(&constraints.families).have_third_rates()
    }

    fn add_potential_third_rate(&self, q: &[f64], t: f64, (a, d): (&[f64], &[f64]), rate: &mut [f64]) {
        self.along(q, a, d, rate, |assembly, x, a, rate| {
            assembly.v().add_third_rate(x, (a, d), &assembly.at(t), rate);
        });
    }

    fn add_lagrangian_product(
        &self,
        (q, v, t): (&[f64], &[f64], f64),
        (a, b): (&[f64], &[f64]),
        (product, product_v): (&mut [f64], &mut [f64]),
    ) {
        self.add_product((q, v, t), (a, b), (product, product_v), true);
    }

    fn add_kinetic_product(
        &self,
        (q, v, t): (&[f64], &[f64], f64),
        (a, b): (&[f64], &[f64]),
        (product, product_v): (&mut [f64], &mut [f64]),
    ) {
        self.add_product((q, v, t), (a, b), (product, product_v), false);
    }

    fn add_constraint_product(&self, q: &[f64], t: f64, weights: &[f64], a: &[f64], product: &mut [f64]) {
        self.at(q, a, product, |assembly, x, product| {
            assembly.add_weighted_product(x, t, weights, a, product);
        });
    }

    fn add_constraint_third(&self, q: &[f64], t: f64, weights: &[f64], a: &[f64], contraction: &mut [f64]) {
        self.at(q, a, contraction, |assembly, x, contraction| {
            assembly.add_weighted_third(x, t, weights, a, contraction);
        });
    }

    fn add_constraint_third_rate(
        &self,
        q: &[f64],
        t: f64,
        weights: &[f64],
        (a, d): (&[f64], &[f64]),
        rate: &mut [f64],
    ) {
        self.along(q, a, d, rate, |assembly, x, a, rate| {
            assembly.constraints.add_weighted_third_rate((x, &assembly.at(t)), (weights, a, d), rate);
        });
    }

    fn add_constraint_quadratic_rate(&self, q: &[f64], t: f64, (a, d): (&[f64], &[f64]), rate: &mut [f64]) {
        self.along(q, a, d, rate, |assembly, x, a, rate| {
            assembly.constraints.add_quadratic_rate((x, &assembly.at(t)), (a, d), rate);
        });
    }

    fn constraint_quadratic(&self, q: &[f64], t: f64, a: &[f64], quadratic: &mut [f64]) {
        self.of_rows(q, a, quadratic, |assembly, x, quadratic| {
            assembly.constraint_quadratic(x, t, a, quadratic);
        });
    }

    fn constraint_pattern(&self) -> &RowPattern {
        self.assembly.jacobian_pattern()
    }

    fn constraint_jacobian(&self, q: &[f64], t: f64, values: &mut [f64], jacobian: &mut [f64]) {
        self.at_motion((q, &[]), [values, jacobian], |(x, _), [values, jacobian], _| {
            self.assembly.jacobian(x, t, values, jacobian);
        });
    }

    fn constraint_curvature(&self, q: &[f64], v: &[f64], t: f64, curvature: &mut [f64]) {
        self.at_motion((q, &[]), [curvature], |(x, _), [curvature], _| {
            self.assembly.constraint_curvature(x, v, t, curvature);
        });
    }

    fn force_pattern(&self) -> &RowPattern {
        self.assembly.force_pattern()
    }

    fn add_force_derivatives(&self, q: &[f64], v: &[f64], t: f64, derivatives: &mut [f64]) {
        self.add_force_derivatives_sampled((q, v, t), None, derivatives);
    }

    fn add_force_derivatives_sampled(
        &self,
        (q, v, t): (&[f64], &[f64], f64),
        sampling: Option<Sampling>,
        derivatives: &mut [f64],
    ) {
        self.at_motion((q, v), [derivatives], |(x, v), [derivatives], force| {
            for (place, signal) in &self.inputs {
                x[self.freedom + place] = sampling.map_or_else(|| signal.value(t), |of| of.of(signal));
            }
            let forced: &dyn Forced = &self.assembly;
            forced.add_force_derivatives_sampled(x, v, t, sampling, force, derivatives);
        });
    }

    fn nonholonomic_pattern(&self) -> &RowPattern {
        self.assembly.nonholonomic_pattern()
    }

    fn nonholonomic_derivatives(
        &self,
        q: &[f64],
        v: &[f64],
        t: f64,
        values: &mut [f64],
        derivatives: &mut [f64],
    ) {
        self.at_motion((q, v), [values, derivatives], |(x, v), [values, derivatives], _| {
            self.assembly.nonholonomic_derivatives(x, v, t, values, derivatives);
        });
    }
}
