use crate::lanes::Real;

/// When a kernel is evaluated: the time, and beside it the fast phase, which is ω t + θ₀ unless a multiscale method says
/// otherwise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Instant<T = f64> {
    /// The time t.
    pub t: T,
    /// The phase θ; zero where the model has none.
    pub theta: T,
}

impl<T: Real> Instant<T> {
    /// A number of the same kind.
    #[inline(always)]
    pub(super) fn number(self, value: f64) -> T {
        self.t.number(value)
    }
}
