//! Random numbers and directions; a seed repeats them.

/// The generator splitmix64.
///
/// # Reference
/// G. L. Steele, D. Lea, C. H. Flood, OOPSLA 2014, 453, doi:10.1145/2660193.2660195.
#[derive(Debug, Clone)]
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x2545_F491_4F6C_DD1D)
    }

    /// A number of [−1, 1).
    pub(super) fn signed(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// A direction whose every entry counts: its size is at least half its length.
    pub(super) fn direction(&mut self, lengths: &[f64]) -> Vec<f64> {
        let mut weight = |length: &f64| {
            let signed = self.signed();
            length * (0.5 + 0.5 * signed.abs()).copysign(signed)
        };
        lengths.iter().map(&mut weight).collect()
    }
}
