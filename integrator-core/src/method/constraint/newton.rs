/// How an iteration of Newton's method goes: when it is over, and when it needs a matrix of its own.
pub(super) struct Progress {
    tolerance: f64,
    most_iterations: u32,
    pub(super) iterations: u32,
    previous: f64,
    /// What the next residual may be.
    expected: f64,
}

/// What a residual says of the iteration.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It is over.
    Ended(Arrival),
    /// It is to go on with a matrix of its own.
    Slow,
    /// It is to go on.
    Fast,
}

/// How an iteration ends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Arrival {
    Accepted,
    NotFinite,
    Exhausted,
}

/// The part of the round-off unit below which no residual relative to the natural size can be asked to fall.
const FLOOR: f64 = 64.0 * f64::EPSILON;

/// An iteration that gains less than this factor gets a fresh matrix.
const SLOW: f64 = 0.1;

impl Progress {
    pub(super) fn new(tolerance: f64, most_iterations: u32) -> Self {
        let unknown = f64::INFINITY;
        Self { tolerance, most_iterations, iterations: 0, previous: unknown, expected: unknown }
    }

    /// Whether the next residual may be the last one, if the next iteration gains what the last one has gained.
    pub(super) fn may_end(&self) -> bool {
        self.expected <= self.tolerance
    }

    /// Takes the largest residual relative to the natural sizes.
    pub(super) fn judge(&mut self, residual: f64) -> Verdict {
        let Self { tolerance, previous, .. } = *self;
        if !residual.is_finite() {
            return Verdict::Ended(Arrival::NotFinite);
        }
        let stopped = residual >= 0.5 * previous;
        if residual <= tolerance || (stopped && residual <= FLOOR.max(tolerance)) {
            return Verdict::Ended(Arrival::Accepted);
        }
        if self.iterations == self.most_iterations {
            return Verdict::Ended(Arrival::Exhausted);
        }
        if self.iterations > 0 {
            self.expected = residual * (residual / previous);
        }
        self.previous = residual;
        if residual <= SLOW * previous { Verdict::Fast } else { Verdict::Slow }
    }
}
