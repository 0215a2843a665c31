//! Sparse algebra behind one small door.

mod gram;
mod links;
mod matrices;
pub mod multipliers;
mod pattern;
mod penalty;
mod rows;
mod sets;
mod square;
mod sum;
pub mod symmetric;

pub(crate) use gram::Gram;
pub use matrices::RowMatrix;
pub(crate) use multipliers::{AnyRows, Blocks, Chain, GradientRows};
pub use multipliers::{MultiplierSystem, SingularMass, ZeroPivot};
pub use pattern::{SymmetricMatrix, SymmetricPattern};
pub(crate) use penalty::PenaltySets;
pub use rows::RowPattern;
pub use sets::Sets;
pub(crate) use sets::{Group, column_start};
pub(crate) use square::SquareSolver;
pub use sum::PatternSum;
pub(crate) use symmetric::SetsSolver;
pub use symmetric::{FactorError, SolveError, Structure, SymmetricSolver};
