//! The derivatives of L and F by x = (q, θ) at the nodes of a step, and at a state.

use crate::error::Begun;
use crate::method::applied::Instant;
use crate::method::entries::NodeMatrixEntries;
use crate::method::first_order::without_mass;
use crate::method::linearization::Parameters;
use crate::method::linearization::span::{Node, Span};
use crate::method::linearization::sparse::{SlopeMatrix, Sparse};
use crate::method::report::Evaluations;
use crate::method::variational::integrand::{Integrand, Node as Quadrature};
use crate::system::{Lagrangian, Parametric, State};

use super::matrix::StepMatrix;

/// The operators of these derivatives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::method) enum OfNodes {
    /// −R₀.
    Early,
    /// R₁.
    Late,
    /// K₁.
    LateMotion,
    /// L_vv at a state.
    Mass,
    /// L_vq.
    Mixed,
    /// L_vq, and −(L_qq + F_q) in the rows of coordinates of first order, whose forces balance.
    Balance,
}

/// The nodes of a step, and a state.
pub(super) struct Nodes<'s, S: ?Sized> {
    pub(super) system: &'s S,
    pub(super) quadrature: &'static [Quadrature],
    pub(super) entries: NodeMatrixEntries,
    /// The coordinates of first order, once known.
    states: Option<Vec<usize>>,
    /// The derivatives at each node, and at a state.
    derivatives: Vec<Integrand<'s, S>>,
    state: Integrand<'s, S>,
    /// The derivatives by parameters, if there are some, at each node, and last at a state.
    by_parameters: Vec<Parameters<'s>>,
    pub(super) q: Vec<f64>,
    pub(super) u: Vec<f64>,
    pub(super) size: f64,
    counts: Evaluations,
    /// An operator as a matrix, when several tangents ask for it.
    slopes: Option<SlopeMatrix>,
}

impl<'s, S: Lagrangian + ?Sized> Nodes<'s, S> {
    pub(super) fn new(system: &'s S, quadrature: &'static [Quadrature]) -> Begun<Self> {
        system.affords_second_derivatives()?;
        let n = system.dimension();
        let by_parameters =
            |own: &'s dyn Parametric| (0..=quadrature.len()).map(move |_| Parameters::new(own, own.forced()));
        Ok(Self {
            system,
            quadrature,
            states: None,
            entries: NodeMatrixEntries::of(system, true),
            derivatives: quadrature.iter().map(|_| Integrand::new(system)).collect(),
            state: Integrand::new(system),
            by_parameters: system.parametric().into_iter().flat_map(by_parameters).collect(),
            q: vec![0.0; n],
            u: vec![0.0; n],
            size: 0.0,
            counts: Evaluations::default(),
            slopes: None,
        })
    }

    /// The degrees of freedom, and the parameters.
    pub(super) fn dimension(&self) -> [usize; 2] {
        [self.q.len(), self.by_parameters.last().map_or(0, Parameters::count)]
    }

    /// Evaluates all nodes of a step.
    pub(super) fn look(&mut self, Span { from, to, size }: &Span<'_>) {
        let Self { quadrature, derivatives, by_parameters, q, u, counts, .. } = self;
        self.size = *size;
        u.iter_mut().zip(from.q.iter().zip(to.q)).for_each(|(u, (q0, q1))| *u = (q1 - q0) / size);
        let mut by_parameters = by_parameters.iter_mut();
        for (node, integrand) in quadrature.iter().zip(derivatives) {
            let at = node.go_between((from.q, from.t), to.q, *size, q);
            integrand.linearize(q, u, at, counts);
            if let Some(parameters) = by_parameters.next() {
                parameters.stand(q, u, at);
            }
        }
    }

