//! The linear map of a step of RATTLE.
//!
//! With p = M v, and the impulses x = ½ h² λ⁺ and μ = ½ h λ⁻ of the step:
//!
//! ```text
//! δp½ = δp₀ + ½ h δf₀ + (Σ x_c Hess g_c(q₀) δq₀ + G₀ᵀ δx)/h,
//! δq₁ = δq₀ + h M⁻¹ δp½,                                          with δx such that G₁ δq₁ = 0;
//! δp₁ = δp½ + ½ h δf₁ + Σ μ_c Hess g_c(q₁) δq₁ + G₁ᵀ δμ,          with δμ such that G₁ δv₁ + κ δq₁ = 0,
//! ```
//!
//! where κ_c = v₁ · Hess g_c(q₁) + ∂ₜ∇g_c(q₁) is the derivative of G v + ∂g/∂t by the position.

use super::hidden::Hidden;
use super::natural::{
    self, DRIFT_SLOPE, Extended, INVERSE_MASS, MASS, MOMENTUM_SLOPE, VELOCITY, VELOCITY_SLOPE,
};
use super::program::{self, Line, Linear, Lines, Node, ONE, Operator, P, Q, Span, V, Vector, add, set};
use super::sparse::{SlopeMatrix, Sparse, both_triangles};
use crate::error::Begun;
use crate::forward::forward;
use crate::method::force_error::{Attempt, ForceError};
use crate::method::mass_solver::no_inverse;
use crate::sparse::{FactorError, MultiplierSystem, RowMatrix};
use crate::system::{Holonomic, Natural};

/// The force f = −∇V.
const F: Vector = program::OWN;
/// The residual of the rows, and the multipliers.
pub(super) const R: Vector = program::OWN + 1;
pub(super) const L: Vector = program::OWN + 2;
/// The force of the constraints.
pub(super) const C: Vector = program::OWN + 3;

/// −Hess V at the end, and at the beginning.
const FORCE: Operator = natural::OWN;
pub(super) const FIRST_FORCE: Operator = natural::OWN + 9;
/// Σ x_c Hess g_c at the beginning, Σ μ_c Hess g_c at the end.
pub(in crate::method) const BEND: Operator = natural::OWN + 1;
pub(in crate::method) const LAST_BEND: Operator = natural::OWN + 2;
/// G at the end, from x and from v, and its rates κ.
pub(in crate::method) const ROWS: Operator = natural::OWN + 3;
pub(in crate::method) const HIDDEN: Operator = natural::OWN + 4;
/// G₀ᵀ and G₁ᵀ.
pub(super) const FIRST_MOTION: Operator = natural::OWN + 5;
pub(in crate::method) const MOTION: Operator = natural::OWN + 6;
/// −(G₁ M⁻¹ G₀ᵀ)⁻¹ and −(G₁ M⁻¹ G₁ᵀ)⁻¹.
pub(super) const POSITION_STAGE: Operator = natural::OWN + 7;
pub(in crate::method) const VELOCITY_STAGE: Operator = natural::OWN + 8;

/// The number of own vectors.
pub(super) const VECTORS: usize = 4;

const STEP: [Line; 19] = [
    // The position stage.
    add(P, |h| 0.5 * h, ONE, F),
    add(P, |h| 1.0 / h, BEND, Q),
    set(V, INVERSE_MASS, P),
    add(V, |_| -1.0, DRIFT_SLOPE, Q),
    add(Q, |h| h, ONE, V),
    set(R, ROWS, Q),
    set(L, POSITION_STAGE, R),
    set(C, FIRST_MOTION, L),
    add(P, |h| 1.0 / h, ONE, C),
    add(Q, |_| 1.0, INVERSE_MASS, C),
    // The velocity stage.
    set(F, FORCE, Q),
    add(P, |h| 0.5 * h, ONE, F),
    add(P, |_| 1.0, LAST_BEND, Q),
    set(V, INVERSE_MASS, P),
    add(V, |_| -1.0, VELOCITY_SLOPE, Q),
    set(R, ROWS, V),
    add(R, |_| 1.0, HIDDEN, Q),
    set(L, VELOCITY_STAGE, R),
    add(P, |_| 1.0, MOTION, L),
];

const BEGIN: [Line; 1] = [set(F, FORCE, Q)];

