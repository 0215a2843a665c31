//! Derivatives by the sensitive parameters of a model.

use super::Assembly;
use super::penalty::Penalty;
use crate::error::BindError;
use crate::scratch::Scratch;
use crate::sparse::RowPattern;
use crate::system::{Forced, Holonomic, Nonholonomic, Sampling, System};
use std::sync::Arc;

/// A model whose sensitive parameters θ are coordinates at rest: x = (q, θ).
///
/// The derivatives by x contain the derivatives by θ: Hess V · (a, 0) has Hess V · a in its first n rows,
/// and ∂(∇V · a)/∂θ in the rows behind. Along a direction (0, b), the first n rows are the derivative of
/// ∇V along b.
///
/// # Shapes
/// q, v: n. Directions and results by x: n + p, q first, with p parameters. Derivatives by rows: the
/// order of their pattern. For a q, v or direction of another length results are NaN.
pub struct Parametric {
    assembly: Arc<Assembly>,
    /// The penalty in place of the constraints, whose ω is the last parameter.
    penalty: Option<Penalty>,
    /// The number n of degrees of freedom.
    freedom: usize,
    values: Vec<f64>,
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

impl Parametric {
    /// The declaration with its parameters, which have these values.
    pub(in crate::binding) fn new(
        assembly: Assembly,
        freedom: usize,
        values: Vec<f64>,
    ) -> Result<Self, BindError> {
        let (x, model) = (assembly.dimension(), assembly.facts.name);
        if x != freedom + values.len() {
            let (expected, found) = (x - freedom, values.len());
            return Err(BindError::ParameterCount { model, expected, found });
        }
        Ok(Self::with(Arc::new(assembly), None, freedom, values))
    }

    /// The system with the penalty ½ ω² g·g in place of its constraints; ω is one more parameter.
    pub(crate) fn penalized(&self, omega: f64) -> Self {
        let values = self.values.iter().copied().chain([omega]).collect();
        let penalty = Penalty::new(&self.assembly, omega);
        Self::with(Arc::clone(&self.assembly), Some(penalty), self.freedom, values)
    }

    fn with(assembly: Arc<Assembly>, penalty: Option<Penalty>, freedom: usize, values: Vec<f64>) -> Self {
        let x = assembly.dimension();
        let zeros = |length| vec![0.0; length];
        let memory = Scratch::new(move || Memory {
            z: zeros(2 * x + 1),
            a: zeros(2 * x + 1),
            product: zeros(2 * x + 1),
            v: zeros(x),
            force: zeros(x),
        });
        Self { assembly, penalty, freedom, values, memory }
    }

    /// The number of coordinates and parameters, and of the ones that the kernels know: all but ω.
    fn lengths(&self) -> [usize; 2] {
        [self.freedom + self.values.len(), self.assembly.dimension()]
    }

    /// The number p of parameters.
    pub fn count(&self) -> usize {
        self.values.len()
    }

    /// The values θ.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The name of a parameter, such as `masses[3]`.
    pub fn name(&self, parameter: usize) -> String {
        let index = self.freedom + parameter;
        if index < self.assembly.dimension() {
            self.assembly.layout.name_of(index)
        } else {
            "omega".to_owned()
        }
    }

    /// Adds Hess V(q, t) · a by x to `product`.
    pub fn add_potential_product(&self, q: &[f64], t: f64, a: &[f64], product: &mut [f64]) {
        let [_, own] = self.lengths();
        self.at(q, a, product, |assembly, x, product| {
            assembly.v().add_product(x, &a[..own], &assembly.at(t), &mut product[..own]);
            if let (Some(penalty), (a, [b]), (sum, [of_omega])) =
                (&self.penalty, a.split_at(own), product.split_at_mut(own))
            {
                penalty.add_product((assembly, x, t), (a, *b), (sum, of_omega));
            }
        });
    }

