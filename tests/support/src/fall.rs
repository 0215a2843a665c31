//! A point that falls onto a centre of attraction: L = ½ v² + 1/q, singular at q = 0.

use least_action::advanced::sparse::SymmetricPattern;
use least_action::system::{Kind, Lagrangian, Layout, System};

/// The model.
#[derive(Debug)]
pub struct Fall {
    layout: Layout,
    second: SymmetricPattern,
}

impl Default for Fall {
    fn default() -> Self {
        let mut layout = Layout::new();
        layout.push("q", Kind::Scalar, vec![]);
        Self { layout, second: SymmetricPattern::new(3, []) }
    }
}

impl System for Fall {
    fn name(&self) -> &'static str {
        "Fall"
    }

    fn layout(&self) -> &Layout {
        &self.layout
    }
}

impl Lagrangian for Fall {
    fn lagrangian(&self, q: &[f64], v: &[f64], _t: f64) -> f64 {
        0.5 * v[0] * v[0] + 1.0 / q[0]
    }

    fn energy(&self, q: &[f64], v: &[f64], _t: f64) -> f64 {
        0.5 * v[0] * v[0] - 1.0 / q[0]
    }

    fn first_derivatives(&self, q: &[f64], v: &[f64], _t: f64, gradient: &mut [f64]) {
        gradient.copy_from_slice(&[-1.0 / (q[0] * q[0]), v[0], 0.0]);
    }

    fn second_pattern(&self) -> &SymmetricPattern {
        &self.second
    }

    fn second_derivatives(&self, q: &[f64], v: &[f64], t: f64, gradient: &mut [f64], hessian: &mut [f64]) {
        self.first_derivatives(q, v, t, gradient);
        hessian.copy_from_slice(&[2.0 / q[0].powi(3), 1.0, 0.0]);
    }
}
