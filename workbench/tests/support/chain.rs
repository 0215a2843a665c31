//! Point masses on rigid rods in the plane: a natural system with constraints.

use integrator_core::describe::{ConstraintGroup, Description, Force, Mass, Structure};
use integrator_core::error::BindError;
use integrator_core::sparse::{RowPattern, SymmetricMatrix, SymmetricPattern};
use integrator_core::system::{
    Constrained, Holonomic, Kind, Lagrangian, Layout, Natural, Start, State, Stiff, System,
};
use serde::{Deserialize, Serialize};
use workbench::{Erased, Model, Restricted};

/// V = Σ m g y;  g_i = |p_i − p_{i−1}|² − rod², p_{−1} = 0.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Chain {
    pub(crate) links: usize,
    pub(crate) mass: f64,
    pub(crate) gravity: f64,
    pub(crate) rod: f64,
}

impl Default for Chain {
    fn default() -> Self {
        Self { links: 3, mass: 1.0, gravity: 1.0, rod: 5.0_f64.sqrt() }
    }
}

impl Start for Chain {
    fn start(&self) -> State {
        let unit = self.rod / 5.0_f64.sqrt();
        State::at_rest((1..=self.links).flat_map(|i| [i as f64 * unit, -2.0 * i as f64 * unit]).collect())
    }
}

impl Model for Chain {
    fn erased(&self) -> Result<Box<dyn Erased>, BindError> {
        let n = 2 * self.links;
        let mut layout = Layout::new();
        layout.push("bobs", Kind::Vec2, vec![self.links]);
        let blocks = (0..self.links).flat_map(|i| {
            let own = 2 * i;
            let neighbour = (i > 0).then(|| [(own, own - 2), (own + 1, own - 1)]);
            neighbour.into_iter().flatten()
        });
        Ok(Box::new(Bound {
            mass: SymmetricMatrix::diagonal(vec![self.mass; n]),
            potential: SymmetricPattern::new(n, []),
            second: SymmetricPattern::new(2 * n + 1, []),
            weighted: SymmetricPattern::new(n, blocks),
            jacobian: RowPattern::new(
                self.links,
                n,
                (0..self.links)
                    .flat_map(|i| (2 * i.saturating_sub(1)..2 * i + 2).map(move |column| (i, column))),
            ),
            model: self.clone(),
            layout,
        }))
    }
}

struct Bound {
    model: Chain,
    layout: Layout,
    mass: SymmetricMatrix,
    potential: SymmetricPattern,
    second: SymmetricPattern,
    weighted: SymmetricPattern,
    jacobian: RowPattern,
}

impl Bound {
    /// x_i − x_{i−1}.
    fn difference(x: &[f64], i: usize) -> [f64; 2] {
        if i == 0 { [x[0], x[1]] } else { [x[2 * i] - x[2 * i - 2], x[2 * i + 1] - x[2 * i - 1]] }
    }
}

impl System for Bound {
    fn name(&self) -> &'static str {
        "Chain"
    }
    fn layout(&self) -> &Layout {
        &self.layout
    }
}

impl Natural for Bound {
    fn mass(&self) -> &SymmetricMatrix {
        &self.mass
    }
    fn potential(&self, q: &[f64], _t: f64) -> f64 {
        q.chunks(2).map(|p| self.model.mass * self.model.gravity * p[1]).sum()
    }
    fn potential_gradient(&self, _q: &[f64], _t: f64, gradient: &mut [f64]) {
        for p in gradient.chunks_mut(2) {
            p.copy_from_slice(&[0.0, self.model.mass * self.model.gravity]);
        }
    }
    fn potential_pattern(&self) -> &SymmetricPattern {
        &self.potential
    }
    fn potential_second(&self, q: &[f64], t: f64, gradient: &mut [f64], hessian: &mut [f64]) {
        self.potential_gradient(q, t, gradient);
        hessian.fill(0.0);
    }
    fn potential_product(&self, _q: &[f64], _t: f64, _a: &[f64], product: &mut [f64]) {
        product.fill(0.0);
    }
    fn potential_third(&self, _q: &[f64], _t: f64, _a: &[f64], contraction: &mut [f64]) {
        contraction.fill(0.0);
    }
}

