//! The place at which elements are evaluated, and their weights.

use super::signals::Now;

/// z, a direction a, and the instant of an evaluation.
#[derive(Debug, Clone, Copy)]
pub struct At<'a> {
    /// z.
    pub z: &'a [f64],
    /// The direction, for derivatives that have one.
    pub a: &'a [f64],
    /// The direction in which z moves, for rates.
    pub rate: &'a [f64],
    /// The time, the fast phase and the signals.
    pub now: &'a Now<'a>,
}

impl<'a> At<'a> {
    /// At z, for a question without a direction.
    pub fn new(z: &'a [f64], now: &'a Now<'a>) -> Self {
        Self { z, a: z, rate: z, now }
    }

    /// Along a.
    #[must_use]
    pub fn along(self, a: &'a [f64]) -> Self {
        Self { a, ..self }
    }

    /// Moving along `rate`.
    #[must_use]
    pub fn moving(self, rate: &'a [f64]) -> Self {
        Self { rate, ..self }
    }
}

/// The weights of the rows of elements.
#[derive(Debug, Clone, Copy)]
pub enum Weights<'a> {
    /// Elements have no rows, or each weight is 1.
    Ones,
    /// The weights of these rows.
    Of(&'a [f64]),
}
