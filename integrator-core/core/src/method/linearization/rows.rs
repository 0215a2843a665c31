//! The stages of holonomic rows: the position stage and the velocity stage of RATTLE and SHAKE.
//!
//! With the impulses x and μ that the rows at both ends of a step give to p = M v:
//!
//! ```text
//! δq₁ ← δq₁ + M⁻¹ G₀ᵀ δx,  with δx such that G₁ δq₁ = 0;
//! δp₁ ← δp₁ + G₁ᵀ δμ,      with δμ such that G₁ δv₁ + κ δq₁ = 0,
//! ```
//!
//! where κ_c = v · Hess g_c(q₁) + ∂ₜ∇g_c(q₁) is the derivative of G v + ∂g/∂t by the position.

use super::hidden::Hidden;
use super::natural::{Extended, OfMass, momentum};
use super::program::{Factor, Line, add, plus, set};
use super::span::{End, Node, Span};
use super::sparse::{SlopeMatrix, Sparse, both_triangles};
use super::variation::Vector::{
    self, Momentum as P, Multipliers, Position as Q, Residual, RowForce, Velocity as V,
};
use crate::error::Begun;
use crate::method::force_error::{Attempt, ForceError};
use crate::method::mass_solver::no_inverse;
use crate::sparse::{FactorError, MultiplierSystem, RowMatrix};
use crate::system::{Holonomic, Natural};

/// The operators of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::method) enum OfRows {
    /// Σ w_c Hess g_c at an end, with the impulses w of this end.
    Bend(End),
    /// G at the end of a step, on velocities.
    Rates,
    /// ∂g/∂x at the end of a step.
    Rows,
    /// κ at the end of a step.
    Hidden(Tangent),
    /// Gᵀ at an end.
    Force(End),
    /// −(G₁ M⁻¹ G₀ᵀ)⁻¹.
    PositionStage,
    /// −(G₁ M⁻¹ G₁ᵀ)⁻¹.
    VelocityStage,
}

/// The velocities that rows make tangent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::method) enum Tangent {
    /// The velocity of the state.
    State,
    /// The velocity that a bath begins with, less a thermal one.
    Bath,
}

/// The position stage: rows hold the position `place`, and their force changes p.
pub(in crate::method) fn position_stage<O: From<OfMass> + From<OfRows> + Copy>(
    place: Vector,
) -> [Line<O>; 6] {
    [
        set(Residual, OfRows::Rows.into(), place),
        set(Multipliers, OfRows::PositionStage.into(), Residual),
        set(RowForce, OfRows::Force(End::First).into(), Multipliers),
        plus(P, Factor::PER_STEP, RowForce),
        set(V, OfMass::Inverse.into(), RowForce),
        plus(place, Factor::ONE, V),
    ]
}

/// The velocity stage: rows at the end make the velocity tangent, which has these slopes by the
/// parameters beside that of p, and impulses of the end `impulse` bend with the position.
pub(in crate::method) fn velocity_stage<O: From<OfMass> + From<OfRows> + Copy>(
    impulse: End,
    slopes: &[OfMass],
    tangent: Tangent,
) -> Vec<Line<O>> {
    let bend = OfRows::Bend(impulse).into();
    let mut lines = vec![add(P, Factor::ONE, bend, Q), set(V, OfMass::Inverse.into(), P)];
    lines.extend(slopes.iter().map(|slope| add(V, Factor::MINUS, (*slope).into(), Q)));
    lines.extend([
        set(Residual, OfRows::Rates.into(), V),
        add(Residual, Factor::ONE, OfRows::Hidden(tangent).into(), Q),
        set(Multipliers, OfRows::VelocityStage.into(), Residual),
        add(P, Factor::ONE, OfRows::Force(End::Last).into(), Multipliers),
    ]);
    lines
}

