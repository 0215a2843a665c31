//! The linear map of a kick, a drift and a kick, by a force M f = −∇U(q, t): U is V or a modified
//! potential.

use super::natural::{self, DRIFT_SLOPE, Extended, INVERSE_MASS, MOMENTUM, VELOCITY};
use super::program::{self, End, Line, Linear, Node, ONE, Operator, P, Q, Span, V, Vector, add, set};
use crate::error::StartError;
use crate::method::force_error::ForceError;
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

const BEGIN: [Line; 1] = [set(F, FORCE, Q)];

/// The derivative of the force of a method at a place.
pub(in crate::method) trait ForceSlope<S: ?Sized>: Send {
    /// Takes an end of a step.
    ///
    /// # Errors
    /// The matrix of the force is singular there.
    fn stand(&mut self, step: &Span<'_>, end: End) -> Result<(), ForceError>;

    /// Writes ∂(M f)/∂x a over `y`, or its transpose; the latter has the length of x.
    fn apply(&mut self, extended: &mut Extended<'_, S>, transposed: bool, a: &[f64], y: &mut [f64]);
}

/// The linear map of a step.
pub(in crate::method) struct KickDriftKickMap<'s, S: ?Sized, F> {
    extended: Extended<'s, S>,
    force: F,
    /// The force at the beginning of a part.
    first: Option<F>,
}

impl<'s, S: Natural + ?Sized, F: ForceSlope<S>> KickDriftKickMap<'s, S, F> {
    /// The map of a force that does not depend on the step.
    pub(in crate::method) fn new(system: &'s S, method: &'static str, force: F) -> Result<Self, StartError> {
        Ok(Self { extended: Extended::new(system, method)?, force, first: None })
    }

    /// The map of a force that depends on the length of a part of a step.
    pub(in crate::method) fn of_parts(
        system: &'s S,
        method: &'static str,
        force: impl Fn() -> Result<F, StartError>,
        parts: usize,
    ) -> Result<Self, StartError> {
        let first = if parts > 1 { Some(force()?) } else { None };
        Ok(Self { first, ..Self::new(system, method, force()?)? })
    }
}

impl<S: Natural + ?Sized, F: ForceSlope<S>> Linear for KickDriftKickMap<'_, S, F> {
    fn begin(&self) -> &[Line] {
        if self.first.is_some() { &[] } else { &BEGIN }
    }

    fn step(&self) -> &[Line] {
        if self.first.is_some() { &PART } else { &STEP }
    }

    fn velocity(&self) -> &[Line] {
        &VELOCITY
    }

    fn momentum(&self) -> &[Line] {
        &MOMENTUM
    }

    fn vectors(&self) -> Vec<usize> {
        vec![self.extended.dimension()[0]]
    }

    fn dimension(&self) -> [usize; 2] {
        self.extended.dimension()
    }

    fn has(&self, by: Operator) -> bool {
        self.extended.has(by)
    }

    fn stand(&mut self, step: &Span<'_>, _transposed: bool) -> Result<(), ForceError> {
        self.extended.stand(step);
        if let Some(first) = &mut self.first {
            first.stand(step, End::First)?;
        }
        self.force.stand(step, End::Last)
    }

    fn stand_at(&mut self, node: &Node<'_>) -> Result<(), ForceError> {
        self.extended.stand_at(node);
        Ok(())
    }

    fn stand_at_start(&mut self, first: &Span<'_>, _transposed: bool) -> Result<(), ForceError> {
        self.extended.stand_at(&first.from);
        self.force.stand(first, End::First)
    }

    fn row_name(&self, row: usize) -> String {
        self.extended.system.layout().name_of(row)
    }

    fn apply(&mut self, by: Operator, transposed: bool, x: &[f64], y: &mut [f64]) {
        match (by, &mut self.first) {
            (FORCE, _) => self.force.apply(&mut self.extended, transposed, x, y),
            (FIRST, Some(first)) => first.apply(&mut self.extended, transposed, x, y),
            _ => self.extended.apply(by, transposed, x, y),
        }
    }
}
