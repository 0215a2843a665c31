//! Sparse algebra behind one small door.

mod pattern;
mod sum;
pub mod symmetric;

pub use pattern::{RowPattern, SymmetricMatrix, SymmetricPattern};
pub use sum::PatternSum;
pub use symmetric::{FactorError, SolveError, Structure, SymmetricSolver};