/// The momentum at the start, which is the nearest one on the constraints in the metric of the mass.
pub(in crate::method) fn start<O: From<OfMass> + From<OfRows> + Copy>() -> Vec<Line<O>> {
    let mut lines = vec![
        set(Residual, OfRows::Rows.into(), Q),
        set(Multipliers, OfRows::VelocityStage.into(), Residual),
        set(RowForce, OfRows::Force(End::Last).into(), Multipliers),
        add(Q, Factor::ONE, OfMass::Inverse.into(), RowForce),
        set(Residual, OfRows::Rates.into(), V),
        add(Residual, Factor::ONE, OfRows::Hidden(Tangent::State).into(), Q),
        set(Multipliers, OfRows::VelocityStage.into(), Residual),
    ];
    lines.extend(momentum());
    lines.push(add(P, Factor::ONE, OfRows::Force(End::Last).into(), Multipliers));
    lines
}

/// An end of a step.
struct Foot {
    q: Vec<f64>,
    t: f64,
    /// G.
    matrix: RowMatrix,
    /// x or μ.
    impulse: Vec<f64>,
}

impl Foot {
    fn new(rows: &dyn Holonomic) -> Self {
        Self {
            q: vec![0.0; rows.dimension()],
            t: f64::NAN,
            matrix: RowMatrix::zero(rows.jacobian_pattern().clone()),
            impulse: vec![0.0; rows.constraints()],
        }
    }

    fn stands_at(&self, node: &Node<'_>) -> bool {
        self.t.to_bits() == node.t.to_bits() && self.q == node.q
    }
}

/// The rows at both ends of a step.
pub(in crate::method) struct RowStages<'s> {
    rows: &'s dyn Holonomic,
    ends: [Foot; 2],
    /// ∂g/∂x at the last end, with parameters.
    by_parameters: Option<RowMatrix>,
    position_stage: MultiplierSystem,
    velocity_stage: MultiplierSystem,
    hidden: Hidden,
    /// The velocities of [`Tangent`].
    velocities: [Vec<f64>; 2],
    /// Memory for g.
    values: Vec<f64>,
    /// Operators for several tangents: Σ w_c Hess g_c, and the transpose of κ.
    matrices: Option<[SlopeMatrix; 2]>,
}

impl<'s> RowStages<'s> {
    pub(in crate::method) fn new<S: Natural + ?Sized>(
        extended: &Extended<'s, S>,
        rows: &'s dyn Holonomic,
    ) -> Begun<Self> {
        let (system, n, m) = (extended.system, rows.dimension(), rows.constraints());
        let stage = || MultiplierSystem::new(system.mass(), rows.jacobian_pattern());
        let stage = || stage().map_err(|error| no_inverse(system, error));
        let with_parameters = extended.rows().filter(|_| extended.parametric.is_some());
        Ok(Self {
            rows,
            ends: [Foot::new(rows), Foot::new(rows)],
            by_parameters: with_parameters.map(|rows| RowMatrix::zero(rows.jacobian_pattern().clone())),
            position_stage: stage()?,
            velocity_stage: stage()?,
            hidden: Hidden::new(extended.dimension().iter().sum(), m),
            velocities: [vec![0.0; n], vec![0.0; n]],
            values: vec![0.0; m],
            matrices: None,
        })
    }

    /// The lengths of the vectors of the stages.
    pub(in crate::method) fn lengths(&self) -> [(Vector, usize); 3] {
        let m = self.height();
        [(Residual, m), (Multipliers, m), (RowForce, self.rows.dimension())]
    }

    /// The number of rows.
    pub(in crate::method) fn height(&self) -> usize {
        self.values.len()
    }

    pub(in crate::method) fn row_name(&self, row: usize) -> String {
        self.rows.constraint_name(row)
    }

    /// Takes G at an end of a step.
    fn look(&mut self, end: End, node: &Node<'_>) {
        let Foot { q, t, matrix, .. } = &mut self.ends[end as usize];
        self.rows.jacobian(node.q, node.t, &mut self.values, &mut matrix.values);
        q.copy_from_slice(node.q);
        *t = node.t;
    }

