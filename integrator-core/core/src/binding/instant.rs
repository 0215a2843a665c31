//! The instant at which a kernel is evaluated.

use crate::lanes::Lanes;
use pulp::Simd;

/// The time of an evaluation, and the fast phase: ω t + θ₀ unless a multiscale method sets it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Instant<T = f64> {
    /// The time t.
    pub t: T,
    /// The phase θ; zero for a model without one.
    pub theta: T,
}

impl Instant {
    /// The time t and its phase, from the frequency and the initial phase.
    #[inline]
    pub fn of(t: f64, phase: Option<[f64; 2]>) -> Self {
        let [frequency, initial] = phase.unwrap_or_default();
        Self { t, theta: frequency * t + initial }
    }

    /// The instant in every lane.
    #[inline(always)]
    pub(super) fn splat<S: Simd>(self, simd: S) -> Instant<Lanes<S>> {
        Instant { t: Lanes::splat(simd, self.t), theta: Lanes::splat(simd, self.theta) }
    }
}
