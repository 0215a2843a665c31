//! Sparse algebra behind one small door: patterns, and a solver, which chooses its
//! factorization by the pattern.

pub use crate::sparse::*;
