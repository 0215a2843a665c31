/// Two numbers by which a system is told from another one, whatever their names.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Checksums {
    /// Of the words of its declaration.
    pub declaration: u64,
    /// Of the numbers that its parameters have become: coefficients, and what they belong to.
    pub numbers: u64,
}

impl Checksums {
    /// Those of a system that is made of this one by a further number.
    #[must_use]
    pub fn with(self, number: f64) -> Self {
        // Odd, so that no bit of either is lost.
        let numbers = self.numbers.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ number.to_bits();
        Self { numbers, ..self }
    }
}