    /// Takes G at both ends of a step, but where the step before, in either direction, has the end.
    fn look_at_both(&mut self, step: &Span<'_>) {
        let [forth, back] = [self.ends[1].stands_at(&step.from), self.ends[0].stands_at(&step.to)];
        if forth || back {
            self.ends.swap(0, 1);
        }
        if !forth {
            self.look(End::First, &step.from);
        }
        if !back {
            self.look(End::Last, &step.to);
        }
    }

    /// Takes ∂g/∂x at a state, if there are parameters.
    fn look_at_parameters<S: Natural + ?Sized>(&mut self, extended: &mut Extended<'s, S>, node: &Node<'_>) {
        if let (Some(matrix), Some(rows)) = (&mut self.by_parameters, extended.rows()) {
            rows.jacobian(extended.place(node.q), node.t, &mut self.values, &mut matrix.values);
        }
    }

    /// Takes both ends of a step, whose trace begins with the impulses, and factors both stages.
    ///
    /// # Errors
    /// A matrix is singular.
    pub(in crate::method) fn stand<S: Natural + ?Sized>(
        &mut self,
        extended: &mut Extended<'s, S>,
        step: &Span<'_>,
        transposed: bool,
    ) -> Attempt {
        self.look_at_both(step);
        self.velocities[0].copy_from_slice(step.to.v);
        let (early, late) = step.to.trace.split_at(self.values.len());
        for (end, impulse) in self.ends.iter_mut().zip([early, late]) {
            end.impulse.copy_from_slice(impulse);
        }
        let [first, last] = self.ends.each_ref().map(|end| &end.matrix.values[..]);
        let (carrier, left) = if transposed { (last, first) } else { (first, last) };
        self.position_stage.stand(carrier);
        self.position_stage.factor(left).map_err(singular)?;
        self.velocity_stage.factor_symmetric(last).map_err(singular)?;
        self.look_at_parameters(extended, &step.to);
        Ok(())
    }

    /// Takes a state as the last end, and factors the velocity stage.
    ///
    /// # Errors
    /// A matrix is singular.
    pub(in crate::method) fn stand_at<S: Natural + ?Sized>(
        &mut self,
        extended: &mut Extended<'s, S>,
        node: &Node<'_>,
    ) -> Attempt {
        self.look(End::Last, node);
        self.velocities[0].copy_from_slice(node.v);
        self.look_at_parameters(extended, node);
        self.velocity_stage.factor_symmetric(&self.ends[1].matrix.values).map_err(singular)
    }

    /// Takes the impulses w with M⁻¹ Gᵀ w = a at an end, for a normal motion a at the last state, where
    /// both ends are then.
    pub(in crate::method) fn take_impulse(&mut self, end: End, motion: &[f64]) {
        let Self { ends: [first, last], velocity_stage, values, .. } = self;
        last.matrix.apply(false, motion, values);
        values.iter_mut().for_each(|value| *value = -*value);
        first.q.copy_from_slice(&last.q);
        first.t = last.t;
        velocity_stage.solve(values, &mut self.ends[end as usize].impulse);
    }

    /// The impulses of an end.
    pub(in crate::method) fn impulse(&self, end: End) -> &[f64] {
        &self.ends[end as usize].impulse
    }

    /// Takes the velocity that a bath begins with, less a thermal one.
    pub(in crate::method) fn take_tangent(&mut self, v: impl Iterator<Item = f64>) {
        self.velocities[1].iter_mut().zip(v).for_each(|(own, v)| *own = v);
    }

    /// Writes an operator times x, or its transpose, over `y`.
    pub(in crate::method) fn apply<S: Natural + ?Sized>(
        &mut self,
        extended: &mut Extended<'s, S>,
        by: OfRows,
        (transposed, x): (bool, &[f64]),
        y: &mut [f64],
    ) {
        let Self { rows, ends, hidden, velocities, .. } = self;
        match by {
            OfRows::Bend(end) => bend(extended, *rows, &ends[end as usize], x, y),
            OfRows::Rates => ends[1].matrix.apply(transposed, x, y),
            OfRows::Rows => self.by_parameters.as_ref().unwrap_or(&ends[1].matrix).apply(transposed, x, y),
            OfRows::Force(end) => ends[end as usize].matrix.apply(!transposed, x, y),
            OfRows::PositionStage => self.position_stage.solve(x, y),
            OfRows::VelocityStage => self.velocity_stage.solve(x, y),
            OfRows::Hidden(tangent) => {
                let (rows, v) = (extended.rows(), &velocities[tangent as usize][..]);
                let at = (extended.place(&ends[1].q), v, ends[1].t);
                if transposed {
                    y.fill(0.0);
                    hidden.add_transposed(rows, at, x, y);
                } else {
                    hidden.rates(rows, at, x, y);
                }
            }
        }
    }

