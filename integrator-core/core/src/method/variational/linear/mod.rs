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

mod matrix;
mod nodes;
mod rows;

use super::integrand::Node as Quadrature;
use crate::error::Begun;
use crate::forward::forward;
use crate::method::force_error::Attempt;
use crate::method::linearization::Hidden;
use crate::method::linearization::program::{Factor, Line, Linear, Lines, Part, add, copy, plus, set};
use crate::method::linearization::span::{Node, Span};
use crate::method::linearization::sparse::{SlopeMatrix, Sparse, both_triangles};
use crate::method::linearization::variation::Vector::{
    self, Chord as U, Momentum as P, Position as Q, RightSide as Y, Solution as X, Velocity as V,
};
use crate::system::{Lagrangian, Parametric};
use matrix::StepMatrix;
use nodes::{Nodes, OfNodes};
use rows::{Bend, Constraints, RowsAt, below};

/// The operators of a step, and of its start. Right-hand sides and solutions of stages have momenta or
/// velocities above rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::method) enum Operator {
    /// Of L and F.
    Nodes(OfNodes),
    /// Of the rows, with a matrix for several tangents.
    Rows(OfRows),
    /// −(0; B).
    Rates,
    /// −(0; G) at the start.
    StartRows,
    /// The inverses of the matrices of the position stage, of the velocity stage and of the start.
    PositionStage,
    /// See [`Self::PositionStage`].
    VelocityStage,
    /// See [`Self::PositionStage`].
    StartStage,
}

/// The operators of rows that are matrices for several tangents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::method) enum OfRows {
    /// −(∂(B₀ᵀ y⁺)/∂q; G₁/h; Σ w ∂c/∂q).
    Early,
    /// ∂(B₁ᵀ y⁻)/∂q.
    Bend,
    /// −(0; κ).
    Hidden,
    /// B₁ᵀ on multipliers.
    Force,
}

/// The number of these operators.
const OF_ROWS: usize = OfRows::Force as usize + 1;

/// The linear map of a step.
pub(in crate::method) struct VariationalMap<'s, S: ?Sized> {
    nodes: Nodes<'s, S>,
    rows: Constraints<'s>,
    bends: [Bend; 2],
    /// [K B₀ᵀ; C 0], [L_vv Bᵀ; B 0] and [L_vv Gᵀ; G 0].
    position_stage: StepMatrix,
    velocity_stage: StepMatrix,
    start: StepMatrix,
    /// The rows at both ends of a step, and at its nodes.
    ends: [RowsAt; 2],
    at_nodes: Vec<RowsAt>,
    hidden: Hidden,
    weights: Vec<f64>,
    /// The numbers of entries of K, of all rows and of rows of positions in the matrices.
    entries: [usize; 3],
    /// The state at the end.
    end: (Vec<f64>, Vec<f64>, f64),
    /// True if the trace has −h y⁺ and −y⁻.
    of_impulses: bool,
    /// The operators of rows as matrices, when several tangents ask for them.
    slopes: [Option<SlopeMatrix>; OF_ROWS],
}

impl<'s, S: Lagrangian + ?Sized> VariationalMap<'s, S> {
    /// The map for a trace of impulses.
    pub(super) fn of_impulses(self) -> Self {
        Self { of_impulses: true, ..self }
    }

    pub(super) fn new(system: &'s S, quadrature: &'static [Quadrature]) -> Begun<Self> {
        let (nodes, rows) = (Nodes::new(system, quadrature)?, Constraints::new(system));
        let (n, [first, height]) = (system.dimension(), rows.heights());
        let places = || rows.places().filter(|(_, column)| *column < n);
        let below = || places().map(|(row, column)| (n + row, column));
        let beside = || places().map(|(row, column)| (column, n + row));
        let of_positions = places().take_while(|(row, _)| *row < first).count();
        let matrix = |name, rows: usize, entries: &mut dyn Iterator<Item = (usize, usize)>| {
            StepMatrix::new(system, name, n + rows, entries)
        };
        let all = || nodes.entries.places().chain(beside()).chain(below());
        let names = if height > 0 { [WITH_ROWS; 2] } else { [MATRIX, MASS] };
        let stages = [matrix(names[0], height, &mut all())?, matrix(names[1], height, &mut all())?];
        let start =
            matrix(WITH_ROWS, first, &mut all().filter(|(row, column)| *row.max(column) < n + first))?;
        let [position_stage, velocity_stage] = stages;
        Ok(Self {
            position_stage,
            velocity_stage,
            start,
            bends: [Bend::new(&rows), Bend::new(&rows)],
            ends: [rows.at(), rows.at()],
            at_nodes: quadrature.iter().map(|_| rows.at()).collect(),
            hidden: Hidden::new(rows.whole, first),
            weights: vec![0.0; height],
            entries: [nodes.entries.places().count(), places().count(), of_positions],
            end: (vec![0.0; n], vec![0.0; n], 0.0),
            of_impulses: false,
            slopes: [const { None }; OF_ROWS],
            nodes,
            rows,
        })
    }