/// The start is the nearest one on the constraints, in the metric of the mass.
const START: [Line; 10] = [
    set(R, ROWS, Q),
    set(L, VELOCITY_STAGE, R),
    set(C, MOTION, L),
    add(Q, |_| 1.0, INVERSE_MASS, C),
    set(R, ROWS, V),
    add(R, |_| 1.0, HIDDEN, Q),
    set(L, VELOCITY_STAGE, R),
    set(P, MASS, V),
    add(P, |_| 1.0, MOMENTUM_SLOPE, Q),
    add(P, |_| 1.0, MOTION, L),
];

/// The linear map of a step.
pub(in crate::method) struct RattleMap<'s, S: ?Sized, H: ?Sized = S> {
    extended: Extended<'s, S>,
    holonomic: &'s H,
    /// G at both ends, and ∂g/∂x at the last.
    first: RowMatrix,
    last: RowMatrix,
    by_parameters: Option<RowMatrix>,
    position_stage: MultiplierSystem,
    velocity_stage: MultiplierSystem,
    hidden: Hidden,
    /// The states of the step.
    q: [Vec<f64>; 2],
    v: Vec<f64>,
    t: [f64; 2],
    /// x and μ.
    impulses: [Vec<f64>; 2],
    /// Memory for g.
    values: Vec<f64>,
    matrices: Option<Matrices>,
}

impl<'s, S: Natural + ?Sized, H: Holonomic + ?Sized> RattleMap<'s, S, H> {
    pub(in crate::method) fn new(extended: Extended<'s, S>, holonomic: &'s H) -> Begun<Self> {
        let system = extended.system;
        let (n, m) = (system.dimension(), holonomic.constraints());
        let pattern = holonomic.jacobian_pattern();
        let stage =
            || MultiplierSystem::new(system.mass(), pattern).map_err(|error| no_inverse(system, error));
        let (zeros, of_rows) = (|| vec![0.0; n], || vec![0.0; m]);
        let hidden = Hidden::new(extended.dimension().iter().sum(), m);
        let extended_rows = extended.rows().filter(|_| extended.parametric.is_some());
        Ok(Self {
            extended,
            holonomic,
            first: RowMatrix::zero(pattern.clone()),
            last: RowMatrix::zero(pattern.clone()),
            by_parameters: extended_rows.map(|rows| RowMatrix::zero(rows.jacobian_pattern().clone())),
            position_stage: stage()?,
            velocity_stage: stage()?,
            hidden,
            q: [zeros(), zeros()],
            v: zeros(),
            t: [f64::NAN; 2],
            impulses: [of_rows(), of_rows()],
            values: of_rows(),
            matrices: None,
        })
    }

    /// Takes G at an end of a step.
    fn look(&mut self, end: usize, node: &Node<'_>) {
        let matrix = if end == 0 { &mut self.first } else { &mut self.last };
        self.holonomic.jacobian(node.q, node.t, &mut self.values, &mut matrix.values);
        self.q[end].copy_from_slice(node.q);
        self.t[end] = node.t;
    }

    /// True if an end stands at this state already.
    fn stands(&self, end: usize, node: &Node<'_>) -> bool {
        self.t[end].to_bits() == node.t.to_bits() && self.q[end] == node.q
    }

    /// Takes G at both ends of a step, but where the step before, in either direction, has the end.
    fn look_at_both(&mut self, step: &Span<'_>) {
        let [forth, back] = [self.stands(1, &step.from), self.stands(0, &step.to)];
        if forth || back {
            std::mem::swap(&mut self.first, &mut self.last);
            self.q.swap(0, 1);
            self.t.swap(0, 1);
        }
        if !forth {
            self.look(0, &step.from);
        }
        if !back {
            self.look(1, &step.to);
        }
    }

    /// Takes ∂g/∂x at a state, if there are parameters.
    fn look_at_parameters(&mut self, node: &Node<'_>) {
        if let (Some(matrix), Some(rows)) = (&mut self.by_parameters, self.extended.rows()) {
            rows.jacobian(self.extended.place(node.q), node.t, &mut self.values, &mut matrix.values);
        }
    }

    /// The number of rows.
    pub(in crate::method) fn rows(&self) -> usize {
        self.values.len()
    }

    /// Takes the impulses x with M⁻¹ Gᵀ x = a, for a normal motion a at the last state, as the impulses
    /// of an end; both ends are there.
    pub(in crate::method) fn take_impulse(&mut self, end: usize, motion: &[f64]) {
        let Self { last, velocity_stage, q, t, impulses, values, .. } = self;
        last.apply(false, motion, values);
        values.iter_mut().for_each(|value| *value = -*value);
        velocity_stage.solve(values, &mut impulses[end]);
        let [first, last] = q;
        first.copy_from_slice(last);
        t[0] = t[1];
    }

