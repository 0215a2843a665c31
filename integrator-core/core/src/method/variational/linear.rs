//! The linear map of a step without constraints.
//!
//! With the matrix K of Newton's method and the derivatives R of both momenta by q₀:
//!
//! ```text
//! K δu = δp₀ − R₀ δq₀,    R₀ = Σ w (L_vq − (1 − θ) h (L_qq + F_q)),
//! δp₁ = R₁ δq₀ + K₁ δu,   R₁ = Σ w (L_vq + θ h (L_qq + F_q)),   K₁ = R₁ θ h + Σ w (L_vv + θ h (L_qv + F_v)),
//! δq₁ = δq₀ + h δu.
//! ```

use super::integrand::{Integrand, Node as Quadrature};
use crate::error::StartError;
use crate::method::applied::Instant;
use crate::method::entries::{Contributions, Entries};
use crate::method::force_error::ForceError;
use crate::method::linearization::program::{
    self, Line, Linear, Node, ONE, Operator, P, Q, Span, V, Vector, add, set,
};
use crate::method::parts_of_second::OfVelocities;
use crate::method::report::Evaluations;
use crate::sparse::{Solver, SymmetricPattern};
use crate::system::Lagrangian;

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

const STEP: [Line; 5] = [
    add(P, |_| 1.0, EARLY, Q),
    set(U, SOLVE, P),
    set(P, LATE, Q),
    add(P, |_| 1.0, LATE_MOTION, U),
    add(Q, |h| h, ONE, U),
];
const VELOCITY: [Line; 3] = [set(W, ONE, P), add(W, |_| -1.0, MIXED, Q), set(V, INVERSE_MASS, W)];
const MOMENTUM: [Line; 2] = [set(P, MASS, V), add(P, |_| 1.0, MIXED, Q)];

/// The linear map of a step.
pub(super) struct VariationalMap<'s, S: ?Sized> {
    system: &'s S,
    nodes: &'static [Quadrature],
    entries: Entries,
    /// The places of the derivatives in K, and in its transpose.
    places: [Contributions; 2],
    matrix: Solver,
    of_velocities: OfVelocities,
    mass: Solver,
    /// The derivatives at each node, and at a state.
    derivatives: Vec<Integrand<'s, S>>,
    state: Integrand<'s, S>,
    q: Vec<f64>,
    u: Vec<f64>,
    size: f64,
    counts: Evaluations,
}

const MATRIX: &str = "the derivative of the discrete momentum";
const MASS_MATRIX: &str = "∂²L/∂v∂v";

impl<'s, S: Lagrangian + ?Sized> VariationalMap<'s, S> {
    pub(super) fn new(
        system: &'s S,
        method: &'static str,
        nodes: &'static [Quadrature],
    ) -> Result<Self, StartError> {
        if system.holonomic().is_some() || system.nonholonomic().is_some() {
            return Err(StartError::NoDerivative {
                method,
                system: system.name().to_owned(),
                reason: "constraints",
                remedy: "take RATTLE for holonomic constraints and a constant mass",
            });
        }
        system.affords_second_derivatives()?;
        let n = system.dimension();
        let entries = Entries::of(system, true);
        let places = entries.places().flat_map(|(i, j)| [(i, j), (j, i)]);
        let pattern = SymmetricPattern::new(n, places);
        let matrix = Solver::pivoted(&pattern).ok_or_else(|| StartError::Singular {
            system: system.name().to_owned(),
            matrix: MATRIX,
            pivot: 0.0,
            place: system.layout().name_of(0),
        })?;
        let of_velocities = OfVelocities::of(system);
        Ok(Self {
            system,
            nodes,
            places: [
                entries.placed(|row, column| matrix.position(row, column)),
                entries.placed(|row, column| matrix.position(column, row)),
            ],
            entries,
            matrix,
            mass: Solver::symmetric(&of_velocities.pattern),
            of_velocities,
            derivatives: nodes.iter().map(|_| Integrand::new(system)).collect(),
            state: Integrand::new(system),
            q: vec![0.0; n],
            u: vec![0.0; n],
            size: 0.0,
            counts: Evaluations::default(),
        })
    }

