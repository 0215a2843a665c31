//! Sparse algebra behind one small door: patterns, and the [`Solver`] that chooses by them how it factors.

mod factor;
mod gram;
mod inverse_mass;
mod kicked;
mod matrices;
mod members;
mod minimum_degree;
mod multipliers;
mod order;
mod pattern;
mod rows;
mod schur;
mod sum;

pub use factor::{Elimination, FactorError, SolveError, Solver};
pub(crate) use factor::{Proximal, Saddle, Scales};
pub(crate) use gram::Gram;
pub(crate) use inverse_mass::reciprocals;
pub(crate) use kicked::KickSystem;
pub use matrices::RowMatrix;
pub(crate) use members::SchurOfMembers;
pub(crate) use multipliers::MultiplierSystem;
pub(crate) use order::components;
pub use pattern::{SymmetricMatrix, SymmetricPattern};
pub use rows::RowPattern;
pub(crate) use sum::PatternSum;
