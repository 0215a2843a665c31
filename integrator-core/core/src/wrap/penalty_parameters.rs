//! The derivatives of a penalized system by x = (q, θ, ω): its stiffness is a parameter, too.
//!
//! The penalty P = ½ ω² g·g is a form of degree two in ω: its derivatives by ω are 2/ω of itself, and
//! the second ones 2/ω².

use super::penalty::Penalty;
use crate::forward::forward;
use crate::polar::Polar;
use crate::scratch::Scratch;
use crate::system::{Forced, Holonomic, Kind, Layout, Nonholonomic, Parametric, Signal, System};

/// The extended constrained system with ω behind its coordinates.
pub(super) struct PenaltyParameters<'s> {
    system: &'s dyn Parametric,
    rows: &'s dyn Holonomic,
    layout: Layout,
    omega: f64,
    /// θ and ω.
    values: Vec<f64>,
    memory: Scratch<Memory>,
}

/// The vectors of an evaluation.
struct Memory {
    penalty: Penalty,
    /// ∇P, Hess P · a and a·P‴·a by (q, θ).
    slopes: [Vec<f64>; 3],
    /// aᵀ Hess g a, and the rates of g, G a and aᵀ Hess g a.
    rows: [Vec<f64>; 4],
    of_rows: Polar,
    of_slopes: Polar,
}

impl Memory {
    fn new(omega: f64, [x, m, entries]: [usize; 3]) -> Self {
        Self {
            penalty: Penalty::new(omega * omega, m, entries),
            slopes: [(); 3].map(|()| vec![0.0; x]),
            rows: [(); 4].map(|()| vec![0.0; m]),
            of_rows: Polar::new(x, m),
            of_slopes: Polar::new(x, x),
        }
    }

    /// Adds P⁗[a, a, d]: the rate of Σ ω² (s ∇g + 2 m H a + g ∇s) with m = G a and s = aᵀ H a.
    fn add_third_rate(
        &mut self,
        own: &dyn Holonomic,
        (x, t): (&[f64], f64),
        (a, d): (&[f64], &[f64]),
        rate: &mut [f64],
    ) {
        let Self { penalty, slopes: [.., third], rows: [s, dg, dm, ds], of_rows, of_slopes, .. } = self;
        let factor = penalty.stiffness;
        own.constraint_quadratic(x, t, a, s);
        own.constraint_quadratic_rate(x, t, (a, d), ds);
        of_rows.product(a, d, dm, |along, quadratic| own.constraint_quadratic(x, t, along, quadratic));
        penalty.move_along(own, d, factor);
        dg.copy_from_slice(&penalty.products);
        for (weights, factor) in [(&mut *s, factor), (&mut *ds, factor), (&mut *dm, 2.0 * factor)] {
            weights.iter_mut().for_each(|weight| *weight *= factor);
        }
        own.jacobian_pattern().transpose_multiply_add(&penalty.jacobian, ds, rate);
        own.add_weighted_product(x, t, s, d, rate);
        own.add_weighted_product(x, t, dm, a, rate);
        own.add_weighted_third(x, t, dg, a, rate);
        penalty.move_along(own, a, 2.0 * factor);
        of_slopes.product(a, d, third, |along, third| {
            third.fill(0.0);
            own.add_weighted_third(x, t, &penalty.products, along, third);
        });
        add(rate, 1.0, third);
        own.add_weighted_third_rate(x, t, &penalty.weights, (a, d), rate);
    }
}

impl<'s> PenaltyParameters<'s> {
    /// For a system with constraints.
    pub(super) fn new(system: &'s dyn Parametric, omega: f64) -> Option<Self> {
        let rows = system.holonomic()?;
        let lengths = [rows.dimension(), rows.constraints(), rows.jacobian_pattern().len()];
        let mut layout = system.layout().clone();
        layout.push("omega", Kind::Scalar, Vec::new());
        Some(Self {
            system,
            rows,
            layout,
            omega,
            values: system.values().iter().copied().chain([omega]).collect(),
            memory: Scratch::new(move || Memory::new(omega, lengths)),
        })
    }

