//! The derivatives of a penalized system by x = (q, θ, ω): its stiffness is a parameter, too.

use crate::forward::forward;
use crate::method::linearization::scale;
use crate::scratch::Scratch;
use crate::system::{
    ExtendedSystem, Forced, Holonomic, Kind, Layout, Nonholonomic, Parametric, Signal, System,
};

/// The extended constrained system with ω behind its coordinates.
pub(super) struct PenaltyParameters<'s> {
    system: &'s dyn ExtendedSystem,
    rows: &'s dyn Holonomic,
    inputs: &'s [(usize, Signal)],
    layout: Layout,
    omega: f64,
    /// θ and ω.
    values: Vec<f64>,
    memory: Scratch<Memory>,
}

/// The vectors of an evaluation.
struct Memory {
    /// g, and ∂g/∂(q, θ).
    values: Vec<f64>,
    jacobian: Vec<f64>,
    /// G a, aᵀ Hess g a, and weights.
    motion: Vec<f64>,
    quadratic: Vec<f64>,
    weights: Vec<f64>,
    /// The rates of g, G a and aᵀ Hess g a.
    rates: [Vec<f64>; 3],
    /// a + d and a − d of one size.
    sides: [Vec<f64>; 2],
    /// (q, θ, v, 0, t), a direction and a product.
    narrow: [Vec<f64>; 3],
}

impl Memory {
    /// Takes G a, aᵀ Hess g a and all rates for x that moves along d, from G d in place of G a.
    /// Returns the factor of d in a ± d.
    fn move_along(&mut self, rows: &dyn Holonomic, (x, t): (&[f64], f64), (a, d): (&[f64], &[f64])) -> f64 {
        let Self { jacobian, motion, quadratic, weights, rates, sides: [plus, minus], .. } = self;
        let scale = scale(a, d);
        for (((plus, minus), a), d) in plus.iter_mut().zip(minus.iter_mut()).zip(a).zip(d) {
            (*plus, *minus) = (a + scale * d, a - scale * d);
        }
        let [of_values, of_motion, of_quadratic] = rates;
        std::mem::swap(of_values, motion);
        motion.fill(0.0);
        rows.jacobian_pattern().multiply_add(jacobian, a, motion);
        rows.constraint_quadratic(x, t, a, quadratic);
        rows.constraint_quadratic(x, t, plus, of_motion);
        rows.constraint_quadratic(x, t, minus, weights);
        of_motion.iter_mut().zip(&*weights).for_each(|(plus, minus)| *plus = 0.25 / scale * (*plus - minus));
        rows.constraint_quadratic_rate(x, t, (a, d), of_quadratic);
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
    /// For a system with constraints.
    pub(super) fn new(own: Parametric<'s>, omega: f64) -> Option<Self> {
        let rows = own.system().holonomic()?;
        let (x, m, entries) = (rows.dimension(), rows.constraints(), rows.jacobian_pattern().len());
        let of_rows = move || vec![0.0; m];
        let memory = Scratch::new(move || Memory {
            values: of_rows(),
            jacobian: vec![0.0; entries],
            motion: of_rows(),
            quadratic: of_rows(),
            weights: of_rows(),
            rates: [(); 3].map(|()| of_rows()),
            sides: [(); 2].map(|()| vec![0.0; x]),
            narrow: [(); 3].map(|()| vec![0.0; 2 * x + 1]),
        });
        let mut layout = own.system().layout().clone();
        layout.push("omega", Kind::Scalar, Vec::new());
        let values = own.values().iter().copied().chain([omega]).collect();
        Some(Self { system: own.system(), rows, inputs: own.inputs(), layout, omega, values, memory })
    }

    pub(super) fn get(&self) -> Parametric<'_> {
        Parametric::new(self, &self.values, self.inputs)
    }

    /// Runs `inside` with g, G and G a at x; NaN results for another length.
    fn with(
        &self,
        (x, t): (&[f64], f64),
        a: &[f64],
        result: &mut [f64],
        inside: impl FnOnce(&mut Memory, (&[f64], f64), (&[f64], f64), (&mut [f64], &mut f64)),
    ) {
        let (Some((_, x)), Some((b, a)), true) = (x.split_last(), a.split_last(), a.len() == result.len())
        else {
            return result.fill(f64::NAN);
        };
        let Some((of_omega, sum)) = result.split_last_mut() else { return };
        *of_omega = 0.0;
        self.memory.with(|memory| {
            self.rows.jacobian(x, t, &mut memory.values, &mut memory.jacobian);
            memory.motion.fill(0.0);
            self.rows.jacobian_pattern().multiply_add(&memory.jacobian, a, &mut memory.motion);
            inside(memory, (x, t), (a, *b), (sum, of_omega));
        });
    }

    /// Adds Gᵀ w for the weights w.
    fn add_gradient(&self, memory: &Memory, sum: &mut [f64]) {
        self.rows.jacobian_pattern().transpose_multiply_add(&memory.jacobian, &memory.weights, sum);
    }
}

impl System for PenaltyParameters<'_> {
    forward! { system:
        name() -> &str;
        forced() -> Option<&dyn Forced>;
        nonholonomic() -> Option<&dyn Nonholonomic>;
    }

    fn layout(&self) -> &Layout {
        &self.layout
    }
}

