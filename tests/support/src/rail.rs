//! Two degrees of freedom with constraints of degree 3 that depend on time, beyond quadratic ones.
//!
//! V = ½ x² + x y²,  g₀ = x³ + x y² − y cos t,  g₁ = x² y + t x − 1,  M = diag(2, 3).

use least_action::advanced::sparse::{RowPattern, SymmetricMatrix, SymmetricPattern};
use least_action::system::{Holonomic, Kind, Lagrangian, Layout, Natural, System, Unforced};

/// The model.
#[derive(Debug)]
pub struct Rail {
    layout: Layout,
    mass: SymmetricMatrix,
    full: SymmetricPattern,
    jacobian: RowPattern,
    second: SymmetricPattern,
}

impl Default for Rail {
    fn default() -> Self {
        let mut layout = Layout::new();
        layout.push("p", Kind::Vec2, vec![]);
        Self {
            layout,
            mass: SymmetricMatrix::diagonal(vec![2.0, 3.0]),
            full: SymmetricPattern::new(2, [(1, 0)]),
            jacobian: RowPattern::new(2, 2, [(0, 0), (0, 1), (1, 0), (1, 1)]),
            second: SymmetricPattern::new(5, [(1, 0)]),
        }
    }
}

impl System for Rail {
    fn holonomic(&self) -> Option<&dyn Holonomic> {
        Some(self)
    }

    fn name(&self) -> &'static str {
        "Rail"
    }

    fn layout(&self) -> &Layout {
        &self.layout
    }
}

impl Unforced for Rail {}

impl Natural for Rail {
    fn mass(&self) -> &SymmetricMatrix {
        &self.mass
    }

    fn potential(&self, q: &[f64], _t: f64) -> f64 {
        0.5 * q[0] * q[0] + q[0] * q[1] * q[1]
    }

    fn potential_rate(&self, _q: &[f64], _t: f64) -> f64 {
        0.0
    }

    fn potential_gradient(&self, q: &[f64], _t: f64, gradient: &mut [f64]) {
        gradient.copy_from_slice(&[q[0] + q[1] * q[1], 2.0 * q[0] * q[1]]);
    }

    fn potential_pattern(&self) -> &SymmetricPattern {
        &self.full
    }

    fn potential_second(&self, q: &[f64], t: f64, gradient: &mut [f64], hessian: &mut [f64]) {
        self.potential_gradient(q, t, gradient);
        hessian.copy_from_slice(&[1.0, 2.0 * q[1], 2.0 * q[0]]);
    }

    fn potential_product(&self, q: &[f64], _t: f64, a: &[f64], product: &mut [f64]) {
        product.copy_from_slice(&[a[0] + 2.0 * q[1] * a[1], 2.0 * q[1] * a[0] + 2.0 * q[0] * a[1]]);
    }

    fn potential_third(&self, _q: &[f64], _t: f64, a: &[f64], contraction: &mut [f64]) {
        contraction.copy_from_slice(&[2.0 * a[1] * a[1], 4.0 * a[0] * a[1]]);
    }
}

/// The second derivatives (xx, xy, yy) of both constraints.
fn hessians([x, y]: [f64; 2]) -> [[f64; 3]; 2] {
    [[6.0 * x, 2.0 * y, 2.0 * x], [2.0 * y, 2.0 * x, 0.0]]
}

impl Holonomic for Rail {
    fn constraints(&self) -> usize {
        2
    }

    fn constraint_name(&self, row: usize) -> String {
        format!("rail[{row}]")
    }

    fn constraint_values(&self, q: &[f64], t: f64, values: &mut [f64]) {
        let (x, y) = (q[0], q[1]);
        values.copy_from_slice(&[x * x * x + x * y * y - y * t.cos(), x * x * y + t * x - 1.0]);
    }

    fn jacobian_pattern(&self) -> &RowPattern {
        &self.jacobian
    }

    fn jacobian(&self, q: &[f64], t: f64, values: &mut [f64], jacobian: &mut [f64]) {
        self.constraint_values(q, t, values);
        let (x, y) = (q[0], q[1]);
        jacobian.copy_from_slice(&[3.0 * x * x + y * y, 2.0 * x * y - t.cos(), 2.0 * x * y + t, x * x]);
    }

    fn constraint_rate(&self, q: &[f64], t: f64, rate: &mut [f64]) {
        rate.copy_from_slice(&[q[1] * t.sin(), q[0]]);
    }

    fn constraint_curvature(&self, q: &[f64], v: &[f64], t: f64, curvature: &mut [f64]) {
        self.constraint_quadratic(q, t, v, curvature);
        curvature[0] += 2.0 * t.sin() * v[1] + q[1] * t.cos();
        curvature[1] += 2.0 * v[0];
    }

    fn constraint_quadratic(&self, q: &[f64], _t: f64, a: &[f64], quadratic: &mut [f64]) {
        for (out, [xx, xy, yy]) in quadratic.iter_mut().zip(hessians([q[0], q[1]])) {
            *out = xx * a[0] * a[0] + 2.0 * xy * a[0] * a[1] + yy * a[1] * a[1];
        }
    }

    fn weighted_pattern(&self) -> &SymmetricPattern {
        &self.full
    }

    fn weighted_hessian(&self, q: &[f64], _t: f64, weights: &[f64], hessian: &mut [f64]) {
        let [first, second] = hessians([q[0], q[1]]);
        for (k, out) in hessian.iter_mut().enumerate() {
            *out = weights[0] * first[k] + weights[1] * second[k];
        }
    }

    fn add_weighted_product(&self, q: &[f64], t: f64, weights: &[f64], a: &[f64], product: &mut [f64]) {
        let mut hessian = [0.0; 3];
        self.weighted_hessian(q, t, weights, &mut hessian);
        product[0] += hessian[0] * a[0] + hessian[1] * a[1];
        product[1] += hessian[1] * a[0] + hessian[2] * a[1];
    }

    fn add_weighted_third(&self, _q: &[f64], _t: f64, weights: &[f64], a: &[f64], contraction: &mut [f64]) {
        let mixed = 4.0 * a[0] * a[1];
        contraction[0] += weights[0] * (6.0 * a[0] * a[0] + 2.0 * a[1] * a[1]) + weights[1] * mixed;
        contraction[1] += weights[0] * mixed + weights[1] * 2.0 * a[0] * a[0];
    }
}

impl Lagrangian for Rail {
    fn lagrangian(&self, q: &[f64], v: &[f64], t: f64) -> f64 {
        0.5 * self.mass.quadratic(v) - self.potential(q, t)
    }

    fn energy(&self, q: &[f64], v: &[f64], t: f64) -> f64 {
        0.5 * self.mass.quadratic(v) + self.potential(q, t)
    }

    fn first_derivatives(&self, q: &[f64], v: &[f64], _t: f64, gradient: &mut [f64]) {
        gradient.copy_from_slice(&[-q[0] - q[1] * q[1], -2.0 * q[0] * q[1], 2.0 * v[0], 3.0 * v[1], 0.0]);
    }

    fn second_pattern(&self) -> &SymmetricPattern {
        &self.second
    }

    fn second_derivatives(&self, q: &[f64], v: &[f64], t: f64, gradient: &mut [f64], hessian: &mut [f64]) {
        self.first_derivatives(q, v, t, gradient);
        hessian.copy_from_slice(&[-1.0, -2.0 * q[1], -2.0 * q[0], 2.0, 3.0, 0.0]);
    }
}