    /// An operator as a matrix.
    pub(in crate::method) fn matrix<S: Natural + ?Sized>(
        &mut self,
        extended: &mut Extended<'s, S>,
        by: OfRows,
    ) -> Option<Sparse<'_>> {
        let sparse = |matrix, transposed| Some(Sparse { matrix, transposed });
        let Self { rows, ends, hidden, velocities, matrices, .. } = self;
        match by {
            OfRows::Bend(end) => {
                let [matrix, _] = matrices.get_or_insert_with(|| new_matrices(extended, *rows));
                let Foot { q, t, impulse, .. } = &ends[end as usize];
                rows.weighted_hessian(q, *t, impulse, matrix.numbers()?);
                matrix.fill(1.0, |a, y| bend(extended, *rows, &ends[end as usize], a, y));
                matrix.get()
            }
            OfRows::Rates => sparse(&ends[1].matrix, false),
            OfRows::Rows => sparse(self.by_parameters.as_ref().unwrap_or(&ends[1].matrix), false),
            OfRows::Force(end) => sparse(&ends[end as usize].matrix, true),
            OfRows::PositionStage | OfRows::VelocityStage => None,
            OfRows::Hidden(tangent) => {
                let [_, matrix] = matrices.get_or_insert_with(|| new_matrices(extended, *rows));
                let (rows, v) = (extended.rows(), &velocities[tangent as usize][..]);
                let at = (extended.place(&ends[1].q), v, ends[1].t);
                matrix.fill(1.0, |weights, y| {
                    y.fill(0.0);
                    hidden.add_transposed(rows, at, weights, y);
                });
                matrix.get().map(|matrix| Sparse { transposed: true, ..matrix })
            }
        }
    }
}

/// The matrices of Σ w_c Hess g_c, and of κᵀ, which products with weights of rows fill; of constraints
/// that move its entries are unknown.
fn new_matrices<S: Natural + ?Sized>(extended: &Extended<'_, S>, rows: &dyn Holonomic) -> [SlopeMatrix; 2] {
    let [n, parameters] = extended.dimension();
    let couplings = extended.couplings().map(|[.., of_rows]| of_rows);
    let pattern = extended.rows().map_or(rows.jacobian_pattern(), Holonomic::jacobian_pattern);
    let places: Vec<_> = pattern.entries().map(|(row, column)| (column, row)).collect();
    let of_rates = (!rows.constraints_move()).then_some(&places[..]);
    let curved = both_triangles(rows.weighted_pattern());
    [
        SlopeMatrix::new([n, n + parameters], &curved, couplings.as_deref()),
        SlopeMatrix::new([n + parameters, rows.constraints()], &[], of_rates),
    ]
}

/// Writes Σ w_c Hess g_c a at an end over `y`.
fn bend<S: Natural + ?Sized>(
    extended: &mut Extended<'_, S>,
    rows: &dyn Holonomic,
    Foot { q, t, impulse, .. }: &Foot,
    a: &[f64],
    y: &mut [f64],
) {
    extended.symmetric(q, a, y, |_, parametric, [x, a], product| {
        product.fill(0.0);
        let rows = parametric.and_then(|own| own.holonomic()).unwrap_or(rows);
        rows.add_weighted_product(x, *t, impulse, a, product);
    });
}

fn singular(error: FactorError) -> ForceError {
    ForceError::Singular { matrix: "the constraint matrix G M⁻¹ Gᵀ of the derivative", error }
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