    /// Runs `inside` with the penalty at (q, θ); direction and result come in parts of (q, θ) and of ω.
    /// NaN results for another length.
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
        self.memory.with(|memory| {
            memory.penalty.linearize(self.rows, (x, t));
            memory.slopes.iter_mut().for_each(|slope| slope.fill(0.0));
            inside(memory, (x, t), (a, *b), (sum, of_omega));
        });
    }

    /// Writes the third derivatives of a part of V, which `of_part` writes, with those of the penalty.
    fn write_third(
        &self,
        at: (&[f64], f64),
        a: &[f64],
        contraction: &mut [f64],
        of_part: impl FnOnce(&[f64], &[f64], &mut [f64]),
    ) {
        let (omega, square) = (self.omega, self.omega * self.omega);
        self.with(at, a, contraction, |memory, at, (a, b), (sum, of_omega)| {
            let Memory { penalty, slopes: [gradient, product, _], .. } = memory;
            of_part(at.0, a, sum);
            penalty.add_third(self.rows, at, a, sum);
            penalty.add_product(self.rows, at, a, product);
            penalty.add_gradient(self.rows, gradient);
            add(sum, 4.0 * b / omega, product);
            add(sum, 2.0 * b * b / square, gradient);
            *of_omega = 2.0 / omega * dot(product, a) + 4.0 * b / square * dot(gradient, a);
        });
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

impl Parametric for PenaltyParameters<'_> {
    forward! { system:
        inputs() -> &[(usize, Signal)];
        has_third_rates() -> bool;
        kinetic() -> &dyn Parametric;
        kinetic_product(z: &[f64], a: &[f64], product: &mut [f64]);
    }

    fn values(&self) -> &[f64] {
        &self.values
    }

    fn product(&self, x: &[f64], t: f64, a: &[f64], product: &mut [f64]) {
        let (omega, square) = (self.omega, self.omega * self.omega);
        self.with((x, t), a, product, |memory, at, (a, b), (sum, of_omega)| {
            let Memory { penalty, slopes: [gradient, ..], .. } = memory;
            self.system.product(at.0, t, a, sum);
            penalty.add_product(self.rows, at, a, sum);
            penalty.add_gradient(self.rows, gradient);
            add(sum, 2.0 * b / omega, gradient);
            *of_omega = 2.0 / omega * dot(gradient, a) + 2.0 * b / square * penalty.energy();
        });
    }

    fn third(&self, x: &[f64], t: f64, a: &[f64], contraction: &mut [f64]) {
        self.write_third((x, t), a, contraction, |x, a, sum| self.system.third(x, t, a, sum));
    }

    fn third_of_stiff(&self, x: &[f64], t: f64, a: &[f64], contraction: &mut [f64]) {
        self.write_third((x, t), a, contraction, |_, _, sum| sum.fill(0.0));
    }

    fn third_rate(&self, x: &[f64], t: f64, (a, d): (&[f64], &[f64]), rate: &mut [f64]) {
        let (omega, square) = (self.omega, self.omega * self.omega);
        let a = &a[..a.len().min(self.rows.dimension())];
        self.with((x, t), d, rate, |memory, at, (d, of_d), (sum, of_omega)| {
            self.system.third_rate(at.0, t, (a, d), sum);
            memory.add_third_rate(self.rows, at, (a, d), sum);
            let Memory { penalty, slopes: [_, product, third], .. } = memory;
            third.fill(0.0);
            penalty.add_third(self.rows, at, a, third);
            penalty.add_product(self.rows, at, a, product);
            add(sum, 2.0 * of_d / omega, third);
            *of_omega = 2.0 / omega * dot(third, d) + 2.0 * of_d / square * dot(product, a);
        });
    }
}

/// Adds a multiple of a vector.
fn add(sum: &mut [f64], factor: f64, part: &[f64]) {
    sum.iter_mut().zip(part).for_each(|(sum, part)| *sum += factor * part);
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

crate::shown::shown!([] PenaltyParameters<'_>, |own| "PenaltyParameters" { values: own.values });
