//! The linear map of a step.
//!
//! With the matrix K of Newton's method and the derivatives R of both momenta by q₀:
//!
//! ```text
//! K δu = δp₀ − R₀ δq₀,    R₀ = Σ w (L_vq − (1 − θ) h (L_qq + F_q)),
//! δp₁ = R₁ δq₀ + K₁ δu,   R₁ = Σ w (L_vq + θ h (L_qq + F_q)),
//!                         K₁ = R₁ θ h + Σ w (L_vv + θ h (L_qv + F_v)),
//! δq₁ = δq₀ + h δu.
//! ```
//!
//! Under rows B with the multipliers y⁺ and y⁻ of both stages, see [`held`](super::held), the first line
//! gains B₀ᵀ δy⁺ + ∂(B₀ᵀ y⁺)/∂q δq₀ with the rows of C that hold δq₁, and the second line
//! −B₁ᵀ δy⁻ − ∂(B₁ᵀ y⁻)/∂q δq₁ with B₁ δv₁ + κ δq₁ = 0.

mod held;
mod matrix;

pub(super) use held::HeldMap;

use super::integrand::{Integrand, Node as Quadrature};
use crate::error::Begun;
use crate::method::applied::Instant;
use crate::method::entries::NodeMatrixEntries;
use crate::method::first_order::without_mass;
use crate::method::force_error::Attempt;
use crate::method::linearization::Parameters;
use crate::method::linearization::program::{
    self, Line, Linear, Lines, Node, ONE, Operator, P, Q, Span, V, Vector, add, set,
};
use crate::method::linearization::sparse::{SlopeMatrix, Sparse};
use crate::method::report::Evaluations;
use crate::system::{Lagrangian, Parametric, State};
use matrix::StepMatrix;

/// u = (q₁ − q₀)/h, and a momentum.
const U: Vector = program::OWN;
const W: Vector = program::OWN + 1;

/// −R₀, K⁻¹, R₁ and K₁.
const EARLY: Operator = 0;
const SOLVE: Operator = 1;
const LATE: Operator = 2;
const LATE_MOTION: Operator = 3;
/// L_vv, L_vv⁻¹ and L_vq at a state.
const MASS: Operator = 4;
const INVERSE_MASS: Operator = 5;
const MIXED: Operator = 6;
/// L_vq, and −(L_qq + F_q) in the rows of coordinates of first order, whose forces balance.
const BALANCE: Operator = 7;
/// The first operator of the map under constraints.
const OWN: Operator = 8;

const STEP: [Line; 5] = [
    add(P, |_| 1.0, EARLY, Q),
    set(U, SOLVE, P),
    set(P, LATE, Q),
    add(P, |_| 1.0, LATE_MOTION, U),
    add(Q, |h| h, ONE, U),
];
const VELOCITY: [Line; 3] = [set(W, ONE, P), add(W, |_| -1.0, BALANCE, Q), set(V, INVERSE_MASS, W)];
const MOMENTUM: [Line; 2] = [set(P, MASS, V), add(P, |_| 1.0, MIXED, Q)];

/// The linear map of a step.
pub(super) struct VariationalMap<'s, S: ?Sized> {
    system: &'s S,
    nodes: &'static [Quadrature],
    entries: NodeMatrixEntries,
    /// K, and L_vv with its transpose, which have −F_v in the rows of coordinates of first order.
    matrix: StepMatrix,
    mass: [StepMatrix; 2],
    /// These coordinates, once known.
    states: Option<Vec<usize>>,
    /// The derivatives at each node, and at a state.
    derivatives: Vec<Integrand<'s, S>>,
    state: Integrand<'s, S>,
    /// The derivatives by parameters, if there are some, at each node, and last at a state.
    by_parameters: Vec<Parameters<'s>>,
    q: Vec<f64>,
    u: Vec<f64>,
    size: f64,
    counts: Evaluations,
    /// An operator as a matrix, when several tangents ask for it.
    slopes: Option<SlopeMatrix>,
}

const MATRIX: &str = "the derivative of the discrete momentum";
const MASS_MATRIX: &str = "∂²L/∂v∂v";
/// The rows and columns of L_vv.
const OF_MASS: [[f64; 2]; 2] = [[1.0, 0.0], [1.0, 0.0]];

