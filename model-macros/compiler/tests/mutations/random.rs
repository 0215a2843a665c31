//! A seeded generator: a failure is found again by its round.

/// splitmix64.
pub(super) struct Random(u64);

impl Random {
    /// The generator of a round.
    pub(super) fn of_round(round: u64) -> Self {
        Self(round.wrapping_mul(0xD134_2543_DE82_EF95))
    }

    /// One of 0 … bound − 1.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((word ^ (word >> 31)) % bound as u64) as usize
    }

    /// One of them.
    pub(super) fn one_of<'a, T: ?Sized>(&mut self, all: &[&'a T]) -> &'a T {
        all[self.below(all.len())]
    }
}
