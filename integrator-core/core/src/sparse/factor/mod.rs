//! The door to square sparse systems A x = b: analysed once, factored in every step, solved and checked.
//!
//! The kernel is chosen by the pattern alone:
//!
//! | pattern | kernel | cost of a factorization |
//! |---|---|---|
//! | nothing beside the diagonal | [`Elimination::Diagonal`] | n |
//! | four or more connected components of at most 12 unknowns (a molecule each) | [`Elimination::Blocks`], eight at a time | Σ s³/6 |
//! | small bandwidth, as it stands or after reverse Cuthill–McKee (a chain) | [`Elimination::Banded`] | n b² |
//! | anything else | [`Elimination::General`]: in dense panels, after approximate minimum degree | that of the fill |
//!
//! The matrices are symmetric, or nearly so: A = L D U without pivoting, with U = Lᵀ of a symmetric one,
//! exists for positive definite matrices, for what is near them, and for most indefinite ones. Because
//! it need not be accurate for the latter, no pivot may be tiny beside its row, and a solution is
//! checked by its residual, refined once when that is poor, and refused when it stays so. Matrices that
//! need pivoting go to a sparse L U, and so does the saddle-point system of a mass and constraints; that
//! of the proximal iteration is a band with pivoting where it is narrow.

mod banded;
mod banded_lu;
mod both_ends;
mod check;
mod dense;
mod dense_blocks;
mod diagonal;
pub(crate) mod general;
pub(crate) mod kernel;
pub(crate) mod lu;
mod panels;
mod probe;
mod proximal;
mod reordered;
pub(crate) mod saddle;
mod solver;
mod tridiagonal;

pub(crate) use both_ends::BothEnds;
pub(super) use dense::{eliminate, of_dimension, substitute};
pub use kernel::{Elimination, FactorError, SolveError};
pub(crate) use proximal::{Proximal, Scales, delta, weights};
pub(crate) use saddle::Saddle;
pub(super) use solver::SMALLEST_PIVOT;
pub use solver::Solver;
