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

use super::natural::{DRIFT_SLOPE, Extended, INVERSE_MASS, VELOCITY_SLOPE};
use super::program::{self, Line, Linear, Lines, Node, ONE, Operator, P, Q, Span, V, Vector, add, set};
use super::rattle::{self, BEND, FIRST_FORCE, FIRST_MOTION, POSITION_STAGE, ROWS, RattleMap};
use super::sparse::Sparse;
use crate::error::Begun;
use crate::forward::forward;
use crate::method::force_error::Attempt;
use crate::system::Constrained;

/// The position ahead, with the parameters.
const A: Vector = program::OWN + rattle::VECTORS;
/// The velocities before and after a position, of which its velocity is the mean.
const BEFORE: Vector = A + 1;
const AFTER: Vector = A + 2;

/// The operators of the stage for the position ahead stand behind the operators at the start.
const AHEAD: Operator = 1 << 8;

/// The position ahead, from the momentum after the kick.
const STAGE: [Line; 11] = [
    add(P, |h| 1.0 / h, AHEAD + BEND, Q),
    set(V, AHEAD + INVERSE_MASS, P),
    add(V, |_| -1.0, AHEAD + DRIFT_SLOPE, Q),
    set(A, ONE, Q),
    add(A, |h| h, ONE, V),
    set(rattle::R, AHEAD + ROWS, A),
    set(rattle::L, AHEAD + POSITION_STAGE, rattle::R),
    set(rattle::C, AHEAD + FIRST_MOTION, rattle::L),
    add(P, |h| 1.0 / h, ONE, rattle::C),
    set(V, AHEAD + INVERSE_MASS, rattle::C),
    add(A, |_| 1.0, ONE, V),
];

/// A program that ends in [`STAGE`].
const fn with_stage<const N: usize, const M: usize>(first: [Line; M], last: &[Line]) -> [Line; N] {
    let mut all = [STAGE[0]; N];
    let mut k = 0;
    while k < N {
        all[k] = if k < M {
            first[k]
        } else if k < M + STAGE.len() {
            STAGE[k - M]
        } else {
            last[k - M - STAGE.len()]
        };
        k += 1;
    }
    all
}

const STEP: [Line; 17] = with_stage(
    [
        set(Q, ONE, A),
        set(BEFORE, AHEAD + INVERSE_MASS, P),
        add(BEFORE, |_| -1.0, AHEAD + VELOCITY_SLOPE, Q),
        add(P, |h| h, AHEAD + FIRST_FORCE, Q),
    ],
    &[set(AFTER, AHEAD + INVERSE_MASS, P), add(AFTER, |_| -1.0, AHEAD + DRIFT_SLOPE, Q)],
);

const BEGIN: [Line; 15] = with_stage(
    [
        set(BEFORE, AHEAD + INVERSE_MASS, P),
        add(BEFORE, |_| -1.0, AHEAD + VELOCITY_SLOPE, Q),
        set(AFTER, ONE, BEFORE),
        add(P, |h| 0.5 * h, AHEAD + FIRST_FORCE, Q),
    ],
    &[],
);

const VELOCITY: [Line; 3] = [set(V, ONE, BEFORE), add(V, |_| -0.5, ONE, BEFORE), add(V, |_| 0.5, ONE, AFTER)];

/// The linear map of a step.
pub(in crate::method) struct ShakeMap<'s, S: ?Sized> {
    start: RattleMap<'s, S>,
    ahead: RattleMap<'s, S>,
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
        let map = || RattleMap::new(Extended::new(system, method)?, system);
        let [acceleration, gradient, between] = [(); 3].map(|()| vec![0.0; system.dimension()]);
        let impulses = vec![0.0; 2 * system.constraints()];
        Ok(Self { start: map()?, ahead: map()?, acceleration, gradient, between, impulses })
    }
}

impl<S: Constrained + ?Sized> Linear for ShakeMap<'_, S> {
    fn lines(&self) -> Lines<'_> {
        Lines { begin: &BEGIN, step: &STEP, velocity: &VELOCITY, ..self.start.lines() }
    }

    fn has_momentum(&self) -> bool {
        false
    }

    fn vectors(&self) -> Vec<usize> {
        let [n, parameters] = self.dimension();
        let mut vectors = self.start.vectors();
        vectors.extend([n + parameters, n, n]);
        vectors
    }

    forward! { start:
        dimension() -> [usize; 2];
        row_name(row: usize) -> String;
    }

    fn has(&self, by: Operator) -> bool {
        self.start.has(by % AHEAD)
    }

    fn stand(&mut self, step: &Span<'_>, transposed: bool) -> Attempt {
        let Self { ahead, between, impulses, .. } = self;
        let Span { from, to, size } = *step;
        let (q, x) = to.trace.split_at(between.len());
        for ((between, before), after) in between.iter_mut().zip(from.q).zip(to.q) {
            *between = (after - before) / size;
        }
        impulses[..x.len()].copy_from_slice(x);
        let last = Node { t: to.t + size, q, v: between, trace: impulses };
        ahead.stand(&Span { from: to, to: last, size }, transposed)
    }

    fn stand_at(&mut self, _: &Node<'_>) -> Attempt {
        Ok(())
    }

    fn stand_at_start(&mut self, first: &Span<'_>, transposed: bool) -> Attempt {
        let Self { start, ahead, acceleration, gradient, between, impulses } = self;
        start.stand_at_start(first, transposed)?;
        let Span { from, to, size } = *first;
        start.system().potential_gradient(from.q, from.t, gradient);
        start.apply(INVERSE_MASS, false, gradient, acceleration);
        for ((motion, (before, after)), (v, a)) in
            between.iter_mut().zip(from.q.iter().zip(to.q)).zip(from.v.iter().zip(&*acceleration))
        {
            *motion = after - before - size * (v - 0.5 * size * a);
        }
        start.take_impulse(0, between);
        impulses[..start.rows()].copy_from_slice(start.impulses(0));
        ahead.stand(&Span { from, to: Node { v: from.v, trace: impulses, ..to }, size }, transposed)
    }

    fn apply(&mut self, by: Operator, transposed: bool, x: &[f64], y: &mut [f64]) {
        let map = if by < AHEAD { &mut self.start } else { &mut self.ahead };
        map.apply(by % AHEAD, transposed, x, y);
    }
    fn matrix(&mut self, by: Operator) -> Option<Sparse<'_>> {
        let map = if by < AHEAD { &mut self.start } else { &mut self.ahead };
        map.matrix(by % AHEAD)
    }
}
