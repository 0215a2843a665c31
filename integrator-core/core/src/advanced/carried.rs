//! The memory of a run between steps: saved, and restored to the bit.
//!
//! A run continues in two steps: it is started from the old start, which makes everything that follows
//! from the system, the options and the start; then its [carried](Carried) memory is put back. One
//! function does both directions, so that they agree.

pub use crate::carried::*;
