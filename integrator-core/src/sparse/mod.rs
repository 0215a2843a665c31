//! Sparse algebra behind one small door.

pub mod multipliers;
mod pattern;
mod sum;
pub mod symmetric;

pub use multipliers::{MultiplierSystem, SingularMass, ZeroPivot};
pub use pattern::{RowPattern, SymmetricMatrix, SymmetricPattern};
pub use sum::PatternSum;
pub use symmetric::{FactorError, SolveError, Structure, SymmetricSolver};
