//! Arguments of all magnitudes, seeded.

/// splitmix64.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// In 0 … 1.
    fn fraction(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / 9_007_199_254_740_992.0
    }

    /// Any bits; any exponent; a number of a usual size; one near a multiple of π/4, or near 1.
    pub(super) fn argument(&mut self) -> f64 {
        let sign = if self.bits() & 1 == 0 { 1.0 } else { -1.0 };
        match self.bits() % 8 {
            0 => f64::from_bits(self.bits()),
            1 | 2 => sign * (self.fraction() * 60.0 - 40.0).exp2(),
            3 | 4 => sign * self.fraction() * 4.0,
            5 => sign * self.fraction() * 800.0,
            6 => {
                let multiple = (self.fraction() * 30.0).exp2().floor() * std::f64::consts::FRAC_PI_4;
                sign * f64::from_bits(multiple.to_bits().wrapping_add(self.bits() % 5).wrapping_sub(2))
            }
            _ => sign * (1.0 + (self.fraction() - 0.5) * (-self.fraction() * 50.0).exp2()),
        }
    }
}
