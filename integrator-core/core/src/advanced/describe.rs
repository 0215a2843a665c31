//! A model instance as plain data: the content of `least-action describe` and of its output for scripts.
//!
//! The compiler fills it in; a hand-written model may, too. Engines do not read it.

pub use crate::describe::*;
