//! Random choices (Steele, Lea, Flood, OOPSLA 2014: SplitMix64).

pub(crate) struct Random(u64);

impl Random {
    /// The choices of attempt `number`, which do not depend on other attempts.
    pub(crate) fn of(seed: u64, number: u64) -> Self {
        Self(seed.wrapping_mul(0xD134_2543_DE82_EF95) ^ number.wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number in [0, 1).
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end.max(1) as u64).unwrap_or_default()
    }

    pub(crate) fn is(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    pub(crate) fn of_slice<'a, T>(&mut self, slice: &'a [T]) -> Option<&'a T> {
        slice.get(self.below(slice.len()))
    }

    pub(crate) fn word<'a>(&mut self, words: &[&'a str]) -> &'a str {
        self.of_slice(words).copied().unwrap_or_default()
    }

    /// 10^e with e between the bounds.
    pub(crate) fn power(&mut self, least: f64, most: f64) -> f64 {
        10_f64.powf(least + (most - least) * self.unit())
    }

    pub(crate) fn sign(&mut self) -> f64 {
        if self.is(0.5) { 1.0 } else { -1.0 }
    }
}
