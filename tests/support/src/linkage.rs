//! Points on rods with derivatives by hand, to test methods independently of the compiler.

use least_action::advanced::sparse::{RowPattern, SymmetricMatrix, SymmetricPattern};
use least_action::system::{Holonomic, Kind, Lagrangian, Layout, Natural, State, System, Unforced};

/// Points joined by rods: `|p_i − p_j|² = L² (1 + a sin t)²`, in a uniform field V = weights · q.
///
/// The mass is any constant matrix; a rod may also end at the fixed origin.
#[derive(Debug, Clone)]
pub struct Linkage {
    layout: Layout,
    dimensions: usize,
    mass: SymmetricMatrix,
    weights: Vec<f64>,
    rods: Vec<Rod>,
    jacobian: RowPattern,
    empty: SymmetricPattern,
    weighted: SymmetricPattern,
    second: SymmetricPattern,
}

/// A rod from point `from` to point `to`, or to the origin.
#[derive(Debug, Clone, Copy)]
pub struct Rod {
    /// One end.
    pub from: usize,
    /// The other end; the origin if `None`.
    pub to: Option<usize>,
    /// The length.
    pub length: f64,
    /// The amplitude a of the length as a function of time.
    pub swing: f64,
}

impl Rod {
    /// A rod of constant length.
    pub fn new(from: usize, to: Option<usize>, length: f64) -> Self {
        Self { from, to, length, swing: 0.0 }
    }

    /// L(t)² and its first and second derivatives.
    fn square(&self, t: f64) -> [f64; 3] {
        let (l, a) = (self.length, self.swing);
        let (r, dr, ddr) = (l * (1.0 + a * t.sin()), l * a * t.cos(), -l * a * t.sin());
        [r * r, 2.0 * r * dr, 2.0 * (dr * dr + r * ddr)]
    }
}

impl Linkage {
    /// The linkage of `points` points in 2 or 3 dimensions.
    pub fn new(dimensions: usize, mass: SymmetricMatrix, weights: Vec<f64>, rods: Vec<Rod>) -> Self {
        let points = weights.len() / dimensions;
        let mut layout = Layout::new();
        layout.push("points", if dimensions == 2 { Kind::Vec2 } else { Kind::Vec3 }, vec![points]);
        let ends = |rod: &Rod| [Some(rod.from), rod.to].into_iter().flatten().collect::<Vec<_>>();
        let jacobian = RowPattern::new(
            rods.len(),
            weights.len(),
            rods.iter().enumerate().flat_map(|(row, rod)| {
                ends(rod)
                    .into_iter()
                    .flat_map(move |p| (0..dimensions).map(move |k| (row, dimensions * p + k)))
            }),
        );
        let weighted = SymmetricPattern::new(
            weights.len(),
            rods.iter().flat_map(|rod| {
                let (i, j) = (rod.from, rod.to.unwrap_or(rod.from));
                (0..dimensions).map(move |k| (dimensions * i + k, dimensions * j + k))
            }),
        );
        let empty = SymmetricPattern::new(weights.len(), []);
        let second = second_pattern(&mass);
        Self { layout, dimensions, mass, weights, rods, jacobian, empty, weighted, second }
    }

    /// The pendulum chain of these masses and rods, from the origin; positive gravity points to −y.
    pub fn chain(masses: &[f64], lengths: &[f64], gravity: f64) -> Self {
        let mass = masses.iter().flat_map(|&m| [m, m]).collect();
        let weights = masses.iter().flat_map(|&m| [0.0, m * gravity]).collect();
        let rods =
            lengths.iter().enumerate().map(|(i, &length)| Rod::new(i, i.checked_sub(1), length)).collect();
        Self::new(2, SymmetricMatrix::diagonal(mass), weights, rods)
    }

    /// The double pendulum of Tao and Owhadi, section 4.1, with its start; the paper prints −1.
    pub fn double_pendulum(gravity: f64) -> (Self, State) {
        let start = State::at_rest(vec![0.0, -1.0, 1.0, -2.0]);
        (Self::chain(&[1.0, 1.0], &[1.0, std::f64::consts::SQRT_2], gravity), start)
    }

    /// The chain of Tao and Owhadi, section 4.2, with its start: rods √5, bob i at (i, −2i).
    pub fn paper_chain(links: usize, gravity: f64) -> (Self, State) {
        let q = (1..=links).flat_map(|i| [i as f64, -2.0 * i as f64]).collect();
        (Self::chain(&vec![1.0; links], &vec![5.0_f64.sqrt(); links], gravity), State::at_rest(q))
    }

