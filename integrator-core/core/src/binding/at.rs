//! The place at which elements are evaluated, and the factors with which they count.

use super::signals::Now;

/// z, a direction a, and the instant at which elements are evaluated.
#[derive(Debug, Clone, Copy)]
pub struct At<'a> {
    /// z.
    pub z: &'a [f64],
    /// The direction, for the questions that have one.
    pub a: &'a [f64],
    /// The time, the fast phase and the signals.
    pub now: &'a Now<'a>,
}

impl<'a> At<'a> {
    /// At z, for a question without a direction.
    pub fn new(z: &'a [f64], now: &'a Now<'a>) -> Self {
        Self { z, a: z, now }
    }

    /// Along a.
    #[must_use]
    pub fn along(self, a: &'a [f64]) -> Self {
        Self { a, ..self }
    }
}

/// The factors of the rows to which elements belong.
#[derive(Debug, Clone, Copy)]
pub enum Weights<'a> {
    /// Elements have no rows, or each row counts once.
    Ones,
    /// Those of these rows.
    Of(&'a [f64]),
}