impl<'s, S: Lagrangian + ?Sized> VariationalMap<'s, S> {
    pub(super) fn new(system: &'s S, nodes: &'static [Quadrature]) -> Begun<Self> {
        system.affords_second_derivatives()?;
        let n = system.dimension();
        let entries = NodeMatrixEntries::of(system, true);
        let matrix = |name| StepMatrix::new(system, name, n, entries.places());
        let by_parameters =
            |own: &'s dyn Parametric| (0..=nodes.len()).map(move |_| Parameters::new(own, own.forced()));
        Ok(Self {
            system,
            nodes,
            matrix: matrix(MATRIX)?,
            mass: [matrix(MASS_MATRIX)?, matrix(MASS_MATRIX)?],
            states: None,
            entries,
            derivatives: nodes.iter().map(|_| Integrand::new(system)).collect(),
            state: Integrand::new(system),
            by_parameters: system.parametric().into_iter().flat_map(by_parameters).collect(),
            q: vec![0.0; n],
            u: vec![0.0; n],
            size: 0.0,
            counts: Evaluations::default(),
            slopes: None,
        })
    }

    /// Evaluates all nodes of a step.
    fn look(&mut self, Span { from, to, size }: &Span<'_>) {
        let Self { nodes, derivatives, by_parameters, q, u, counts, .. } = self;
        self.size = *size;
        u.iter_mut().zip(from.q.iter().zip(to.q)).for_each(|(u, (q0, q1))| *u = (q1 - q0) / size);
        let mut by_parameters = by_parameters.iter_mut();
        for (node, integrand) in nodes.iter().zip(derivatives) {
            let at = node.go_between((from.q, from.t), to.q, *size, q);
            integrand.linearize(q, u, at, counts);
            if let Some(parameters) = by_parameters.next() {
                parameters.stand(q, u, at);
            }
        }
    }

    /// Evaluates a state.
    fn look_at(&mut self, node: &Node<'_>) {
        let Node { t, q, v, .. } = *node;
        let state = || State { t, q: q.to_vec(), v: v.to_vec() };
        let states = self.states.get_or_insert_with(|| without_mass(self.system, &state()));
        if states.is_empty() {
            self.state.evaluate_mass(q, v, t, &mut self.counts);
        } else {
            self.state.linearize(q, v, Instant::at(t), &mut self.counts);
        }
        if let Some(parameters) = self.by_parameters.last_mut() {
            parameters.stand(node.q, node.v, Instant::at(node.t));
        }
    }

    /// Adds K to a matrix whose first entries are its own.
    fn add_matrix(&self, transposed: bool, matrix: &mut StepMatrix) {
        for (node, integrand) in self.nodes.iter().zip(&self.derivatives) {
            let [weight, ahead, behind] = node.factors(self.size);
            let factors = [[weight, -weight * behind], [1.0, ahead]];
            matrix.add(0, transposed, self.entries.values(factors, integrand.derivatives()));
        }
    }

    fn states(&self) -> &[usize] {
        self.states.as_deref().unwrap_or(&[])
    }

    /// The entries of the balance at the state: its derivatives by velocities, or by positions.
    fn balance(&self, columns: [f64; 2]) -> impl Iterator<Item = ((usize, usize), f64)> {
        let values = |rows| self.entries.values([rows, columns], self.state.derivatives());
        let both = self.entries.places().zip(values([1.0, 0.0]).zip(values([0.0, -1.0])));
        both.map(|((i, j), (of_mass, of_force))| {
            ((i, j), if self.states().contains(&i) { of_force } else { of_mass })
        })
    }

    /// Adds L_vv at the state to a matrix whose first entries are its own.
    fn add_mass(&self, matrix: &mut StepMatrix) {
        matrix.add(0, false, self.entries.values(OF_MASS, self.state.derivatives()));
    }

    /// The matrices of derivatives that add to an operator, with the factors of their rows and columns.
    fn factors(&self, by: Operator) -> impl Iterator<Item = ([[f64; 2]; 2], &Integrand<'s, S>)> {
        let of_state = match by {
            MASS => Some(OF_MASS),
            MIXED | BALANCE => Some([[1.0, 0.0], [0.0, 1.0]]),
            _ => None,
        };
        let of_nodes = self.nodes.iter().zip(&self.derivatives).filter(move |_| of_state.is_none());
        let of_nodes = of_nodes.map(move |(node, integrand)| {
            let [weight, ahead, behind] = node.factors(self.size);
            let factors = match by {
                EARLY => [[-weight, weight * behind], [0.0, 1.0]],
                LATE => [[weight, weight * ahead], [0.0, 1.0]],
                _ => [[weight, weight * ahead], [1.0, ahead]],
            };
            (factors, integrand)
        });
        of_state.map(|factors| (factors, &self.state)).into_iter().chain(of_nodes)
    }

