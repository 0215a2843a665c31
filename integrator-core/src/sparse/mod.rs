//! Sparse algebra behind one small door.

pub mod multipliers;
mod pattern;
mod rows;
mod square;
mod sum;
pub mod symmetric;

pub use multipliers::{MultiplierSystem, SingularMass, ZeroPivot};
pub use pattern::{SymmetricMatrix, SymmetricPattern};
pub use rows::RowPattern;
pub(crate) use square::SquareSolver;
pub use sum::PatternSum;
pub use symmetric::{FactorError, SolveError, Structure, SymmetricSolver};
