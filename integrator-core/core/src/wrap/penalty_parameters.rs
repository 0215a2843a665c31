//! The derivatives of a penalized system by x = (q, θ, ω): its stiffness is a parameter, too.

use crate::method::linearization::scale;
use crate::scratch::Scratch;
use crate::sparse::RowPattern;
use crate::system::{Parametric, Sampling, Signal};

/// The parameters of the constrained system with ω behind them.
pub(super) struct PenaltyParameters<'s> {
    own: &'s dyn Parametric,
    omega: f64,
    /// θ and ω.
    values: Vec<f64>,
    memory: Scratch<Memory>,
    /// ∂g/∂x, and the derivatives of forces and of rows of velocities, with a column for ω.
    constraints: RowPattern,
    forces: RowPattern,
    nonholonomic: RowPattern,
}

/// The vectors of an evaluation.
struct Memory {
    /// g, and ∂g/∂x.
    values: Vec<f64>,
    jacobian: Vec<f64>,
    /// G a, aᵀ Hess g a, and weights.
    motion: Vec<f64>,
    quadratic: Vec<f64>,
    weights: Vec<f64>,
    /// The rates of g, G a and aᵀ Hess g a.
    rates: [Vec<f64>; 3],
    /// A direction a of x, and a ± d of one size.
    directions: [Vec<f64>; 3],
}

impl Memory {
    /// Takes G a, aᵀ Hess g a and all rates for x that moves along d, from G d in place of G a.
    /// Returns the factor of d in a ± d.
    fn move_along(&mut self, own: &dyn Parametric, (q, t): (&[f64], f64), (a, d): (&[f64], &[f64])) -> f64 {
        let Self { jacobian, motion, quadratic, weights, rates, directions, .. } = self;
        let scale = scale(a, d);
        let [still, plus, minus] = directions;
        still[..a.len()].copy_from_slice(a);
        for (((plus, minus), a), d) in plus.iter_mut().zip(minus.iter_mut()).zip(&*still).zip(d) {
            (*plus, *minus) = (a + scale * d, a - scale * d);
        }
        let [of_values, of_motion, of_quadratic] = rates;
        std::mem::swap(of_values, motion);
        motion.fill(0.0);
        own.constraint_pattern().multiply_add(jacobian, still, motion);
        own.constraint_quadratic(q, t, still, quadratic);
        own.constraint_quadratic(q, t, plus, of_motion);
        own.constraint_quadratic(q, t, minus, weights);
        of_motion.iter_mut().zip(&*weights).for_each(|(plus, minus)| *plus = 0.25 / scale * (*plus - minus));
        of_quadratic.fill(0.0);
        own.add_constraint_quadratic_rate(q, t, (a, d), of_quadratic);
        scale
    }

    /// As [`weigh`](Self::weigh), also from the rates.
    fn weigh_rates(&mut self, mut weight: impl FnMut([f64; 3], [f64; 3]) -> f64) {
        for (row, own) in self.weights.iter_mut().enumerate() {
            let known = [&self.values, &self.motion, &self.quadratic].map(|known| known[row]);
            *own = weight(known, self.rates.each_ref().map(|rate| rate[row]));
        }
    }

    /// Takes weights row by row, from g, G a and aᵀ Hess g a.
    fn weigh(&mut self, weight: impl Fn(f64, f64, f64) -> f64) {
        let known = self.values.iter().zip(&self.motion).zip(&self.quadratic);
        for (own, ((g, motion), quadratic)) in self.weights.iter_mut().zip(known) {
            *own = weight(*g, *motion, *quadratic);
        }
    }

    /// The sum over the rows, of g, G a and aᵀ Hess g a.
    fn sum(&self, term: impl Fn(f64, f64, f64) -> f64) -> f64 {
        let known = self.values.iter().zip(&self.motion).zip(&self.quadratic);
        known.map(|((g, motion), quadratic)| term(*g, *motion, *quadratic)).sum()
    }
}

impl<'s> PenaltyParameters<'s> {
    /// For a system of n degrees of freedom.
    pub(super) fn new(n: usize, own: &'s dyn Parametric, omega: f64) -> Self {
        let (pattern, x) = (own.constraint_pattern(), n + own.count());
        let (rows, entries) = (pattern.height(), pattern.len());
        let of_rows = move || vec![0.0; rows];
        let memory = Scratch::new(move || Memory {
            values: of_rows(),
            jacobian: vec![0.0; entries],
            motion: of_rows(),
            quadratic: of_rows(),
            weights: of_rows(),
            rates: [(); 3].map(|()| of_rows()),
            directions: [(); 3].map(|()| vec![0.0; x]),
        });
        // Velocities stand behind ω.
        let wider = |pattern: &RowPattern, width| {
            let behind = |(row, column)| (row, if column < x { column } else { column + 1 });
            RowPattern::new(pattern.height(), width, pattern.entries().map(behind))
        };
        Self {
            constraints: wider(pattern, x + 1),
            forces: wider(own.force_pattern(), 2 * x + 1),
            nonholonomic: wider(own.nonholonomic_pattern(), 2 * x + 1),
            values: own.values().iter().copied().chain([omega]).collect(),
            own,
            omega,
            memory,
        }
    }