    /// A free rigid triangle with unequal masses in space, tumbling about its centre of mass.
    pub fn triangle() -> (Self, State) {
        let mass = [1.0, 2.0, 3.5].iter().flat_map(|&m| [m; 3]).collect();
        let q = vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.3, 0.8, 0.1];
        let length = |i: usize, j: usize| {
            (0..3).map(|k| (q[3 * i + k] - q[3 * j + k] as f64).powi(2)).sum::<f64>().sqrt()
        };
        let rods = [(1, 0), (2, 1), (2, 0)].map(|(i, j)| Rod::new(i, Some(j), length(i, j))).to_vec();
        // A rigid rotation about the centre of mass, so that the triangle stays where it is.
        let w = [0.4, -0.7, 1.1];
        let centre = [0, 1, 2].map(|k| (2.0 * q[3 + k] + 3.5 * q[6 + k]) / 6.5);
        let v = q
            .chunks(3)
            .flat_map(|p| {
                let r = [p[0] - centre[0], p[1] - centre[1], p[2] - centre[2]];
                [w[1] * r[2] - w[2] * r[1], w[2] * r[0] - w[0] * r[2], w[0] * r[1] - w[1] * r[0]]
            })
            .collect();
        (Self::new(3, SymmetricMatrix::diagonal(mass), vec![0.0; 9], rods), State::new(q, v))
    }

    /// Several such triangles side by side, which know nothing of one another and tumble the faster the
    /// later they come; and the starts of each alone.
    pub fn triangles(count: usize) -> (Self, State, Vec<State>) {
        let (one, start) = Self::triangle();
        let starts: Vec<State> = (0..count)
            .map(|m| {
                State::new(start.q.clone(), start.v.iter().map(|v| v * (1.0 + 0.2 * m as f64)).collect())
            })
            .collect();
        let side_by_side =
            |values: &dyn Fn(&State) -> &Vec<f64>| starts.iter().flat_map(values).copied().collect();
        let rods = (0..count).flat_map(|m| {
            one.rods.iter().map(move |rod| Rod {
                from: 3 * m + rod.from,
                to: rod.to.map(|to| 3 * m + to),
                ..*rod
            })
        });
        let mass = SymmetricMatrix::diagonal(one.mass.values.repeat(count));
        let all = Self::new(3, mass, one.weights.repeat(count), rods.collect());
        let state = State::new(side_by_side(&|state| &state.q), side_by_side(&|state| &state.v));
        (all, state, starts)
    }

    /// The same linkage with another mass matrix.
    #[must_use]
    pub fn with_mass(mut self, mass: SymmetricMatrix) -> Self {
        self.second = second_pattern(&mass);
        self.mass = mass;
        self
    }

    /// The same linkage in another uniform field.
    #[must_use]
    pub fn with_weights(mut self, weights: Vec<f64>) -> Self {
        self.weights = weights;
        self
    }

    /// The same linkage with one more rod.
    #[must_use]
    pub fn with_rod(self, rod: Rod) -> Self {
        let mut rods = self.rods;
        rods.push(rod);
        Self::new(self.dimensions, self.mass, self.weights, rods)
    }

    /// The same linkage whose first rod swings its length.
    #[must_use]
    pub fn with_swing(mut self, swing: f64) -> Self {
        self.rods[0].swing = swing;
        self
    }

    /// The largest `|g_c|`.
    pub fn violation(&self, state: &State) -> f64 {
        let mut values = vec![0.0; self.rods.len()];
        self.constraint_values(&state.q, state.t, &mut values);
        values.iter().fold(0.0, |largest, value| value.abs().max(largest))
    }

    /// The largest |G v + ∂g/∂t|.
    pub fn rate(&self, state: &State) -> f64 {
        let mut rate = vec![0.0; self.rods.len()];
        self.constraint_rate(&state.q, state.t, &mut rate);
        let (mut values, mut jacobian) = (rate.clone(), vec![0.0; self.jacobian.len()]);
        self.jacobian(&state.q, state.t, &mut values, &mut jacobian);
        self.jacobian.multiply_add(&jacobian, &state.v, &mut rate);
        rate.iter().fold(0.0, |largest, value| value.abs().max(largest))
    }

    /// The difference of the ends, component k.
    fn difference(&self, rod: &Rod, x: &[f64], k: usize) -> f64 {
        let d = self.dimensions;
        x[d * rod.from + k] - rod.to.map_or(0.0, |j| x[d * j + k])
    }

    fn differences_squared(&self, rod: &Rod, x: &[f64]) -> f64 {
        (0..self.dimensions).map(|k| self.difference(rod, x, k).powi(2)).sum()
    }
}

