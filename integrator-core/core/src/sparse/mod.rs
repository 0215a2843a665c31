//! Sparse algebra behind one small door: patterns, and
//! the [`Solver`] that chooses by them how it factors.

mod constrained;
pub(crate) mod factor;
mod few;
pub(crate) mod full;
pub(crate) mod gram;
mod inverse_mass;
pub(crate) mod kicked;
mod matrices;
mod minimum_degree;
pub(crate) mod multipliers;
mod order;
mod pattern;
mod rows;
mod schur;
pub(crate) mod sum;

pub(crate) use constrained::ConstrainedMass;
// Steppers of this workspace solve with it; who integrates does not.
#[doc(hidden)]
pub use factor::{Elimination, FactorError, SolveError, Solver};
pub(crate) use factor::{Factored, LIGHT, Proximal, Saddle, Scales, light, pass, scale_of, solve};
pub(crate) use few::MOST_ROWS;
pub(crate) use gram::Gram;
pub(crate) use inverse_mass::reciprocals;
pub(crate) use kicked::KickSystem;
pub use matrices::RowMatrix;
pub(crate) use multipliers::MultiplierSystem;
pub(crate) use order::components;
pub(crate) use pattern::placed;
pub use pattern::{SymmetricMatrix, SymmetricPattern};
pub use rows::RowPattern;
pub(crate) use sum::PatternSum;
