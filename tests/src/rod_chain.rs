//! Point masses on massless rigid rods in the plane, hanging from the origin, with derivatives written by hand.
//!
//! L = ½ Σ mᵢ |ṗᵢ|² − g Σ mᵢ yᵢ,  gᵢ = |pᵢ − pᵢ₋₁|² − ℓᵢ², p₋₁ = 0.  Two links are the double pendulum.

use integrator_core::sparse::{RowPattern, SymmetricMatrix, SymmetricPattern};
use integrator_core::system::{Holonomic, Kind, Lagrangian, Layout, Natural, State, System};

/// The model, with everything that its instances share worked out.
#[derive(Debug)]
pub struct RodChain {
    masses: Vec<f64>,
    rods: Vec<f64>,
    gravity: f64,
    layout: Layout,
    mass: SymmetricMatrix,
    potential: SymmetricPattern,
    jacobian: RowPattern,
    weighted: SymmetricPattern,
    second: SymmetricPattern,
}

impl RodChain {
    /// A chain of these masses on these rods; positive gravity points to −y.
    pub fn new(masses: Vec<f64>, rods: Vec<f64>, gravity: f64) -> Self {
        let links = masses.len();
        let mut layout = Layout::new();
        layout.push("bobs", Kind::Vec2, vec![links]);
        let dimension = 2 * links;
        let row = |i: usize| (2 * i.max(1) - 2..2 * i + 2).map(move |j| (i, j));
        Self {
            mass: SymmetricMatrix::diagonal(masses.iter().flat_map(|&m| [m, m]).collect()),
            potential: SymmetricPattern::new(dimension, []),
            jacobian: RowPattern::new(links, dimension, (0..links).flat_map(row)),
            weighted: SymmetricPattern::new(dimension, (2..dimension).map(|i| (i, i - 2))),
            second: SymmetricPattern::new(2 * dimension + 1, []),
            masses,
            rods,
            gravity,
            layout,
        }
    }

    /// The double pendulum of the paper: unit masses, rods 1 and √2; gravity 1 hangs, −1 is the printed sign.
    pub fn double_pendulum(gravity: f64) -> Self {
        Self::new(vec![1.0; 2], vec![1.0, std::f64::consts::SQRT_2], gravity)
    }

    /// The chain of the paper: unit masses on rods of length √5.
    pub fn paper_chain(links: usize, gravity: f64) -> Self {
        Self::new(vec![1.0; links], vec![5.0_f64.sqrt(); links], gravity)
    }

    /// The start of the paper's double pendulum: (0, −1, 1, −2) at rest.
    pub fn double_pendulum_start() -> State {
        State::at_rest(vec![0.0, -1.0, 1.0, -2.0])
    }

    /// The start of the paper's chain: bob i at (i, −2 i), counted from 1, at rest.
    pub fn paper_chain_start(links: usize) -> State {
        State::at_rest((1..=links).flat_map(|i| [i as f64, -2.0 * i as f64]).collect())
    }

    fn difference(q: &[f64], link: usize) -> [f64; 2] {
        let at = |i: usize| [q[2 * i], q[2 * i + 1]];
        let before = if link == 0 { [0.0; 2] } else { at(link - 1) };
        [at(link)[0] - before[0], at(link)[1] - before[1]]
    }
}

impl System for RodChain {
    fn holonomic(&self) -> Option<&dyn Holonomic> {
        Some(self)
    }

    fn name(&self) -> &'static str {
        "RodChain"
    }

    fn layout(&self) -> &Layout {
        &self.layout
    }
}

impl Natural for RodChain {
    fn mass(&self) -> &SymmetricMatrix {
        &self.mass
    }

    fn potential(&self, q: &[f64], _t: f64) -> f64 {
        self.masses.iter().enumerate().map(|(i, m)| m * self.gravity * q[2 * i + 1]).sum()
    }

    fn potential_rate(&self, _q: &[f64], _t: f64) -> f64 {
        0.0
    }

