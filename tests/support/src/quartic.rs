//! A soft nonlinear problem with a full mass matrix: V = ½ |q|² + ½ (q₀ q₁)², M = [2, ½; ½, 1].

use least_action::advanced::sparse::{SymmetricMatrix, SymmetricPattern};
use least_action::system::{Kind, Lagrangian, Layout, Natural, State, System, Unforced};

/// The model.
#[derive(Debug)]
pub struct Quartic {
    layout: Layout,
    mass: SymmetricMatrix,
    second: SymmetricPattern,
}

impl Default for Quartic {
    fn default() -> Self {
        let mut layout = Layout::new();
        layout.push("q", Kind::Scalar, vec![2]);
        let pattern = SymmetricPattern::new(2, [(1, 0)]);
        Self {
            layout,
            mass: SymmetricMatrix { pattern, values: vec![2.0, 0.5, 1.0] },
            second: SymmetricPattern::new(5, [(1, 0), (3, 2)]),
        }
    }
}

impl Quartic {
    /// A state in which every term counts.
    pub fn start() -> State {
        State::new(vec![0.9, -0.6], vec![0.2, 0.7])
    }
}

impl System for Quartic {
    fn name(&self) -> &'static str {
        "Quartic"
    }

    fn layout(&self) -> &Layout {
        &self.layout
    }
}

impl Unforced for Quartic {}

impl Natural for Quartic {
    fn mass(&self) -> &SymmetricMatrix {
        &self.mass
    }

    fn potential(&self, q: &[f64], _t: f64) -> f64 {
        0.5 * (q[0] * q[0] + q[1] * q[1] + (q[0] * q[1]).powi(2))
    }

    fn potential_rate(&self, _q: &[f64], _t: f64) -> f64 {
        0.0
    }

    fn potential_gradient(&self, q: &[f64], _t: f64, gradient: &mut [f64]) {
        gradient.copy_from_slice(&[q[0] * (1.0 + q[1] * q[1]), q[1] * (1.0 + q[0] * q[0])]);
    }

    fn potential_pattern(&self) -> &SymmetricPattern {
        &self.mass.pattern
    }

    fn potential_second(&self, q: &[f64], t: f64, gradient: &mut [f64], hessian: &mut [f64]) {
        self.potential_gradient(q, t, gradient);
        hessian.copy_from_slice(&[1.0 + q[1] * q[1], 2.0 * q[0] * q[1], 1.0 + q[0] * q[0]]);
    }

    fn potential_product(&self, q: &[f64], _t: f64, a: &[f64], product: &mut [f64]) {
        let mixed = 2.0 * q[0] * q[1];
        product.copy_from_slice(&[
            (1.0 + q[1] * q[1]) * a[0] + mixed * a[1],
            mixed * a[0] + (1.0 + q[0] * q[0]) * a[1],
        ]);
    }

    fn potential_third(&self, q: &[f64], _t: f64, a: &[f64], contraction: &mut [f64]) {
        let mixed = 4.0 * a[0] * a[1];
        contraction.copy_from_slice(&[
            mixed * q[1] + 2.0 * a[1] * a[1] * q[0],
            mixed * q[0] + 2.0 * a[0] * a[0] * q[1],
        ]);
    }
}

impl Lagrangian for Quartic {
    fn lagrangian(&self, q: &[f64], v: &[f64], t: f64) -> f64 {
        0.5 * self.mass.quadratic(v) - self.potential(q, t)
    }

    fn energy(&self, q: &[f64], v: &[f64], t: f64) -> f64 {
        0.5 * self.mass.quadratic(v) + self.potential(q, t)
    }

    fn first_derivatives(&self, q: &[f64], v: &[f64], t: f64, gradient: &mut [f64]) {
        self.potential_gradient(q, t, &mut gradient[..2]);
        gradient[0] = -gradient[0];
        gradient[1] = -gradient[1];
        self.mass.multiply(v, &mut gradient[2..4]);
        gradient[4] = 0.0;
    }

    fn second_pattern(&self) -> &SymmetricPattern {
        &self.second
    }

    fn second_derivatives(&self, q: &[f64], v: &[f64], t: f64, gradient: &mut [f64], hessian: &mut [f64]) {
        self.potential_second(q, t, &mut gradient[..2], &mut hessian[..3]);
        for entry in &mut hessian[..3] {
            *entry = -*entry;
        }
        hessian[3..6].copy_from_slice(&self.mass.values);
        hessian[6] = 0.0;
        self.first_derivatives(q, v, t, gradient);
    }
}
