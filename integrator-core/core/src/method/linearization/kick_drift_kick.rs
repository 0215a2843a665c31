//! The linear map of a kick and a drift, with or without a kick behind, by a force M f = −∇U(q, t): U is
//! V or a modified potential.

use super::natural::{self, DRIFT_SLOPE, Extended, INVERSE_MASS, MOMENTUM, VELOCITY};
use super::program::{self, End, Line, Linear, Lines, Node, ONE, Operator, P, Q, Span, V, Vector, add, set};
use super::sparse::Sparse;
use crate::error::Begun;
use crate::forward::forward;
use crate::method::force_error::Attempt;
use crate::system::Natural;

/// The force M f.
const F: Vector = program::OWN;
/// ∂(M f)/∂x at the end of a step, and at its beginning.
const FORCE: Operator = natural::OWN;
const FIRST: Operator = natural::OWN + 1;

/// The force at the end of a step serves the next one.
const STEP: [Line; 6] = [
    add(P, |h| 0.5 * h, ONE, F),
    set(V, INVERSE_MASS, P),
    add(V, |_| -1.0, DRIFT_SLOPE, Q),
    add(Q, |h| h, ONE, V),
    set(F, FORCE, Q),
    add(P, |h| 0.5 * h, ONE, F),
];

/// The force depends on the length of a part, so that both ends have their own.
const PART: [Line; 7] = [set(F, FIRST, Q), STEP[0], STEP[1], STEP[2], STEP[3], STEP[4], STEP[5]];

/// The force at the beginning, without a kick behind.
const KICK_DRIFT: [Line; 5] = [PART[0], add(P, |h| h, ONE, F), STEP[1], STEP[2], STEP[3]];

const BEGIN: [Line; 1] = [set(F, FORCE, Q)];

/// The derivative of the force of a method at a place.
pub(in crate::method) trait ForceSlope<S: ?Sized>: Send {
    /// Takes an end of a step.
    ///
    /// # Errors
    /// The matrix of the force is singular there.
    fn stand(&mut self, step: &Span<'_>, end: End) -> Attempt;

    /// Writes ∂(M f)/∂x a over `y`, or its transpose; the latter has the length of x.
    fn apply(&mut self, extended: &mut Extended<'_, S>, transposed: bool, a: &[f64], y: &mut [f64]);

    /// ∂(M f)/∂x as a matrix; see [`Linear::matrix`].
    fn matrix<'m>(&mut self, _extended: &'m mut Extended<'_, S>) -> Option<Sparse<'m>> {
        None
    }
}

/// The linear map of a step.
pub(in crate::method) struct KickDriftKickMap<'s, S: ?Sized, F> {
    extended: Extended<'s, S>,
    begin: &'static [Line],
    step: &'static [Line],
    /// The force at the beginning of a part, and at its end, as far as the lines ask for it.
    first: Option<F>,
    last: Option<F>,
}

impl<'s, S: Natural + ?Sized, F: ForceSlope<S>> KickDriftKickMap<'s, S, F> {
    /// The map of a force that does not depend on the step.
    pub(in crate::method) fn new(system: &'s S, method: &'static str, force: F) -> Begun<Self> {
        let extended = Extended::new(system, method)?;
        Ok(Self { extended, begin: &BEGIN, step: &STEP, first: None, last: Some(force) })
    }

    /// The map of a kick at the beginning, and a drift.
    pub(in crate::method) fn kick_drift(system: &'s S, method: &'static str, force: F) -> Begun<Self> {
        let extended = Extended::new(system, method)?;
        Ok(Self { extended, begin: &[], step: &KICK_DRIFT, first: Some(force), last: None })
    }

    /// The map of a force that depends on the length of a part of a step.
    pub(in crate::method) fn of_parts(
        system: &'s S,
        method: &'static str,
        force: impl Fn() -> Begun<F>,
        parts: usize,
    ) -> Begun<Self> {
        let map = Self::new(system, method, force()?)?;
        Ok(if parts > 1 { Self { begin: &[], step: &PART, first: Some(force()?), ..map } } else { map })
    }
}

impl<S: Natural + ?Sized, F: ForceSlope<S>> Linear for KickDriftKickMap<'_, S, F> {
    fn lines(&self) -> Lines<'_> {
        Lines { begin: self.begin, step: self.step, velocity: &VELOCITY, momentum: &MOMENTUM }
    }

    fn vectors(&self) -> Vec<usize> {
        vec![self.extended.dimension()[0]]
    }

    forward! { extended:
        dimension() -> [usize; 2];
        has(by: Operator) -> bool;
    }

    fn stand(&mut self, step: &Span<'_>, _transposed: bool) -> Attempt {
        self.extended.stand(step);
        let mut forces = self.first.iter_mut().zip([End::First]).chain(self.last.iter_mut().zip([End::Last]));
        forces.try_for_each(|(force, end)| force.stand(step, end))
    }

    fn stand_at(&mut self, node: &Node<'_>) -> Attempt {
        self.extended.stand_at(node);
        Ok(())
    }

    fn stand_at_start(&mut self, first: &Span<'_>, _transposed: bool) -> Attempt {
        self.extended.stand_at(&first.from);
        self.last.iter_mut().try_for_each(|force| force.stand(first, End::First))
    }

    fn row_name(&self, row: usize) -> String {
        self.extended.system.layout().name_of(row)
    }

    fn apply(&mut self, by: Operator, transposed: bool, x: &[f64], y: &mut [f64]) {
        let force = match by {
            FORCE => &mut self.last,
            FIRST => &mut self.first,
            _ => return self.extended.apply(by, transposed, x, y),
        };
        force.iter_mut().for_each(|force| force.apply(&mut self.extended, transposed, x, y));
    }

    fn matrix(&mut self, by: Operator) -> Option<Sparse<'_>> {
        match by {
            FORCE => self.last.as_mut()?.matrix(&mut self.extended),
            FIRST => self.first.as_mut()?.matrix(&mut self.extended),
            _ => self.extended.matrix(by),
        }
    }
}