    /// Adds a·V‴(q, t)·a = ∇(aᵀ Hess V a) by x with fixed a to `contraction`.
    pub fn add_potential_third(&self, q: &[f64], t: f64, a: &[f64], contraction: &mut [f64]) {
        let [_, own] = self.lengths();
        self.at(q, a, contraction, |assembly, x, contraction| {
            assembly.v().add_third(x, &a[..own], &assembly.at(t), &mut contraction[..own]);
            if let (Some(penalty), (a, [b]), (sum, [of_omega])) =
                (&self.penalty, a.split_at(own), contraction.split_at_mut(own))
            {
                penalty.add_third((assembly, x, t), (a, *b), (sum, of_omega));
            }
        });
    }

    /// Adds Hess L · (a, b) to the products by x and by v; `b` and `product_v` have length n.
    pub fn add_lagrangian_product(
        &self,
        (q, v, t): (&[f64], &[f64], f64),
        (a, b): (&[f64], &[f64]),
        (product, product_v): (&mut [f64], &mut [f64]),
    ) {
        self.add_product((q, v, t), (a, b), (product, product_v), true);
    }

    /// As [`add_lagrangian_product`](Self::add_lagrangian_product) for L + V: all of L but the potential.
    pub fn add_kinetic_product(
        &self,
        (q, v, t): (&[f64], &[f64], f64),
        (a, b): (&[f64], &[f64]),
        (product, product_v): (&mut [f64], &mut [f64]),
    ) {
        self.add_product((q, v, t), (a, b), (product, product_v), false);
    }

    fn add_product(
        &self,
        (q, v, t): (&[f64], &[f64], f64),
        (a, b): (&[f64], &[f64]),
        (product, product_v): (&mut [f64], &mut [f64]),
        with_potential: bool,
    ) {
        let (n, [whole, x], assembly) = (self.freedom, self.lengths(), &self.assembly);
        let fits = [q.len(), v.len(), b.len(), product_v.len()] == [n; 4];
        if !(fits && [a.len(), product.len()] == [whole; 2]) {
            product.fill(f64::NAN);
            product_v.fill(f64::NAN);
            return;
        }
        if with_potential {
            // L contains −V.
            product.iter_mut().for_each(|entry| *entry = -*entry);
            self.add_potential_product(q, t, a, product);
            product.iter_mut().for_each(|entry| *entry = -*entry);
        }
        let now = &assembly.at(t);
        self.memory.with(|Memory { z, a: along, product: sum, .. }| {
            self.place(q, z);
            z[x..x + n].copy_from_slice(v);
            z[2 * x] = t;
            along[..x].copy_from_slice(&a[..x]);
            along[x..x + n].copy_from_slice(b);
            sum.fill(0.0);
            assembly.mass.multiply(&along[x..2 * x], &mut sum[x..2 * x]);
            assembly.r().add_product(z, along, now, sum);
            product.iter_mut().zip(&sum[..x]).for_each(|(to, value)| *to += value);
            product_v.iter_mut().zip(&sum[x..]).for_each(|(to, value)| *to += value);
        });
    }

    /// Adds Σ w_c Hess g_c(q, t) · a by x to `product`.
    pub fn add_constraint_product(&self, q: &[f64], t: f64, weights: &[f64], a: &[f64], product: &mut [f64]) {
        self.at(q, a, product, |assembly, x, product| {
            let own = x.len();
            assembly.add_weighted_product(x, t, weights, &a[..own], &mut product[..own]);
        });
    }

    /// The pattern of ∂g/∂x: m rows, n + p columns.
    pub fn constraint_pattern(&self) -> &RowPattern {
        self.assembly.jacobian_pattern()
    }

    /// Writes g(q, t) and ∂g/∂x over both arguments.
    pub fn constraint_jacobian(&self, q: &[f64], t: f64, values: &mut [f64], jacobian: &mut [f64]) {
        self.at_motion((q, &[]), [values, jacobian], |(x, _), [values, jacobian], _| {
            self.assembly.jacobian(x, t, values, jacobian);
        });
    }

