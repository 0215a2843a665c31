/// The progress of one iteration of Newton's method; decides when it ends or needs its own matrix.
pub(super) struct Progress {
    tolerance: f64,
    most_iterations: u32,
    pub(super) iterations: u32,
    previous: f64,
    /// The estimate r₁²/r₀ of the next residual from the last two, r₀ and r₁.
    expected: f64,
}

/// The decision about an iteration that has reached a residual.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum IterationVerdict {
    Ended(Arrival),
    /// The iteration continues with the matrix of its iterate.
    Slow,
    /// The iteration continues with its present matrix.
    Fast,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Arrival {
    Accepted,
    NotFinite,
    Exhausted,
}

/// The floor of residuals relative to the natural size: no iteration has to fall below it.
pub(crate) const FLOOR: f64 = 64.0 * f64::EPSILON;

/// Until so many iterations have been done, a residual that hardly falls is iterated on.
const PATIENCE: u32 = 8;

/// The matrix is renewed when an iteration gains less than this factor.
pub(crate) const SLOW: f64 = 0.1;

impl Progress {
    pub(super) fn new(tolerance: f64, most_iterations: u32) -> Self {
        let unknown = f64::INFINITY;
        Self { tolerance, most_iterations, iterations: 0, previous: unknown, expected: unknown }
    }

    /// The progress of another iteration that continues this one.
    pub(super) fn again(self) -> Self {
        Self { previous: f64::INFINITY, expected: f64::INFINITY, ..self }
    }

    /// The largest accepted residual relative to the natural sizes.
    pub(super) fn tolerance(&self) -> f64 {
        self.tolerance
    }

    /// True if a residual has stopped falling: it may be rounding.
    pub(super) fn has_stopped(&self, residual: f64) -> bool {
        self.iterations > 0 && residual.is_finite() && residual >= 0.5 * self.previous
    }

    /// True if a residual that hardly falls may still fall with the next iterations.
    pub(super) fn is_patient(&self) -> bool {
        self.iterations < PATIENCE
    }

    /// True if the next residual will be accepted, should the next iteration gain as much as the last.
    pub(super) fn may_end(&self) -> bool {
        self.expected <= self.tolerance
    }

    /// Judges an iterate by its largest residual relative to the natural sizes.
    pub(super) fn judge(&mut self, residual: f64) -> IterationVerdict {
        let Self { tolerance, previous, .. } = *self;
        if !residual.is_finite() {
            return IterationVerdict::Ended(Arrival::NotFinite);
        }
        let stopped = residual >= 0.5 * previous;
        if residual <= tolerance || (stopped && residual <= FLOOR.max(tolerance)) {
            return IterationVerdict::Ended(Arrival::Accepted);
        }
        if self.iterations == self.most_iterations {
            return IterationVerdict::Ended(Arrival::Exhausted);
        }
        if self.iterations > 0 {
            self.expected = residual * (residual / previous);
        }
        self.previous = residual;
        if residual <= SLOW * previous { IterationVerdict::Fast } else { IterationVerdict::Slow }
    }
}