    /// Takes the state at the end of a step, and factors the matrix of its velocity.
    fn stand_at_end(&mut self, node: &Node<'_>, transposed: bool) -> Attempt {
        let Self { nodes, rows, ends: [_, last], velocity_stage, end, entries: [beside, count, _], .. } =
            self;
        nodes.look_at(node);
        rows.evaluate((node.q, node.v, node.t), last);
        end.0.copy_from_slice(node.q);
        end.1.copy_from_slice(node.v);
        end.2 = node.t;
        nodes.add_mass(transposed, velocity_stage.clear());
        for first in [*beside, *beside + *count] {
            velocity_stage.add(first, false, rows.matrix(last, [0.0, 1.0]));
        }
        velocity_stage.factor()
    }

    /// Takes a step, and factors both stages.
    fn stand_between(&mut self, step: &Span<'_>, transposed: bool) -> Attempt {
        let (Span { from, to, size }, [beside, count, _]) = (step, self.entries);
        if self.weights.is_empty() {
            self.nodes.look(step);
            self.nodes.add_matrix(transposed, self.position_stage.clear());
            return self.position_stage.factor();
        }
        self.stand_at_end(to, transposed)?;
        let Self { nodes, rows, bends, position_stage, ends: [first, last], at_nodes, .. } = self;
        let (early, late) = to.trace.split_at(rows.heights()[1]);
        let [of_early, of_late] = if self.of_impulses { [-1.0 / size, -1.0] } else { [1.0, 1.0] };
        bends[0].stand(rows, from, (early, of_early));
        bends[1].stand(rows, to, (late, of_late));
        nodes.look(step);
        rows.evaluate((from.q, from.v, from.t), first);
        nodes.add_matrix(transposed, position_stage.clear());
        position_stage.add(beside, transposed, rows.matrix(first, [0.0, 1.0]));
        // The rows of positions at the end, and the means of the others.
        for (k, (node, at)) in nodes.quadrature.iter().zip(&mut *at_nodes).enumerate() {
            let Nodes { q, u, .. } = nodes;
            let instant = node.go_between((from.q, from.t), to.q, *size, q);
            rows.evaluate((q, u, instant.t), at);
            at.jacobian.copy_from_slice(&last.jacobian);
            if k > 0 {
                at.jacobian.fill(0.0);
            }
            let [weight, ahead, _] = node.factors(*size);
            let values = rows.matrix(at, [weight * ahead, weight]);
            position_stage.add(beside + count, transposed, values);
        }
        position_stage.factor()
    }

    /// Takes the state of the start, and factors its matrix.
    fn stand_at_start(&mut self, node: &Node<'_>, transposed: bool) -> Attempt {
        self.stand_at_end(node, transposed)?;
        let Self { nodes, rows, ends: [_, last], start, entries: [own, _, count], .. } = self;
        nodes.add_mass(transposed, start.clear());
        for place in [*own, *own + *count] {
            start.add(place, false, rows.matrix(last, [0.0, 1.0]).take(*count));
        }
        start.factor()
    }