    /// Adds the matrix of all nodes, whose rows and columns count with these factors.
    fn multiply(
        &self,
        factors: impl Fn([f64; 3]) -> [[f64; 2]; 2],
        (transposed, x): (bool, &[f64]),
        y: &mut [f64],
    ) {
        y.fill(0.0);
        for (node, derivatives) in self.nodes.iter().zip(&self.derivatives) {
            let [weight, ahead, behind] = node.factors(self.size);
            let [rows, columns] = factors([weight, ahead, behind]);
            let rows = rows.map(|factor| weight * factor);
            self.entries.multiply([rows, columns], derivatives.derivatives(), (transposed, x), y);
        }
    }
}

impl<S: Lagrangian + ?Sized> Linear for VariationalMap<'_, S> {
    fn step(&self) -> &[Line] {
        &STEP
    }

    fn velocity(&self) -> &[Line] {
        &VELOCITY
    }

    fn momentum(&self) -> &[Line] {
        &MOMENTUM
    }

    fn vectors(&self) -> Vec<usize> {
        vec![self.q.len(); 2]
    }

    fn dimension(&self) -> [usize; 2] {
        [self.q.len(), 0]
    }

    fn stand(&mut self, Span { from, to, size }: &Span<'_>, transposed: bool) -> Result<(), ForceError> {
        let Self { nodes, places, matrix, derivatives, q, u, counts, .. } = self;
        self.size = *size;
        u.iter_mut().zip(from.q.iter().zip(to.q)).for_each(|(u, (q0, q1))| *u = (q1 - q0) / size);
        matrix.values_mut().fill(0.0);
        for (node, integrand) in nodes.iter().zip(derivatives) {
            let at = node.go_between((from.q, from.t), to.q, *size, q);
            integrand.linearize(q, u, at, counts);
            places[usize::from(transposed)].add(
                node.factors(*size),
                integrand.derivatives(),
                matrix.values_mut(),
            );
        }
        matrix.refactor().map_err(|error| ForceError::Singular { matrix: MATRIX, error })
    }

    fn stand_at(&mut self, node: &Node<'_>) -> Result<(), ForceError> {
        let Self { state, of_velocities, mass, counts, .. } = self;
        state.linearize(node.q, node.v, Instant::at(node.t), counts);
        let factored = mass.factor_with(|values| {
            let own = of_velocities.values(&state.hessian);
            values.iter_mut().zip(own).for_each(|(value, own)| *value = own);
        });
        factored.map_err(|error| ForceError::Singular { matrix: MASS_MATRIX, error })
    }

    fn row_name(&self, row: usize) -> String {
        self.system.layout().name_of(row)
    }

    fn apply(&mut self, by: Operator, transposed: bool, x: &[f64], y: &mut [f64]) {
        let x_of = (transposed, x);
        match by {
            EARLY => self.multiply(|[_, _, behind]| [[-1.0, behind], [0.0, 1.0]], x_of, y),
            LATE => self.multiply(|[_, ahead, _]| [[1.0, ahead], [0.0, 1.0]], x_of, y),
            LATE_MOTION => self.multiply(|[_, ahead, _]| [[1.0, ahead], [1.0, ahead]], x_of, y),
            SOLVE => {
                y.copy_from_slice(x);
                self.matrix.solve_or_spoil(y);
            }
            INVERSE_MASS => {
                y.copy_from_slice(x);
                self.mass.solve_or_spoil(y);
            }
            _ => {
                y.fill(0.0);
                let columns = if by == MASS { [1.0, 0.0] } else { [0.0, 1.0] };
                let derivatives = self.state.derivatives();
                self.entries.multiply([[1.0, 0.0], columns], derivatives, x_of, y);
            }
        }
    }
}
