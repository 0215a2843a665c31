//! Numbers for starts that look random and are the same everywhere.

/// The linear congruential generator x ← (1103515245 x + 12345) mod 2³¹ from x = 12345: the one of the reference numbers.
pub(crate) struct Scatter(u64);

impl Default for Scatter {
    fn default() -> Self {
        Self(12345)
    }
}

impl Scatter {
    /// The next number, in [−½, ½).
    pub(crate) fn number(&mut self) -> f64 {
        self.0 = (1_103_515_245 * self.0 + 12345) % (1 << 31);
        self.0 as f64 / (1_u64 << 31) as f64 - 0.5
    }
}