    /// Writes d²g/dt² at zero acceleration, at (q, t) and the velocity v of x (n + p), over `curvature`.
    pub fn constraint_curvature(&self, q: &[f64], v: &[f64], t: f64, curvature: &mut [f64]) {
        self.at(q, v, &mut vec![0.0; v.len()], |assembly, x, _| {
            assembly.constraint_curvature(x, v, t, curvature);
        });
    }

    /// The pattern of ∂F/∂(x, v): row i acts on x_i, and rows from n on are empty;
    /// column j is x_j, column n + p + j is v_j.
    pub fn force_pattern(&self) -> &RowPattern {
        self.penalty.as_ref().map_or_else(|| self.assembly.force_pattern(), |penalty| &penalty.forces)
    }

    /// Adds ∂F/∂(x, v) at (q, v, t) to `derivatives`.
    pub fn add_force_derivatives(&self, q: &[f64], v: &[f64], t: f64, derivatives: &mut [f64]) {
        self.add_sampled_derivatives((q, v, t), None, derivatives);
    }

    /// As [`add_force_derivatives`](Self::add_force_derivatives); with a sampling, inputs are averages.
    pub(crate) fn add_sampled_derivatives(
        &self,
        (q, v, t): (&[f64], &[f64], f64),
        sampling: Option<Sampling>,
        derivatives: &mut [f64],
    ) {
        self.at_motion((q, v), [derivatives], |(x, v), [derivatives], force| {
            let forced: &dyn Forced = &*self.assembly;
            forced.add_force_derivatives_sampled(x, v, t, sampling, force, derivatives);
        });
    }

    /// The pattern of ∂c/∂(x, v) for constraints c on velocities: column j is x_j, column n + p + j is v_j.
    pub fn nonholonomic_pattern(&self) -> &RowPattern {
        let own = || self.assembly.nonholonomic_pattern();
        self.penalty.as_ref().map_or_else(own, |penalty| &penalty.nonholonomic)
    }

    /// Writes c and ∂c/∂(x, v) at (q, v, t) over both arguments.
    pub fn nonholonomic_derivatives(
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

    /// Runs `inside` at x, if the lengths fit.
    fn at(
        &self,
        q: &[f64],
        a: &[f64],
        result: &mut [f64],
        inside: impl FnOnce(&Assembly, &[f64], &mut [f64]),
    ) {
        let [whole, x] = self.lengths();
        if q.len() != self.freedom || [a.len(), result.len()] != [whole; 2] {
            return result.fill(f64::NAN);
        }
        self.memory.with(|Memory { z, .. }| {
            self.place(q, z);
            inside(&self.assembly, &z[..x], result);
        });
    }

    /// Runs `inside` at x and its velocities, if the lengths fit, with memory for a force on x;
    /// without velocities they are zero.
    fn at_motion<const N: usize>(
        &self,
        (q, v): (&[f64], &[f64]),
        results: [&mut [f64]; N],
        inside: impl FnOnce((&[f64], &[f64]), [&mut [f64]; N], &mut [f64]),
    ) {
        let (n, x) = (self.freedom, self.assembly.dimension());
        if q.len() != n || !(v.is_empty() || v.len() == n) {
            return results.into_iter().for_each(|result| result.fill(f64::NAN));
        }
        self.memory.with(|Memory { z, v: velocities, force, .. }| {
            self.place(q, z);
            velocities[..v.len()].copy_from_slice(v);
            inside((&z[..x], velocities), results, force);
        });
    }

    /// Writes (q, θ) over the front of z.
    fn place(&self, q: &[f64], z: &mut [f64]) {
        z[..self.freedom].copy_from_slice(q);
        let own = self.assembly.dimension() - self.freedom;
        z[self.freedom..self.freedom + own].copy_from_slice(&self.values[..own]);
    }
}

impl std::fmt::Debug for Parametric {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Parametric").field("values", &self.values).finish_non_exhaustive()
    }
}