impl Holonomic for Bound {
    fn constraints(&self) -> usize {
        self.model.links
    }
    fn constraint_name(&self, row: usize) -> String {
        format!("rods[{row}]")
    }
    fn constraint_values(&self, q: &[f64], _t: f64, values: &mut [f64]) {
        for (i, value) in values.iter_mut().enumerate() {
            let [x, y] = Self::difference(q, i);
            *value = x * x + y * y - self.model.rod * self.model.rod;
        }
    }
    fn jacobian_pattern(&self) -> &RowPattern {
        &self.jacobian
    }
    fn jacobian(&self, q: &[f64], t: f64, values: &mut [f64], jacobian: &mut [f64]) {
        self.constraint_values(q, t, values);
        for i in 0..self.model.links {
            let [x, y] = Self::difference(q, i);
            let row = &mut jacobian[self.jacobian.row(i)];
            let own = row.len() - 2;
            if i > 0 {
                row[0] = -2.0 * x;
                row[1] = -2.0 * y;
            }
            row[own] = 2.0 * x;
            row[own + 1] = 2.0 * y;
        }
    }
    fn constraint_rate(&self, _q: &[f64], _t: f64, rate: &mut [f64]) {
        rate.fill(0.0);
    }
    fn constraint_curvature(&self, q: &[f64], v: &[f64], t: f64, curvature: &mut [f64]) {
        self.constraint_quadratic(q, t, v, curvature);
    }
    fn constraint_quadratic(&self, _q: &[f64], _t: f64, a: &[f64], quadratic: &mut [f64]) {
        for (i, value) in quadratic.iter_mut().enumerate() {
            let [x, y] = Self::difference(a, i);
            *value = 2.0 * (x * x + y * y);
        }
    }
    fn weighted_pattern(&self) -> &SymmetricPattern {
        &self.weighted
    }
    fn weighted_hessian(&self, _q: &[f64], _t: f64, weights: &[f64], hessian: &mut [f64]) {
        hessian.fill(0.0);
        for (i, weight) in weights.iter().enumerate() {
            for axis in 0..2 {
                let own = 2 * i + axis;
                let pairs = [
                    (own, own, 2.0),
                    (own, own.wrapping_sub(2), -2.0),
                    (own.wrapping_sub(2), own.wrapping_sub(2), 2.0),
                ];
                for (row, column, factor) in pairs.into_iter().take(if i == 0 { 1 } else { 3 }) {
                    hessian[self.weighted.position(row, column).unwrap()] += factor * weight;
                }
            }
        }
    }
    fn add_weighted_product(&self, _q: &[f64], _t: f64, weights: &[f64], a: &[f64], product: &mut [f64]) {
        for (i, weight) in weights.iter().enumerate() {
            for (axis, difference) in Self::difference(a, i).into_iter().enumerate() {
                product[2 * i + axis] += 2.0 * weight * difference;
                if i > 0 {
                    product[2 * i + axis - 2] -= 2.0 * weight * difference;
                }
            }
        }
    }
    fn add_weighted_third(
        &self,
        _q: &[f64],
        _t: f64,
        _weights: &[f64],
        _a: &[f64],
        _contraction: &mut [f64],
    ) {
    }
}

impl Lagrangian for Bound {
    fn lagrangian(&self, q: &[f64], v: &[f64], t: f64) -> f64 {
        0.5 * self.mass.quadratic(v) - self.potential(q, t)
    }
    fn energy(&self, q: &[f64], v: &[f64], t: f64) -> f64 {
        0.5 * self.mass.quadratic(v) + self.potential(q, t)
    }
    fn first_derivatives(&self, q: &[f64], v: &[f64], t: f64, gradient: &mut [f64]) {
        let n = q.len();
        self.potential_gradient(q, t, &mut gradient[..n]);
        gradient[..n].iter_mut().for_each(|entry| *entry = -*entry);
        self.mass.multiply(v, &mut gradient[n..2 * n]);
        gradient[2 * n] = 0.0;
    }
    fn second_pattern(&self) -> &SymmetricPattern {
        &self.second
    }
    fn second_derivatives(&self, q: &[f64], v: &[f64], t: f64, gradient: &mut [f64], hessian: &mut [f64]) {
        let n = q.len();
        self.first_derivatives(q, v, t, gradient);
        hessian.fill(0.0);
        hessian[n..2 * n].fill(self.model.mass);
    }
}

impl Erased for Bound {
    fn lagrangian(&self) -> &dyn Lagrangian {
        self
    }
    fn natural(&self) -> Option<&dyn Natural> {
        Some(self)
    }
    fn stiff(&self) -> Option<&dyn Stiff> {
        None
    }
    fn constrained(&self) -> Option<&dyn Constrained> {
        Some(self)
    }
    fn restricted(&self) -> Option<&dyn Restricted> {
        Some(self)
    }
    fn description(&self) -> Description {
        Description {
            model: "Chain".into(),
            documentation: "Point masses on rigid rods in the plane.".into(),
            dimension: 2 * self.model.links,
            equations: self.model.links,
            coordinates: self.layout.coordinates().to_vec(),
            structure: Structure {
                mass: Mass::Constant,
                mass_diagonal: true,
                force: Force::PositionOnly,
                time_dependent: false,
            },
            families: vec![],
            constraints: vec![ConstraintGroup {
                name: "rods".into(),
                equations: self.model.links,
                families: vec![],
            }],
        }
    }
}