impl ExtendedSystem for PenaltyParameters<'_> {
    /// The products of rows couple more than the elements of V and of g.
    fn couplings(&self, _n: usize) -> Option<[Vec<(usize, usize)>; 3]> {
        None
    }

    fn product(&self, x: &[f64], t: f64, a: &[f64], product: &mut [f64]) {
        let omega = self.omega;
        self.with((x, t), a, product, |memory, (x, t), (a, b), (sum, of_omega)| {
            self.system.product(x, t, a, sum);
            // ω² (Gᵀ G a + Σ g_c H_c a) + 2 ω b Gᵀ g.
            memory.weigh(|g, motion, _| omega * omega * motion + 2.0 * omega * b * g);
            self.add_gradient(memory, sum);
            *of_omega += memory.sum(|g, motion, _| g * (2.0 * omega * motion + b * g));
            memory.weigh(|g, _, _| omega * omega * g);
            self.rows.add_weighted_product(x, t, &memory.weights, a, sum);
        });
    }

    fn third(&self, x: &[f64], t: f64, a: &[f64], contraction: &mut [f64]) {
        self.add_third(x, t, a, contraction, |x, a, sum| self.system.third(x, t, a, sum));
    }

    fn third_of_stiff(&self, x: &[f64], t: f64, a: &[f64], contraction: &mut [f64]) {
        self.add_third(x, t, a, contraction, |_, _, sum| sum.fill(0.0));
    }

    fn has_third_rates(&self) -> bool {
        self.system.has_third_rates()
    }

    fn third_rate(&self, x: &[f64], t: f64, (a, d): (&[f64], &[f64]), rate: &mut [f64]) {
        let (omega, a) = (self.omega, &a[..a.len().min(self.rows.dimension())]);
        self.with((x, t), d, rate, |memory, (x, t), (d, of_d), (sum, of_omega)| {
            let scale = memory.move_along(self.rows, (x, t), (a, d));
            self.system.third_rate(x, t, (a, d), sum);
            // The rates of ω² Σ (s ∇g + 2 m H a + g ∇s) and of 2 ω Σ (m² + g s).
            memory.weigh_rates(|[g, m, s], [dg, dm, ds]| {
                *of_omega += 2.0 * of_d * (m * m + g * s) + 2.0 * omega * (2.0 * m * dm + dg * s + g * ds);
                omega * (omega * ds + 2.0 * of_d * s)
            });
            self.add_gradient(memory, sum);
            memory.weigh(|_, _, s| omega * omega * s);
            self.rows.add_weighted_product(x, t, &memory.weights, d, sum);
            memory.weigh_rates(|[_, m, _], [_, dm, _]| 2.0 * omega * (omega * dm + 2.0 * of_d * m));
            self.rows.add_weighted_product(x, t, &memory.weights, a, sum);
            memory.weigh_rates(|[g, ..], [dg, ..]| omega * (omega * dg + 2.0 * of_d * g));
            self.rows.add_weighted_third(x, t, &memory.weights, a, sum);
            for (side, quarter) in [(0, 0.25 / scale), (1, -0.25 / scale)] {
                memory.weigh(|_, m, _| 2.0 * omega * omega * m * quarter);
                self.rows.add_weighted_third(x, t, &memory.weights, &memory.sides[side], sum);
            }
            memory.weigh(|g, _, _| omega * omega * g);
            self.rows.add_weighted_third_rate(x, t, &memory.weights, (a, d), sum);
        });
    }

    fn kinetic_product(&self, z: &[f64], a: &[f64], product: &mut [f64]) {
        let x = self.rows.dimension();
        if [z.len(), a.len(), product.len()] != [2 * x + 3; 3] {
            return product.fill(f64::NAN);
        }
        // Without ω and its velocity.
        let parts = [(0, 0, x), (x + 1, x, x), (2 * x + 2, 2 * x, 1)];
        self.memory.with(|Memory { narrow: [z_narrow, a_narrow, found], .. }| {
            for (from, to, length) in parts {
                z_narrow[to..to + length].copy_from_slice(&z[from..from + length]);
                a_narrow[to..to + length].copy_from_slice(&a[from..from + length]);
            }
            self.system.kinetic_product(z_narrow, a_narrow, found);
            product.fill(0.0);
            for (from, to, length) in parts {
                product[from..from + length].copy_from_slice(&found[to..to + length]);
            }
        });
    }
}

impl PenaltyParameters<'_> {
    /// Writes the third derivatives of a part of V with those of the penalty.
    fn add_third(
        &self,
        x: &[f64],
        t: f64,
        a: &[f64],
        contraction: &mut [f64],
        of_part: impl FnOnce(&[f64], &[f64], &mut [f64]),
    ) {
        let omega = self.omega;
        self.with((x, t), a, contraction, |memory, (x, t), (a, b), (sum, of_omega)| {
            of_part(x, a, sum);
            self.rows.constraint_quadratic(x, t, a, &mut memory.quadratic);
            // The form is ω² (|G a|² + Σ g_c aᵀ H_c a) + 4 ω b g·(G a) + b² g·g.
            memory.weigh(|g, motion, quadratic| {
                omega * omega * quadratic + 4.0 * omega * b * motion + 2.0 * b * b * g
            });
            self.add_gradient(memory, sum);
            *of_omega += memory.sum(|g, motion, quadratic| {
                2.0 * omega * (motion * motion + g * quadratic) + 4.0 * b * g * motion
            });
            memory.weigh(|g, motion, _| 2.0 * omega * omega * motion + 4.0 * omega * b * g);
            self.rows.add_weighted_product(x, t, &memory.weights, a, sum);
            memory.weigh(|g, _, _| omega * omega * g);
            self.rows.add_weighted_third(x, t, &memory.weights, a, sum);
        });
    }
}

impl std::fmt::Debug for PenaltyParameters<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("PenaltyParameters").field("values", &self.values).finish_non_exhaustive()
    }
}