    /// Adds the part of the parameters of an operator, or its transpose, to `y`.
    fn add_parameters(&mut self, by: Operator, along: (bool, &[f64]), y: &mut [f64]) {
        let Some((state, of_nodes)) = self.by_parameters.split_last_mut() else { return };
        match by {
            BALANCE => {
                let states = self.states.as_deref().unwrap_or(&[]);
                state.add(|row| if states.contains(&row) { [0.0, -1.0] } else { [1.0, 0.0] }, along, y);
            }
            MIXED => state.add(|_| [1.0, 0.0], along, y),
            EARLY | LATE => {
                for (node, parameters) in self.nodes.iter().zip(of_nodes) {
                    let [weight, ahead, behind] = node.factors(self.size);
                    let rows =
                        if by == EARLY { [-weight, weight * behind] } else { [weight, weight * ahead] };
                    parameters.add(|_| rows, along, y);
                }
            }
            _ => {}
        }
    }

    /// The entries of derivatives by parameters; none if they are unknown.
    fn couplings(&self) -> Option<Vec<(usize, usize)>> {
        self.by_parameters.last().map_or_else(|| Some(Vec::new()), Parameters::couplings)
    }

    /// Adds the matrix of derivatives whose rows and columns count with these factors to `y`.
    fn multiply(
        &self,
        factors: [[f64; 2]; 2],
        integrand: &Integrand<'_, S>,
        (transposed, x): (bool, &[f64]),
        y: &mut [f64],
    ) {
        let values = self.entries.values(factors, integrand.derivatives());
        for ((i, j), value) in self.entries.places().zip(values) {
            let (to, from) = if transposed { (j, i) } else { (i, j) };
            y[to] += value * x[from];
        }
    }
}

impl<S: Lagrangian + ?Sized> Linear for VariationalMap<'_, S> {
    fn lines(&self) -> Lines<'_> {
        Lines { begin: &[], step: &STEP, velocity: &VELOCITY, momentum: &MOMENTUM }
    }

    fn vectors(&self) -> Vec<usize> {
        vec![self.q.len(); 2]
    }

    fn dimension(&self) -> [usize; 2] {
        [self.q.len(), self.by_parameters.last().map_or(0, Parameters::count)]
    }

    fn stand(&mut self, step: &Span<'_>, transposed: bool) -> Attempt {
        self.look(step);
        let mut matrix = std::mem::take(&mut self.matrix);
        self.add_matrix(transposed, matrix.clear());
        self.matrix = matrix;
        self.matrix.factor()
    }

    fn stand_at(&mut self, node: &Node<'_>) -> Attempt {
        self.look_at(node);
        let mut mass = std::mem::take(&mut self.mass);
        if self.states().is_empty() {
            self.add_mass(mass[0].clear());
        } else {
            for (transposed, mass) in [false, true].into_iter().zip(&mut mass) {
                mass.clear().add(0, transposed, self.balance([1.0, 0.0]).map(|(_, value)| value));
            }
            mass[1].factor()?;
        }
        self.mass = mass;
        self.mass[0].factor()
    }

    fn row_name(&self, row: usize) -> String {
        self.system.layout().name_of(row)
    }

    fn apply(&mut self, by: Operator, transposed: bool, x: &[f64], y: &mut [f64]) {
        match by {
            SOLVE => return self.matrix.solve(x, y),
            INVERSE_MASS => {
                let mirrored = transposed && !self.states().is_empty();
                return self.mass[usize::from(mirrored)].solve(x, y);
            }
            _ => y.fill(0.0),
        }
        if by == BALANCE && !self.states().is_empty() {
            for ((i, j), value) in self.balance([0.0, 1.0]) {
                let (to, from) = if transposed { (j, i) } else { (i, j) };
                y[to] += value * x[from];
            }
            return self.add_parameters(by, (transposed, x), y);
        }
        for (factors, integrand) in self.factors(by) {
            self.multiply(factors, integrand, (transposed, x), y);
        }
        self.add_parameters(by, (transposed, x), y);
    }

    fn matrix(&mut self, by: Operator) -> Option<Sparse<'_>> {
        if by == SOLVE || by == INVERSE_MASS || by == BALANCE && !self.states().is_empty() {
            return None;
        }
        let mut slopes = self.slopes.take().unwrap_or_else(|| {
            let ([n, parameters], written) = (self.dimension(), self.entries.places().enumerate());
            SlopeMatrix::new([n, n + parameters], &written.collect::<Vec<_>>(), self.couplings().as_deref())
        });
        if let Some(numbers) = slopes.numbers() {
            numbers.fill(0.0);
            for (factors, integrand) in self.factors(by) {
                let values = self.entries.values(factors, integrand.derivatives());
                numbers.iter_mut().zip(values).for_each(|(number, value)| *number += value);
            }
            slopes.fill(1.0, |theta, y| {
                y.fill(0.0);
                self.add_parameters(by, (false, theta), y);
            });
        }
        self.slopes.insert(slopes).get()
    }
}