    /// Runs `inside` with g, G and G a at q; NaN results without a place for ω.
    fn with(
        &self,
        (q, t): (&[f64], f64),
        a: &[f64],
        result: &mut [f64],
        inside: impl FnOnce(&mut Memory, (&[f64], f64), (&mut [f64], &mut f64)),
    ) {
        let (Some((b, a)), true) = (a.split_last(), a.len() == result.len()) else {
            return result.fill(f64::NAN);
        };
        let Some((of_omega, sum)) = result.split_last_mut() else { return };
        self.memory.with(|memory| {
            self.own.constraint_jacobian(q, t, &mut memory.values, &mut memory.jacobian);
            memory.motion.fill(0.0);
            self.own.constraint_pattern().multiply_add(&memory.jacobian, a, &mut memory.motion);
            inside(memory, (a, *b), (sum, of_omega));
        });
    }

    /// Adds Gᵀ w for the weights w.
    fn add_gradient(&self, memory: &Memory, sum: &mut [f64]) {
        self.own.constraint_pattern().transpose_multiply_add(&memory.jacobian, &memory.weights, sum);
    }
}

impl Parametric for PenaltyParameters<'_> {
    fn count(&self) -> usize {
        self.values.len()
    }

    fn values(&self) -> &[f64] {
        &self.values
    }

    fn inputs(&self) -> &[(usize, Signal)] {
        self.own.inputs()
    }

    fn name(&self, parameter: usize) -> String {
        if parameter < self.own.count() { self.own.name(parameter) } else { "omega".to_owned() }
    }

    fn add_potential_product(&self, q: &[f64], t: f64, a: &[f64], product: &mut [f64]) {
        let omega = self.omega;
        self.with((q, t), a, product, |memory, (a, b), (sum, of_omega)| {
            self.own.add_potential_product(q, t, a, sum);
            // ω² (Gᵀ G a + Σ g_c H_c a) + 2 ω b Gᵀ g.
            memory.weigh(|g, motion, _| omega * omega * motion + 2.0 * omega * b * g);
            self.add_gradient(memory, sum);
            *of_omega += memory.sum(|g, motion, _| g * (2.0 * omega * motion + b * g));
            memory.weigh(|g, _, _| omega * omega * g);
            self.own.add_constraint_product(q, t, &memory.weights, a, sum);
        });
    }

    fn add_potential_third(&self, q: &[f64], t: f64, a: &[f64], contraction: &mut [f64]) {
        self.add_stiff_third(q, t, a, contraction);
        let (Some((_, a)), Some((_, sum))) = (a.split_last(), contraction.split_last_mut()) else { return };
        self.own.add_potential_third(q, t, a, sum);
    }

    fn add_stiff_third(&self, q: &[f64], t: f64, a: &[f64], contraction: &mut [f64]) {
        let omega = self.omega;
        self.with((q, t), a, contraction, |memory, (a, b), (sum, of_omega)| {
            self.own.constraint_quadratic(q, t, a, &mut memory.quadratic);
            // The form is ω² (|G a|² + Σ g_c aᵀ H_c a) + 4 ω b g·(G a) + b² g·g.
            memory.weigh(|g, motion, quadratic| {
                omega * omega * quadratic + 4.0 * omega * b * motion + 2.0 * b * b * g
            });
            self.add_gradient(memory, sum);
            *of_omega += memory.sum(|g, motion, quadratic| {
                2.0 * omega * (motion * motion + g * quadratic) + 4.0 * b * g * motion
            });
            memory.weigh(|g, motion, _| 2.0 * omega * omega * motion + 4.0 * omega * b * g);
            self.own.add_constraint_product(q, t, &memory.weights, a, sum);
            memory.weigh(|g, _, _| omega * omega * g);
            self.own.add_constraint_third(q, t, &memory.weights, a, sum);
        });
    }

    fn has_third_rates(&self) -> bool {
        self.own.has_third_rates()
    }

    fn add_potential_third_rate(&self, q: &[f64], t: f64, (a, whole): (&[f64], &[f64]), rate: &mut [f64]) {
        let omega = self.omega;
        self.with((q, t), whole, rate, |memory, (d, of_d), (sum, of_omega)| {
            let scale = memory.move_along(self.own, (q, t), (a, d));
            self.own.add_potential_third_rate(q, t, (a, d), sum);
            // The rates of ω² Σ (s ∇g + 2 m H a + g ∇s) and of 2 ω Σ (m² + g s).
            memory.weigh_rates(|[g, m, s], [dg, dm, ds]| {
                *of_omega += 2.0 * of_d * (m * m + g * s) + 2.0 * omega * (2.0 * m * dm + dg * s + g * ds);
                omega * (omega * ds + 2.0 * of_d * s)
            });
            self.add_gradient(memory, sum);
            memory.weigh(|_, _, s| omega * omega * s);
            self.own.add_constraint_product(q, t, &memory.weights, d, sum);
            memory.weigh_rates(|[_, m, _], [_, dm, _]| 2.0 * omega * (omega * dm + 2.0 * of_d * m));
            self.own.add_constraint_product(q, t, &memory.weights, &memory.directions[0], sum);
            memory.weigh_rates(|[g, ..], [dg, ..]| omega * (omega * dg + 2.0 * of_d * g));
            self.own.add_constraint_third(q, t, &memory.weights, &memory.directions[0], sum);
            for (side, quarter) in [(1, 0.25 / scale), (2, -0.25 / scale)] {
                memory.weigh(|_, m, _| 2.0 * omega * omega * m * quarter);
                self.own.add_constraint_third(q, t, &memory.weights, &memory.directions[side], sum);
            }
            memory.weigh(|g, _, _| omega * omega * g);
            self.own.add_constraint_third_rate(q, t, &memory.weights, (a, d), sum);
        });
    }

    fn add_lagrangian_product(
        &self,
        at: (&[f64], &[f64], f64),
        (a, b): (&[f64], &[f64]),
        (product, product_v): (&mut [f64], &mut [f64]),
    ) {
        // L contains −V.
        product.iter_mut().for_each(|entry| *entry = -*entry);
        self.add_potential_product(at.0, at.2, a, product);
        product.iter_mut().for_each(|entry| *entry = -*entry);
        self.add_kinetic_product(at, (a, b), (product, product_v));
    }

    fn add_kinetic_product(
        &self,
        at: (&[f64], &[f64], f64),
        (a, b): (&[f64], &[f64]),
        (product, product_v): (&mut [f64], &mut [f64]),
    ) {
        let (Some((_, a)), Some((_, product))) = (a.split_last(), product.split_last_mut()) else { return };
        self.own.add_kinetic_product(at, (a, b), (product, product_v));
    }

    fn add_constraint_product(&self, q: &[f64], t: f64, weights: &[f64], a: &[f64], product: &mut [f64]) {
        let (Some((_, a)), Some((_, product))) = (a.split_last(), product.split_last_mut()) else { return };
        self.own.add_constraint_product(q, t, weights, a, product);
    }

    fn add_constraint_third_rate(
        &self,
        q: &[f64],
        t: f64,
        weights: &[f64],
        (a, d): (&[f64], &[f64]),
        rate: &mut [f64],
    ) {
        let (Some((_, d)), Some((_, sum))) = (d.split_last(), rate.split_last_mut()) else { return };
        self.own.add_constraint_third_rate(q, t, weights, (a, d), sum);
    }

    fn add_constraint_quadratic_rate(&self, q: &[f64], t: f64, (a, d): (&[f64], &[f64]), rate: &mut [f64]) {
        let d = d.split_last().map_or(d, |(_, d)| d);
        self.own.add_constraint_quadratic_rate(q, t, (a, d), rate);
    }

    fn add_constraint_third(&self, q: &[f64], t: f64, weights: &[f64], a: &[f64], contraction: &mut [f64]) {
        let (Some((_, a)), Some((_, sum))) = (a.split_last(), contraction.split_last_mut()) else { return };
        self.own.add_constraint_third(q, t, weights, a, sum);
    }

    fn constraint_quadratic(&self, q: &[f64], t: f64, a: &[f64], quadratic: &mut [f64]) {
        self.own.constraint_quadratic(q, t, a.split_last().map_or(a, |(_, a)| a), quadratic);
    }

    fn constraint_curvature(&self, q: &[f64], v: &[f64], t: f64, curvature: &mut [f64]) {
        self.own.constraint_curvature(q, v.split_last().map_or(v, |(_, v)| v), t, curvature);
    }

    fn constraint_pattern(&self) -> &RowPattern {
        &self.constraints
    }

    fn constraint_jacobian(&self, q: &[f64], t: f64, values: &mut [f64], jacobian: &mut [f64]) {
        self.own.constraint_jacobian(q, t, values, jacobian);
    }

    fn force_pattern(&self) -> &RowPattern {
        &self.forces
    }

    fn add_force_derivatives(&self, q: &[f64], v: &[f64], t: f64, derivatives: &mut [f64]) {
        self.own.add_force_derivatives(q, v, t, derivatives);
    }

    fn add_force_derivatives_sampled(
        &self,
        at: (&[f64], &[f64], f64),
        sampling: Option<Sampling>,
        derivatives: &mut [f64],
    ) {
        self.own.add_force_derivatives_sampled(at, sampling, derivatives);
    }

    fn nonholonomic_pattern(&self) -> &RowPattern {
        &self.nonholonomic
    }

    fn nonholonomic_derivatives(
        &self,
        q: &[f64],
        v: &[f64],
        t: f64,
        values: &mut [f64],
        derivatives: &mut [f64],
    ) {
        self.own.nonholonomic_derivatives(q, v, t, values, derivatives);
    }
}

impl std::fmt::Debug for PenaltyParameters<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("PenaltyParameters").field("values", &self.values).finish_non_exhaustive()
    }
}
