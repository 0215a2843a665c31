//! Sparse algebra behind one small door.

pub mod multipliers;
mod pattern;

pub use multipliers::{MultiplierSystem, SingularMass, ZeroPivot};
pub use pattern::{RowPattern, SymmetricMatrix, SymmetricPattern};
