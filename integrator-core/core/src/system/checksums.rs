/// Two numbers that identify a system without its names.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Checksums {
    /// Of the declaration.
    pub declaration: u64,
    /// Of the numbers that result from the parameters: coefficients and their places.
    pub numbers: u64,
}

impl Checksums {
    /// The checksums of a system made of this one and a number.
    #[must_use]
    pub fn with(self, number: f64) -> Self {
        // Multiply by an odd number: no bit is lost.
        let numbers = self.numbers.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ number.to_bits();
        Self { numbers, ..self }
    }
}
