//! The instant at which a kernel is evaluated.

use crate::lanes::Lanes;
use pulp::Simd;

/// When a kernel is evaluated: the time, and beside it the fast phase, which is ω t + θ₀ unless a multiscale method says
/// otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Instant<T = f64> {
    /// The time t.
    pub t: T,
    /// The phase θ; zero where the model has none.
    pub theta: T,
}

impl Instant {
    /// The time t and the phase that belongs to it: a frequency and where the phase begins.
    #[inline]
    pub fn of(t: f64, phase: Option<[f64; 2]>) -> Self {
        let [frequency, initial] = phase.unwrap_or_default();
        Self { t, theta: frequency * t + initial }
    }

    /// The same in every lane.
    #[inline(always)]
    pub(super) fn splat<S: Simd>(self, simd: S) -> Instant<Lanes<S>> {
        Instant { t: Lanes::splat(simd, self.t), theta: Lanes::splat(simd, self.theta) }
    }
}