    /// Writes an operator of rows times x, or its transpose, over `y`.
    fn apply_rows(&mut self, by: OfRows, (transposed, x): (bool, &[f64]), y: &mut [f64]) {
        let Self { nodes, rows, bends, ends: [_, last], at_nodes, hidden, weights, end, .. } = self;
        let n = rows.n;
        y.fill(0.0);
        match by {
            OfRows::Early => {
                let (of_p, to_p) = if transposed { (&x[..n], &mut *y) } else { (x, &mut y[..n]) };
                bends[0].add(rows, (transposed, of_p), -1.0, to_p);
                let (of_rows, to_rows) = below(n, transposed, x, y);
                for (k, (at, node)) in at_nodes.iter().zip(nodes.quadrature).enumerate() {
                    let of_positions = if k == 0 { -1.0 / nodes.size } else { 0.0 };
                    let factors = (at, [1.0, 0.0], [of_positions, -node.weight]);
                    rows.multiply(factors, (transposed, of_rows), to_rows);
                }
            }
            OfRows::Bend => bends[1].add(rows, (transposed, x), 1.0, y),
            OfRows::Force => {
                let (of_rows, to_rows) = below(n, !transposed, x, y);
                rows.multiply((last, [0.0, 1.0], [1.0; 2]), (!transposed, of_rows), to_rows);
            }
            OfRows::Hidden => {
                let (own, whole, [first, _]) = (rows.holonomic, rows.whole, rows.heights());
                let (of_rows, to_rows) = below(n, transposed, x, y);
                let at = (rows.place(&end.0), &end.1[..], end.2);
                let rates = &mut weights[..first];
                if transposed {
                    rates.iter_mut().zip(of_rows).for_each(|(weight, row)| *weight = -row);
                    hidden.add_transposed(own, at, rates, &mut to_rows[..whole]);
                } else {
                    hidden.rates(own, at, of_rows, rates);
                    to_rows.iter_mut().zip(rates).for_each(|(row, rate)| *row = -*rate);
                }
                rows.multiply((last, [1.0, 0.0], [0.0, -1.0]), (transposed, of_rows), to_rows);
            }
        }
    }

    /// The matrix of an operator of rows, of unknown entries under constraints on velocities.
    fn new_slopes(&self, by: OfRows) -> SlopeMatrix {
        let Self { nodes, rows, .. } = self;
        let (n, [_, height], whole) = (rows.n, rows.heights(), nodes.dimension().iter().sum());
        let couplings =
            nodes.system.parametric().map_or_else(|| Some(Default::default()), Parametric::couplings);
        let holonomic = nodes.system.holonomic().filter(|_| rows.nonholonomic.is_none());
        let curved = couplings.zip(holonomic).map(|([.., couplings], holonomic)| -> Vec<_> {
            let of_q = both_triangles(holonomic.weighted_pattern()).into_iter().map(|(_, entry)| entry);
            of_q.chain(couplings).collect()
        });
        let below = || rows.places().map(|(row, column)| (n + row, column));
        let (size, entries) = match by {
            OfRows::Bend => ([n, whole], curved),
            OfRows::Early => {
                ([n + height, whole], curved.map(|curved| curved.into_iter().chain(below()).collect()))
            }
            OfRows::Hidden => ([n + height, whole], curved.map(|_| below().collect())),
            OfRows::Force => {
                let of_q = rows.places().filter(|(_, column)| *column < n);
                let all = of_q.map(|(row, column)| (column, n + row)).collect();
                ([n, n + height], curved.map(|_| all))
            }
        };
        SlopeMatrix::new(size, &[], entries.as_deref())
    }
}

const MATRIX: &str = "the derivative of the discrete momentum";
const MASS: &str = "∂²L/∂v∂v";
const WITH_ROWS: &str = "the derivative of a step with its constraints";

/// The velocity of the momentum on the rows, which need not be that of L_vv alone: it may be singular.
fn velocity() -> Vec<Line<Operator>> {
    vec![
        copy(Y, P),
        add(Y, Factor::MINUS, Operator::Nodes(OfNodes::Balance), Q),
        add(Y, Factor::ONE, Operator::Rows(OfRows::Hidden), Q),
        set(X, Operator::VelocityStage, Y),
    ]
}