    fn potential_gradient(&self, _q: &[f64], _t: f64, gradient: &mut [f64]) {
        for (m, pair) in self.masses.iter().zip(gradient.chunks_exact_mut(2)) {
            pair.copy_from_slice(&[0.0, m * self.gravity]);
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

impl Holonomic for RodChain {
    fn constraints(&self) -> usize {
        self.rods.len()
    }

    fn constraint_name(&self, row: usize) -> String {
        format!("rods[{row}]")
    }

    fn constraint_values(&self, q: &[f64], _t: f64, values: &mut [f64]) {
        for (link, (value, rod)) in values.iter_mut().zip(&self.rods).enumerate() {
            let [x, y] = Self::difference(q, link);
            *value = x * x + y * y - rod * rod;
        }
    }

    fn jacobian_pattern(&self) -> &RowPattern {
        &self.jacobian
    }

    fn jacobian(&self, q: &[f64], t: f64, values: &mut [f64], jacobian: &mut [f64]) {
        self.constraint_values(q, t, values);
        for link in 0..self.rods.len() {
            let [x, y] = Self::difference(q, link);
            let row = &mut jacobian[self.jacobian.row(link)];
            match row {
                [a, b] => (*a, *b) = (2.0 * x, 2.0 * y),
                row => row.copy_from_slice(&[-2.0 * x, -2.0 * y, 2.0 * x, 2.0 * y]),
            }
        }
    }

    fn constraint_rate(&self, _q: &[f64], _t: f64, rate: &mut [f64]) {
        rate.fill(0.0);
    }

    fn constraint_curvature(&self, q: &[f64], v: &[f64], t: f64, curvature: &mut [f64]) {
        self.constraint_quadratic(q, t, v, curvature);
    }

    fn constraint_quadratic(&self, _q: &[f64], _t: f64, a: &[f64], quadratic: &mut [f64]) {
        for (link, value) in quadratic.iter_mut().enumerate() {
            let [x, y] = Self::difference(a, link);
            *value = 2.0 * (x * x + y * y);
        }
    }

    fn weighted_pattern(&self) -> &SymmetricPattern {
        &self.weighted
    }

    fn weighted_hessian(&self, _q: &[f64], _t: f64, weights: &[f64], hessian: &mut [f64]) {
        // A column holds its diagonal and, unless it belongs to the last bob, the entry of the bob below.
        let mut values = hessian.iter_mut();
        let mut write = |value: f64| {
            if let Some(slot) = values.next() {
                *slot = value;
            }
        };
        for (i, weight) in weights.iter().enumerate() {
            for _ in 0..2 {
                match weights.get(i + 1) {
                    Some(next) => {
                        write(2.0 * (weight + next));
                        write(-2.0 * next);
                    }
                    None => write(2.0 * weight),
                }
            }
        }
    }

    fn add_weighted_product(&self, _q: &[f64], _t: f64, weights: &[f64], a: &[f64], product: &mut [f64]) {
        for (link, weight) in weights.iter().enumerate() {
            let difference = Self::difference(a, link);
            for (k, d) in difference.into_iter().enumerate() {
                product[2 * link + k] += 2.0 * weight * d;
                if link > 0 {
                    product[2 * link - 2 + k] -= 2.0 * weight * d;
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

impl Lagrangian for RodChain {
    fn lagrangian(&self, q: &[f64], v: &[f64], t: f64) -> f64 {
        0.5 * self.mass.quadratic(v) - self.potential(q, t)
    }

    fn energy(&self, q: &[f64], v: &[f64], t: f64) -> f64 {
        0.5 * self.mass.quadratic(v) + self.potential(q, t)
    }

    fn first_derivatives(&self, q: &[f64], v: &[f64], t: f64, gradient: &mut [f64]) {
        let n = q.len();
        self.potential_gradient(q, t, &mut gradient[..n]);
        for entry in &mut gradient[..n] {
            *entry = -*entry;
        }
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
        hessian[n..2 * n].copy_from_slice(&self.mass.values);
    }
}
