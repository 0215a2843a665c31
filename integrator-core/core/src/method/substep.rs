/// A part of a step, or a whole step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Substep {
    /// The number of its step, counted from 1, for messages.
    pub number: u64,
    /// The length h; negative if backwards.
    pub size: f64,
    /// The time at its end.
    pub end: f64,
}
