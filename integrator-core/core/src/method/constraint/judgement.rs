//! The judgement of Newton's method for the rows: when it ends, or needs its own matrix.

use crate::lanes::Real;
use crate::method::newton::Newton;

/// An iteration by its residuals, each the largest relative to the natural sizes.
pub(super) struct Judgement {
    /// The largest accepted residual.
    pub(super) tolerance: f64,
    most_iterations: u32,
    pub(super) iterations: u32,
    previous: f64,
    /// The estimate r₁²/r₀ of the next residual from the last two, r₀ and r₁.
    expected: f64,
}

/// The decision about an iteration that has reached a residual.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Accepted,
    NotFinite,
    Exhausted,
    /// The iteration continues with the matrix of its iterate.
    Slow,
    /// The iteration continues with its present matrix.
    Fast,
}

/// The floor of residuals relative to the natural size: no iteration has to fall below it.
pub(crate) const FLOOR: f64 = 64.0 * f64::EPSILON;

/// Until so many iterations have been done, a residual that hardly falls is iterated on.
const PATIENCE: u32 = 8;

/// The matrix is renewed when an iteration gains less than this factor.
const SLOW: f64 = 0.1;

impl Judgement {
    pub(super) fn new(Newton { tolerance, iterations: most }: Newton) -> Self {
        let unknown = f64::INFINITY;
        Self { tolerance, most_iterations: most, iterations: 0, previous: unknown, expected: unknown }
    }

    /// Begins another iteration that continues this one.
    pub(super) fn begin_again(&mut self) {
        (self.previous, self.expected) = (f64::INFINITY, f64::INFINITY);
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

    /// Judges an iterate by its residual.
    pub(super) fn judge(&mut self, residual: f64) -> Verdict {
        let Self { tolerance, previous, .. } = *self;
        let [accepted, fast] = judged(residual, previous, tolerance);
        if accepted {
            return Verdict::Accepted;
        }
        if !residual.is_finite() {
            return Verdict::NotFinite;
        }
        if self.iterations == self.most_iterations {
            return Verdict::Exhausted;
        }
        if self.iterations > 0 {
            self.expected = expected(residual, previous);
        }
        self.previous = residual;
        if fast { Verdict::Fast } else { Verdict::Slow }
    }
}

/// Where a residual is accepted, and where an iteration with the present matrix is fast.
#[inline(always)]
pub(crate) fn judged<T: Real>(residual: T, previous: T, tolerance: f64) -> [T::Mask; 2] {
    let below = |limit| residual.le(residual.number(limit));
    let stopped = (previous * 0.5).le(residual);
    let accepted = T::either(below(tolerance), T::both(stopped, below(FLOOR)));
    [accepted, residual.le(previous * SLOW)]
}

/// The estimate of the next residual.
#[inline(always)]
pub(crate) fn expected<T: Real>(residual: T, previous: T) -> T {
    residual * (residual / previous)
}