/// The pattern of the second derivatives of L in (q, v, t): the mass, in v.
fn second_pattern(mass: &SymmetricMatrix) -> SymmetricPattern {
    let n = mass.pattern.dimension();
    SymmetricPattern::new(2 * n + 1, mass.pattern.entries().map(|(i, j)| (n + i, n + j)))
}

impl System for Linkage {
    fn holonomic(&self) -> Option<&dyn Holonomic> {
        Some(self)
    }

    fn name(&self) -> &'static str {
        "Linkage"
    }

    fn layout(&self) -> &Layout {
        &self.layout
    }
}

impl Unforced for Linkage {}

impl Natural for Linkage {
    fn mass(&self) -> &SymmetricMatrix {
        &self.mass
    }

    fn potential(&self, q: &[f64], _t: f64) -> f64 {
        self.weights.iter().zip(q).map(|(w, q)| w * q).sum()
    }

    fn potential_rate(&self, _q: &[f64], _t: f64) -> f64 {
        0.0
    }

    fn potential_gradient(&self, _q: &[f64], _t: f64, gradient: &mut [f64]) {
        gradient.copy_from_slice(&self.weights);
    }

    fn potential_pattern(&self) -> &SymmetricPattern {
        &self.empty
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

impl Holonomic for Linkage {
    fn constraints(&self) -> usize {
        self.rods.len()
    }

    fn constraint_name(&self, row: usize) -> String {
        format!("rods[{row}]")
    }

    fn constraint_values(&self, q: &[f64], t: f64, values: &mut [f64]) {
        for (value, rod) in values.iter_mut().zip(&self.rods) {
            *value = self.differences_squared(rod, q) - rod.square(t)[0];
        }
    }

    fn jacobian_pattern(&self) -> &RowPattern {
        &self.jacobian
    }

    fn jacobian(&self, q: &[f64], t: f64, values: &mut [f64], jacobian: &mut [f64]) {
        self.constraint_values(q, t, values);
        let d = self.dimensions;
        for (row, rod) in self.rods.iter().enumerate() {
            for place in self.jacobian.row(row) {
                let column = self.jacobian.columns()[place] as usize;
                let sign = if column / d == rod.from { 2.0 } else { -2.0 };
                jacobian[place] = sign * self.difference(rod, q, column % d);
            }
        }
    }

    fn constraint_rate(&self, _q: &[f64], t: f64, rate: &mut [f64]) {
        for (rate, rod) in rate.iter_mut().zip(&self.rods) {
            *rate = -rod.square(t)[1];
        }
    }

    fn constraint_curvature(&self, _q: &[f64], v: &[f64], t: f64, curvature: &mut [f64]) {
        for (curvature, rod) in curvature.iter_mut().zip(&self.rods) {
            *curvature = 2.0 * self.differences_squared(rod, v) - rod.square(t)[2];
        }
    }

    fn constraint_quadratic(&self, _q: &[f64], _t: f64, a: &[f64], quadratic: &mut [f64]) {
        for (quadratic, rod) in quadratic.iter_mut().zip(&self.rods) {
            *quadratic = 2.0 * self.differences_squared(rod, a);
        }
    }

    fn weighted_pattern(&self) -> &SymmetricPattern {
        &self.weighted
    }

    fn weighted_hessian(&self, _q: &[f64], _t: f64, weights: &[f64], hessian: &mut [f64]) {
        hessian.fill(0.0);
        let d = self.dimensions;
        for (rod, weight) in self.rods.iter().zip(weights) {
            for k in 0..d {
                let i = d * rod.from + k;
                let ends = [
                    Some((i, i, 2.0)),
                    rod.to.map(|j| (d * j + k, d * j + k, 2.0)),
                    rod.to.map(|j| (i, d * j + k, -2.0)),
                ];
                for (row, column, factor) in ends.into_iter().flatten() {
                    if let Some(place) = self.weighted.position(row, column) {
                        hessian[place] += factor * weight;
                    }
                }
            }
        }
    }

    fn add_weighted_product(&self, _q: &[f64], _t: f64, weights: &[f64], a: &[f64], product: &mut [f64]) {
        let d = self.dimensions;
        for (rod, weight) in self.rods.iter().zip(weights) {
            for k in 0..d {
                let change = 2.0 * weight * self.difference(rod, a, k);
                product[d * rod.from + k] += change;
                if let Some(j) = rod.to {
                    product[d * j + k] -= change;
                }
            }
        }
    }

    fn add_weighted_third(&self, _q: &[f64], _t: f64, _w: &[f64], _a: &[f64], _contraction: &mut [f64]) {}
}

impl Lagrangian for Linkage {
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
        hessian[n..n + self.mass.values.len()].copy_from_slice(&self.mass.values);
    }
}
