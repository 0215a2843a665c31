//! Numbers for starts that look random and are equal everywhere.

/// The linear congruential generator x ← (1103515245 x + 12345) mod 2³¹, from 12345 as in the reference.
pub(crate) struct Scatter(u64);

impl Default for Scatter {
    fn default() -> Self {
        Self(12345)
    }
}

impl Scatter {
    /// The generator from another beginning for each seed.
    pub(crate) fn from_seed(seed: u64) -> Self {
        // Spreads the bits of the seed over the generator's state (SplitMix64).
        let mixed =
            (seed ^ (seed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9).wrapping_add(0x9E37_79B9_7F4A_7C15);
        Self((mixed ^ (mixed >> 27)) % (1 << 31))
    }

    /// The next number of a normal distribution of variance one (Box and Muller).
    pub(crate) fn normal(&mut self) -> f64 {
        let (radius, turn) = (self.number() + 0.5, self.number());
        (-2.0 * (1.0 - radius).ln()).sqrt() * (std::f64::consts::TAU * turn).cos()
    }

    /// The next number, in [−½, ½).
    pub(crate) fn number(&mut self) -> f64 {
        self.0 = (1_103_515_245 * self.0 + 12345) % (1 << 31);
        self.0 as f64 / (1_u64 << 31) as f64 - 0.5
    }
}
