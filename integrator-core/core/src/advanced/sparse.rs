//! Sparse algebra behind one small door: patterns, and the [`Solver`] that chooses by them how it factors.

pub use crate::sparse::*;
