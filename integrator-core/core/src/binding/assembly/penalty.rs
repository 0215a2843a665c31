//! The penalty ½ ω² g·g over x = (q, θ, ω): its stiffness is a parameter, too.

use super::Assembly;
use crate::scratch::Scratch;
use crate::sparse::RowPattern;
use crate::system::{Forced, Holonomic, Nonholonomic, System};

/// A penalty in place of the constraints of a model.
pub(super) struct Penalty {
    omega: f64,
    memory: Scratch<Memory>,
    /// The derivatives of forces and of rows of velocities, with a column for ω before the velocities.
    pub(super) forces: RowPattern,
    pub(super) nonholonomic: RowPattern,
}

/// The vectors of an evaluation.
struct Memory {
    /// g, and ∂g/∂x.
    values: Vec<f64>,
    jacobian: Vec<f64>,
    /// G a, weights, and a·Hess g·a.
    motion: Vec<f64>,
    weights: Vec<f64>,
    quadratic: Vec<f64>,
}

impl Memory {
    /// Evaluates g, G and G a.
    fn look(&mut self, assembly: &Assembly, (x, t): (&[f64], f64), a: &[f64]) {
        assembly.jacobian(x, t, &mut self.values, &mut self.jacobian);
        self.motion.fill(0.0);
        assembly.jacobian_pattern().multiply_add(&self.jacobian, a, &mut self.motion);
    }

    /// Takes weights row by row, from g, G a and a·Hess g·a.
    fn weigh(&mut self, weight: impl Fn(f64, f64, f64) -> f64) {
        let known = self.values.iter().zip(&self.motion).zip(&self.quadratic);
        for (own, ((g, motion), quadratic)) in self.weights.iter_mut().zip(known) {
            *own = weight(*g, *motion, *quadratic);
        }
    }

    /// Adds Gᵀ w for the weights w.
    fn add_gradient(&self, assembly: &Assembly, sum: &mut [f64]) {
        assembly.jacobian_pattern().transpose_multiply_add(&self.jacobian, &self.weights, sum);
    }
}

impl Penalty {
    pub(super) fn new(assembly: &Assembly, omega: f64) -> Self {
        let (rows, entries, x) =
            (assembly.constraints(), assembly.jacobian_pattern().len(), assembly.dimension());
        let of_rows = move || vec![0.0; rows];
        let memory = Scratch::new(move || Memory {
            values: of_rows(),
            jacobian: vec![0.0; entries],
            motion: of_rows(),
            weights: of_rows(),
            quadratic: of_rows(),
        });
        // The velocities stand behind ω.
        let shifted = |pattern: &RowPattern| {
            let behind = |(row, column)| (row, if column < x { column } else { column + 1 });
            RowPattern::new(pattern.height(), 2 * x + 1, pattern.entries().map(behind))
        };
        let forces = shifted(assembly.force_pattern());
        let nonholonomic = shifted(assembly.nonholonomic_pattern());
        Self { omega, memory, forces, nonholonomic }
    }

    /// Adds the product of the Hessian with a direction (a, b) by (x, ω) to `sum`.
    pub(super) fn add_product(
        &self,
        (assembly, x, t): (&Assembly, &[f64], f64),
        (a, b): (&[f64], f64),
        (sum, of_omega): (&mut [f64], &mut f64),
    ) {
        let omega = self.omega;
        self.memory.with(|memory| {
            memory.look(assembly, (x, t), a);
            // ω² (Gᵀ G a + Σ g_c H_c a) + 2 ω b Gᵀ g.
            memory.weigh(|g, motion, _| omega * omega * motion + 2.0 * omega * b * g);
            memory.add_gradient(assembly, sum);
            let terms = memory.values.iter().zip(&memory.motion);
            *of_omega += terms.map(|(g, motion)| g * (2.0 * omega * motion + b * g)).sum::<f64>();
            memory.weigh(|g, _, _| omega * omega * g);
            assembly.add_weighted_product(x, t, &memory.weights, a, sum);
        });
    }

    /// Adds the gradient of the quadratic form of the Hessian in a direction (a, b), by (x, ω), to `sum`.
    pub(super) fn add_third(
        &self,
        (assembly, x, t): (&Assembly, &[f64], f64),
        (a, b): (&[f64], f64),
        (sum, of_omega): (&mut [f64], &mut f64),
    ) {
        let omega = self.omega;
        self.memory.with(|memory| {
            memory.look(assembly, (x, t), a);
            assembly.constraint_quadratic(x, t, a, &mut memory.quadratic);
            // The form is ω² (|G a|² + Σ g_c aᵀ H_c a) + 4 ω b g·(G a) + b² g·g.
            memory.weigh(|g, motion, quadratic| {
                omega * omega * quadratic + 4.0 * omega * b * motion + 2.0 * b * b * g
            });
            memory.add_gradient(assembly, sum);
            let terms = memory.values.iter().zip(&memory.motion).zip(&memory.quadratic);
            let slope = |((g, motion), quadratic): ((&f64, &f64), &f64)| {
                2.0 * omega * (motion * motion + g * quadratic) + 4.0 * b * g * motion
            };
            *of_omega += terms.map(slope).sum::<f64>();
            memory.weigh(|g, motion, _| 2.0 * omega * omega * motion + 4.0 * omega * b * g);
            assembly.add_weighted_product(x, t, &memory.weights, a, sum);
            memory.weigh(|g, _, _| omega * omega * g);
            assembly.add_weighted_third(x, t, &memory.weights, a, sum);
        });
    }
}