    /// The impulses of an end.
    pub(in crate::method) fn impulses(&self, end: usize) -> &[f64] {
        &self.impulses[end]
    }

    pub(in crate::method) fn system(&self) -> &'s S {
        self.extended.system
    }

    /// Writes κ x, or its transpose, of a velocity at the last state over `y`.
    pub(in crate::method) fn hidden_at(&mut self, v: &[f64], (transposed, x): (bool, &[f64]), y: &mut [f64]) {
        let Self { extended, hidden, q, t, .. } = self;
        let (rows, at) = (extended.rows(), (extended.place(&q[1]), v, t[1]));
        if transposed {
            y.fill(0.0);
            hidden.add_transposed(rows, at, x, y);
        } else {
            hidden.rates(rows, at, x, y);
        }
    }

    /// Writes Σ w_c Hess g_c a at an end over `y`.
    fn bend(&mut self, end: usize, a: &[f64], y: &mut [f64]) {
        let Self { extended, holonomic, q, t, impulses, .. } = self;
        bend(extended, *holonomic, (&q[end], t[end], &impulses[end]), a, y);
    }

    /// Σ w_c Hess g_c at an end as a matrix.
    fn bend_matrix(&mut self, end: usize) -> Option<Sparse<'_>> {
        let Self { extended, holonomic, q, t, impulses, matrices, .. } = self;
        let (rows, at) = (*holonomic, (&q[end][..], t[end], &impulses[end][..]));
        let matrix = &mut matrices.get_or_insert_with(|| Matrices::new(extended, rows)).bend;
        rows.weighted_hessian(at.0, at.1, at.2, matrix.numbers()?);
        matrix.fill(1.0, |a, y| bend(extended, rows, at, a, y));
        matrix.get()
    }

    /// κ as the transpose of a matrix, which products with weights of rows fill; none for constraints
    /// that move.
    fn hidden_matrix(&mut self) -> Option<Sparse<'_>> {
        let Self { extended, holonomic, hidden, q, v, t, matrices, .. } = self;
        let matrix = &mut matrices.get_or_insert_with(|| Matrices::new(extended, *holonomic)).hidden;
        let (rows, at) = (extended.rows(), (extended.place(&q[1]), &v[..], t[1]));
        matrix.fill(1.0, |weights, y| {
            y.fill(0.0);
            hidden.add_transposed(rows, at, weights, y);
        });
        matrix.get().map(|matrix| Sparse { transposed: true, ..matrix })
    }
}

/// The operators that are matrices for several tangents.
struct Matrices {
    bend: SlopeMatrix,
    hidden: SlopeMatrix,
}

impl Matrices {
    fn new<S: Natural + ?Sized>(extended: &Extended<'_, S>, rows: &(impl Holonomic + ?Sized)) -> Self {
        let [n, parameters] = extended.dimension();
        let couplings = extended.couplings().map(|[.., of_rows]| of_rows);
        let pattern = extended.rows().map_or(rows.jacobian_pattern(), Holonomic::jacobian_pattern);
        let places: Vec<_> = pattern.entries().map(|(row, column)| (column, row)).collect();
        let of_rates = (!rows.constraints_move()).then_some(&places[..]);
        let curved = both_triangles(rows.weighted_pattern());
        Self {
            bend: SlopeMatrix::new([n, n + parameters], &curved, couplings.as_deref()),
            hidden: SlopeMatrix::new([n + parameters, rows.constraints()], &[], of_rates),
        }
    }
}

/// Writes Σ w_c Hess g_c a over `y`, at (q, t) with the weights w.
fn bend<S: Natural + ?Sized>(
    extended: &mut Extended<'_, S>,
    rows: &(impl Holonomic + ?Sized),
    (q, t, weights): (&[f64], f64, &[f64]),
    a: &[f64],
    y: &mut [f64],
) {
    extended.symmetric(q, a, y, |_, parametric, [x, a], product| {
        product.fill(0.0);
        match parametric.and_then(|own| own.holonomic()) {
            None => rows.add_weighted_product(x, t, weights, a, product),
            Some(rows) => rows.add_weighted_product(x, t, weights, a, product),
        }
    });
}

