use super::grid::CoordinateCell;
use crate::carried::carried;

/// A coordinate in free fall in its cell: phase f(t) = phase + rate τ + ½ acceleration τ² with
/// τ = t − since.
///
/// Fills a cache line.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(super) struct Coordinate {
    pub(super) phase: f64,
    pub(super) rate: f64,
    pub(super) acceleration: f64,
    pub(super) since: f64,
    pub(super) place: CoordinateCell,
}

impl Coordinate {
    /// Phase and rate at a time.
    #[inline(always)]
    pub(super) fn at(&self, time: f64) -> (f64, f64) {
        let tau = time - self.since;
        (self.phase + tau * (self.rate + 0.5 * self.acceleration * tau), self.rate + self.acceleration * tau)
    }

    /// Restarts the parabola at a time.
    #[inline(always)]
    pub(super) fn advance(&mut self, time: f64) {
        (self.phase, self.rate) = self.at(time);
        self.since = time;
    }
}

carried!([] Coordinate { phase, rate, acceleration, since, place } besides {});