    /// Evaluates a state.
    pub(super) fn look_at(&mut self, node: &Node<'_>) {
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
    pub(super) fn add_matrix(&self, transposed: bool, matrix: &mut StepMatrix) {
        for (node, integrand) in self.quadrature.iter().zip(&self.derivatives) {
            let [weight, ahead, behind] = node.factors(self.size);
            let factors = [[weight, -weight * behind], [1.0, ahead]];
            matrix.add(0, transposed, self.entries.values(factors, integrand.derivatives()));
        }
    }

    /// Adds L_vv at the state to a matrix whose first entries are its own, with −F_v in the rows of
    /// coordinates of first order.
    pub(super) fn add_mass(&self, transposed: bool, matrix: &mut StepMatrix) {
        matrix.add(0, transposed, self.balance([1.0, 0.0]));
    }

    fn states(&self) -> &[usize] {
        self.states.as_deref().unwrap_or(&[])
    }

    /// The entries of the momentum at the state, or of the balance in the rows of coordinates of first
    /// order: their derivatives by velocities, or by positions.
    fn balance(&self, columns: [f64; 2]) -> impl Iterator<Item = f64> {
        let values = |rows| self.entries.values([rows, columns], self.state.derivatives());
        let both = self.entries.places().zip(values([1.0, 0.0]).zip(values([0.0, -1.0])));
        both.map(
            |((row, _), (of_momentum, of_force))| {
                if self.states().contains(&row) { of_force } else { of_momentum }
            },
        )
    }

    /// Visits the values of the entries of an operator, in the order of the entries.
    fn visit(&self, by: OfNodes, mut each: impl FnMut(&mut dyn Iterator<Item = f64>)) {
        let of_node: fn([f64; 3]) -> [[f64; 2]; 2] = match by {
            OfNodes::Mass => {
                let factors = [[1.0, 0.0], [1.0, 0.0]];
                return each(&mut self.entries.values(factors, self.state.derivatives()));
            }
            OfNodes::Mixed => {
                let factors = [[1.0, 0.0], [0.0, 1.0]];
                return each(&mut self.entries.values(factors, self.state.derivatives()));
            }
            OfNodes::Balance => return each(&mut self.balance([0.0, 1.0])),
            OfNodes::Early => |factors| [early(factors), [0.0, 1.0]],
            OfNodes::Late => |factors| [late(factors), [0.0, 1.0]],
            OfNodes::LateMotion => |factors| [late(factors), [1.0, factors[1]]],
        };
        for (node, integrand) in self.quadrature.iter().zip(&self.derivatives) {
            each(&mut self.entries.values(of_node(node.factors(self.size)), integrand.derivatives()));
        }
    }

    /// Adds the part of the parameters of an operator, or its transpose, to `y`.
    fn add_parameters(&mut self, by: OfNodes, along: (bool, &[f64]), y: &mut [f64]) {
        let Some((state, of_nodes)) = self.by_parameters.split_last_mut() else { return };
        let rows = match by {
            OfNodes::Early => early,
            OfNodes::Late => late,
            OfNodes::LateMotion | OfNodes::Mass => return,
            OfNodes::Mixed => return state.add(|_| [1.0, 0.0], along, y),
            OfNodes::Balance => {
                let states = self.states.as_deref().unwrap_or(&[]);
                let factors = |row| if states.contains(&row) { [0.0, -1.0] } else { [1.0, 0.0] };
                return state.add(factors, along, y);
            }
        };
        for (node, parameters) in self.quadrature.iter().zip(of_nodes) {
            let rows = rows(node.factors(self.size));
            parameters.add(|_| rows, along, y);
        }
    }

    /// The entries of derivatives by parameters; none if they are unknown.
    pub(super) fn couplings(&self) -> Option<Vec<(usize, usize)>> {
        self.by_parameters.last().map_or_else(|| Some(Vec::new()), Parameters::couplings)
    }

    /// Writes an operator times x, or its transpose, over `y`.
    pub(super) fn apply(&mut self, by: OfNodes, (transposed, x): (bool, &[f64]), y: &mut [f64]) {
        y.fill(0.0);
        self.visit(by, |values| {
            for ((i, j), value) in self.entries.places().zip(values) {
                let (to, from) = if transposed { (j, i) } else { (i, j) };
                y[to] += value * x[from];
            }
        });
        self.add_parameters(by, (transposed, x), y);
    }

    /// An operator as a matrix.
    pub(super) fn matrix(&mut self, by: OfNodes) -> Option<Sparse<'_>> {
        let mut slopes = self.slopes.take().unwrap_or_else(|| {
            let ([n, parameters], written) = (self.dimension(), self.entries.places().enumerate());
            SlopeMatrix::new([n, n + parameters], &written.collect::<Vec<_>>(), self.couplings().as_deref())
        });
        if let Some(numbers) = slopes.numbers() {
            numbers.fill(0.0);
            self.visit(by, |values| {
                numbers.iter_mut().zip(values).for_each(|(number, value)| *number += value);
            });
            slopes.fill(1.0, |theta, y| {
                y.fill(0.0);
                self.add_parameters(by, (false, theta), y);
            });
        }
        self.slopes.insert(slopes).get()
    }
}

/// The rows of −R₀ at a node with these [factors](Quadrature::factors).
fn early([weight, _, behind]: [f64; 3]) -> [f64; 2] {
    [-weight, weight * behind]
}

/// The rows of R₁.
fn late([weight, ahead, _]: [f64; 3]) -> [f64; 2] {
    [weight, weight * ahead]
}
