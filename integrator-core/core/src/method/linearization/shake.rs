//! The linear map of a step of SHAKE.
//!
//! With the momenta p = M v between positions, and the impulse x = h² λ at q₁, a step to q₁ finds q₂:
//!
//! ```text
//! δp_{3/2} = δp_{1/2} + h δf₁ + (Σ x_c Hess g_c(q₁) δq₁ + G₁ᵀ δx)/h,
//! δq₂ = δq₁ + h M⁻¹ δp_{3/2},                                     with δx such that G₂ δq₂ = 0;
//! δv₁ = ½ (δv_{1/2} + δv_{3/2}).
//! ```
//!
//! The start finds q₁ with half of the kick.

use super::kicks::{Kicks, Operator, Stiffness};
use super::natural::{Along, OfMass, velocity};
use super::program::{Factor, Line, Linear, Lines, Part, add, copy, plus};
use super::rows::{OfRows, RowStages, position_stage};
use super::span::{End, Node, Span};
use super::sparse::Sparse;
use super::variation::Vector::{self, After, Ahead, Before, Momentum as P, Position as Q, Velocity as V};
use crate::error::Begun;
use crate::forward::forward;
use crate::method::force_error::Attempt;
use crate::system::{Constrained, Natural};

/// The velocity of the momentum, as the one before or after a position.
fn velocity_as(vector: Vector, along: Along) -> Vec<Line<Operator>> {
    [&velocity(along)[..], &[copy(vector, V)]].concat()
}

/// The kick and the position ahead.
fn stage(kick: Factor) -> Vec<Line<Operator>> {
    let mut lines = vec![
        add(P, kick, Operator::Force(End::First), Q),
        add(P, Factor::PER_STEP, OfRows::Bend(End::First).into(), Q),
    ];
    lines.extend(velocity(Along::Drift));
    lines.extend([copy(Ahead, Q), plus(Ahead, Factor::STEP, V)]);
    lines.extend(position_stage(Ahead));
    lines
}

/// The linear map of a step.
pub(in crate::method) struct ShakeMap<'s, S: ?Sized> {
    /// Of the step from a position to the one ahead, whose force is at its beginning.
    kicks: Kicks<'s, S, Stiffness>,
    /// M⁻¹ ∇V.
    acceleration: Vec<f64>,
    gradient: Vec<f64>,
    /// The velocity before a position.
    between: Vec<f64>,
    /// The impulses of the stage ahead, which has no velocity stage.
    impulses: Vec<f64>,
}

impl<'s, S: Constrained + ?Sized> ShakeMap<'s, S> {
    pub(in crate::method) fn new(system: &'s S, method: &'static str) -> Begun<Self> {
        let kicks = Kicks::rattle(system, method)?.with_force_at(End::First);
        let [acceleration, gradient, between] = [(); 3].map(|()| vec![0.0; system.dimension()]);
        let impulses = vec![0.0; 2 * system.constraints()];
        Ok(Self { kicks, acceleration, gradient, between, impulses })
    }
}

impl<S: Natural + ?Sized> ShakeMap<'_, S> {
    /// Takes the step to the position ahead.
    fn stand_ahead(&mut self, step: &Span<'_>, transposed: bool) -> Attempt {
        let Self { kicks, between, impulses, .. } = self;
        let Span { from, to, size } = *step;
        let (q, x) = to.trace.split_at(between.len());
        for ((between, before), after) in between.iter_mut().zip(from.q).zip(to.q) {
            *between = (after - before) / size;
        }
        impulses[..x.len()].copy_from_slice(x);
        let last = Node { t: to.t + size, q, v: between, trace: impulses };
        kicks.stand_between(&Span { from: to, to: last, size }, transposed)
    }

    /// Takes the first step, whose impulse is that of half a kick.
    fn stand_at_begin(&mut self, first: &Span<'_>, transposed: bool) -> Attempt {
        let Self { kicks, acceleration, gradient, between, impulses } = self;
        let Span { from, to, size } = *first;
        kicks.stand_at_start(&from)?;
        let Kicks { extended, rows, .. } = &mut *kicks;
        extended.system.potential_gradient(from.q, from.t, gradient);
        extended.apply(OfMass::Inverse, false, gradient, acceleration);
        for ((motion, (before, after)), (v, a)) in
            between.iter_mut().zip(from.q.iter().zip(to.q)).zip(from.v.iter().zip(&*acceleration))
        {
            *motion = after - before - size * (v - 0.5 * size * a);
        }
        if let Some(rows) = rows {
            rows.take_impulse(End::First, between);
            impulses[..rows.height()].copy_from_slice(rows.impulse(End::First));
        }
        kicks.stand_between(&Span { from, to: Node { v: from.v, trace: impulses, ..to }, size }, transposed)
    }
}

impl<S: Natural + ?Sized> Linear for ShakeMap<'_, S> {
    type Operator = Operator;

    fn lines(&self) -> Lines<Operator> {
        let before = velocity_as(Before, Along::State);
        let begin = [&before[..], &[copy(After, Before)], &stage(Factor::HALF_STEP)].concat();
        let step = [&[copy(Q, Ahead)], &before[..], &stage(Factor::STEP), &velocity_as(After, Along::Drift)];
        let mean = [copy(V, Before), plus(V, Factor(-0.5, 0), Before), plus(V, Factor(0.5, 0), After)];
        Lines { begin, step: step.concat(), velocity: mean.to_vec(), ..self.kicks.lines() }
    }

    fn has_momentum(&self) -> bool {
        false
    }

    fn lengths(&self) -> Vec<(Vector, usize)> {
        let [n, parameters] = self.dimension();
        let of_rows = self.kicks.rows.iter().flat_map(RowStages::lengths);
        [(Ahead, n + parameters), (Before, n), (After, n)].into_iter().chain(of_rows).collect()
    }

    forward! { kicks:
        dimension() -> [usize; 2];
        row_name(row: usize) -> String;
        has(by: Operator) -> bool;
    }

    fn stand(&mut self, part: Part<'_>, transposed: bool) -> Attempt {
        match part {
            Part::Momentum(node) => self.kicks.stand_at_start(&node),
            Part::Begin(first) => self.stand_at_begin(&first, transposed),
            Part::Step(step) => self.stand_ahead(&step, transposed),
            Part::Velocity(_) => Ok(()),
        }
    }

    forward! { mut kicks:
        keep(moving: &[bool]);
        apply(by: Operator, transposed: bool, x: &[f64], y: &mut [f64]);
        matrix(by: Operator) -> Option<Sparse<'_>>;
    }
}