impl<S: Lagrangian + ?Sized> Linear for VariationalMap<'_, S> {
    type Operator = Operator;

    fn lines(&self) -> Lines<Operator> {
        let mut momentum = Vec::new();
        if !self.weights.is_empty() {
            // The nearest start on the constraints in the metric of L_vv.
            momentum.extend([
                set(Y, Operator::StartRows, Q),
                set(X, Operator::StartStage, Y),
                copy(U, X),
                plus(Q, Factor::ONE, U),
                set(Y, Operator::Rates, V),
                add(Y, Factor::ONE, Operator::Rows(OfRows::Hidden), Q),
                set(X, Operator::VelocityStage, Y),
                copy(U, X),
                plus(V, Factor::ONE, U),
            ]);
        }
        momentum.extend([
            set(P, Operator::Nodes(OfNodes::Mass), V),
            add(P, Factor::ONE, Operator::Nodes(OfNodes::Mixed), Q),
        ]);
        let mut step = vec![
            add(P, Factor::ONE, Operator::Nodes(OfNodes::Early), Q),
            copy(Y, P),
            add(Y, Factor::ONE, Operator::Rows(OfRows::Early), Q),
            set(X, Operator::PositionStage, Y),
            copy(U, X),
            set(P, Operator::Nodes(OfNodes::Late), Q),
            add(P, Factor::ONE, Operator::Nodes(OfNodes::LateMotion), U),
            plus(Q, Factor::STEP, U),
        ];
        if !self.weights.is_empty() {
            step.push(add(P, Factor::MINUS, Operator::Rows(OfRows::Bend), Q));
            step.extend(velocity());
            step.push(add(P, Factor::MINUS, Operator::Rows(OfRows::Force), X));
        }
        let velocity = [&velocity()[..], &[copy(V, X)]].concat();
        Lines { momentum, begin: Vec::new(), step, velocity }
    }

    fn lengths(&self) -> Vec<(Vector, usize)> {
        let (n, height) = (self.rows.n, self.weights.len());
        vec![(U, n), (Y, n + height), (X, n + height)]
    }

    forward! { nodes: dimension() -> [usize; 2]; }

    fn has(&self, by: Operator) -> bool {
        !matches!(by, Operator::Rows(_)) || !self.weights.is_empty()
    }

    fn stand(&mut self, part: Part<'_>, transposed: bool) -> Attempt {
        match part {
            Part::Momentum(node) => self.stand_at_start(&node, transposed),
            Part::Begin(_) => Ok(()),
            Part::Step(step) => self.stand_between(&step, transposed),
            Part::Velocity(node) => self.stand_at_end(&node, transposed),
        }
    }

    fn row_name(&self, row: usize) -> String {
        let (n, [first, _]) = (self.rows.n, self.rows.heights());
        match (row.checked_sub(n), self.rows.holonomic, self.rows.nonholonomic) {
            (Some(row), Some(rows), _) if row < first => rows.constraint_name(row),
            (Some(row), _, Some(rows)) => rows.nonholonomic_name(row - first),
            _ => self.nodes.system.layout().name_of(row),
        }
    }

    fn apply(&mut self, by: Operator, transposed: bool, x: &[f64], y: &mut [f64]) {
        let of_velocities = match by {
            Operator::PositionStage => return self.position_stage.solve(x, y),
            Operator::VelocityStage => return self.velocity_stage.solve(x, y),
            Operator::StartStage => return self.start.solve(x, y),
            Operator::Nodes(by) => return self.nodes.apply(by, (transposed, x), y),
            Operator::Rows(by) => return self.apply_rows(by, (transposed, x), y),
            Operator::StartRows => 0.0,
            Operator::Rates => -1.0,
        };
        y.fill(0.0);
        let Self { rows, ends: [_, last], .. } = self;
        let (of_rows, to_rows) = below(rows.n, transposed, x, y);
        rows.multiply((last, [0.0, 1.0], [-1.0, of_velocities]), (transposed, of_rows), to_rows);
    }

    fn matrix(&mut self, by: Operator) -> Option<Sparse<'_>> {
        match by {
            Operator::Nodes(by) => self.nodes.matrix(by),
            Operator::Rows(by) => {
                let own = self.slopes[by as usize].take();
                let mut slopes = own.unwrap_or_else(|| self.new_slopes(by));
                slopes.fill(1.0, |x, y| self.apply_rows(by, (false, x), y));
                self.slopes[by as usize].insert(slopes).get()
            }
            Operator::Rates
            | Operator::StartRows
            | Operator::PositionStage
            | Operator::VelocityStage
            | Operator::StartStage => None,
        }
    }
}