fn singular(error: FactorError) -> ForceError {
    ForceError::Singular { matrix: "the constraint matrix G M⁻¹ Gᵀ of the derivative", error }
}

impl<S: Natural + ?Sized, H: Holonomic + ?Sized> Linear for RattleMap<'_, S, H> {
    fn lines(&self) -> Lines<'_> {
        Lines { begin: &BEGIN, step: &STEP, velocity: &VELOCITY, momentum: &START }
    }

    fn vectors(&self) -> Vec<usize> {
        let (n, m) = (self.v.len(), self.values.len());
        vec![n, m, m, n]
    }

    forward! { extended:
        dimension() -> [usize; 2];
        has(by: Operator) -> bool;
    }

    fn stand(&mut self, step: &Span<'_>, transposed: bool) -> Attempt {
        self.look_at_both(step);
        self.v.copy_from_slice(step.to.v);
        let (x, mu) = step.to.trace.split_at(self.values.len());
        self.impulses[0].copy_from_slice(x);
        self.impulses[1].copy_from_slice(mu);
        let (first, last) = (&self.first.values, &self.last.values);
        let (carrier, left) = if transposed { (last, first) } else { (first, last) };
        self.position_stage.stand(carrier);
        self.position_stage.factor(left).map_err(singular)?;
        self.velocity_stage.factor_symmetric(last).map_err(singular)?;
        self.extended.stand(step);
        self.look_at_parameters(&step.to);
        Ok(())
    }

    fn stand_at(&mut self, node: &Node<'_>) -> Attempt {
        self.extended.stand_at(node);
        Ok(())
    }

    fn stand_at_start(&mut self, first: &Span<'_>, _transposed: bool) -> Attempt {
        self.look(1, &first.from);
        self.v.copy_from_slice(first.from.v);
        self.extended.stand_at(&first.from);
        self.look_at_parameters(&first.from);
        self.velocity_stage.factor_symmetric(&self.last.values).map_err(singular)
    }

    fn row_name(&self, row: usize) -> String {
        self.holonomic.constraint_name(row)
    }

    fn apply(&mut self, by: Operator, transposed: bool, x: &[f64], y: &mut [f64]) {
        match by {
            FORCE => self.extended.stiffness((&self.q[1], self.t[1]), x, y),
            FIRST_FORCE => self.extended.stiffness((&self.q[0], self.t[0]), x, y),
            BEND => self.bend(0, x, y),
            LAST_BEND => self.bend(1, x, y),
            ROWS => {
                // Only the rows of positions have columns of parameters.
                let whole = x.len().max(y.len()) > self.v.len().max(self.values.len());
                let rows = self.by_parameters.as_ref().filter(|_| whole).unwrap_or(&self.last);
                rows.apply(transposed, x, y);
            }
            MOTION => self.last.apply(!transposed, x, y),
            FIRST_MOTION => self.first.apply(!transposed, x, y),
            POSITION_STAGE => self.position_stage.solve(x, y),
            VELOCITY_STAGE => self.velocity_stage.solve(x, y),
            HIDDEN => {
                let v = std::mem::take(&mut self.v);
                self.hidden_at(&v, (transposed, x), y);
                self.v = v;
            }
            _ => self.extended.apply(by, transposed, x, y),
        }
    }

    fn matrix(&mut self, by: Operator) -> Option<Sparse<'_>> {
        let sparse = |matrix, transposed| Some(Sparse { matrix, transposed });
        match by {
            FORCE => self.extended.stiffness_matrix((&self.q[1], self.t[1])),
            FIRST_FORCE => self.extended.stiffness_matrix((&self.q[0], self.t[0])),
            BEND => self.bend_matrix(0),
            LAST_BEND => self.bend_matrix(1),
            ROWS => sparse(self.by_parameters.as_ref().unwrap_or(&self.last), false),
            MOTION => sparse(&self.last, true),
            FIRST_MOTION => sparse(&self.first, true),
            POSITION_STAGE | VELOCITY_STAGE => None,
            HIDDEN => self.hidden_matrix(),
            _ => self.extended.matrix(by),
        }
    }
}

impl RowMatrix {
    /// Writes G x, or Gᵀ x, over `y`.
    fn apply(&self, transposed: bool, x: &[f64], y: &mut [f64]) {
        y.fill(0.0);
        if transposed {
            self.pattern.transpose_multiply_add(&self.values, x, y);
        } else {
            self.pattern.multiply_add(&self.values, x, y);
        }
    }
}
