//! The door to square sparse systems A x = b: analysed once, factored in every step, solved and checked.
//!
//! The pattern alone chooses the kernel:
//!
//! | pattern | kernel | cost of a factorization |
//! |---|---|---|
//! | nothing beside the diagonal | [`Elimination::Diagonal`] | n |
//! | four or more blocks of at most 12 unknowns, as molecules | [`Elimination::Blocks`] | Σ s³/6 |
//! | small bandwidth, as it stands or renumbered, as a chain | [`Elimination::Banded`] | n b² |
//! | any other | [`Elimination::General`]: panels after minimum degree | the fill |
//!
//! The matrices are symmetric, or nearly so: A = L D U without pivoting, with U = Lᵀ of a symmetric one.
//! These factors exist for positive definite matrices, near them, and for most indefinite ones.
//! They may be inaccurate for indefinite matrices.
//! So no pivot may be tiny beside its row, and the residual checks a solution: one step of refinement
//! follows a poor residual, and an error follows a second poor one.
//! Matrices that need pivoting go to a sparse L U, and to a band with pivoting where they are narrow.

mod banded;
mod banded_lu;
mod check;
mod dense;
mod dense_blocks;
mod diagonal;
pub(crate) mod general;
pub(crate) mod kernel;
mod light;
pub(crate) mod lu;
mod panels;
mod probe;
mod proximal;
mod reordered;
pub(crate) mod saddle;
mod solver;
mod tridiagonal;

pub(super) use check::{REFINE_ABOVE, REFUSE_ABOVE, worst_row};
pub(super) use dense::{eliminate, of_dimension};
pub(crate) use dense::{pass, scale_of, solve};
pub(crate) use kernel::Factored;
pub(super) use kernel::largest_magnitude;
pub use kernel::{Elimination, FactorError, SolveError};
pub(crate) use light::{LIGHT, Scales, light};
pub(crate) use proximal::{Proximal, delta, weights};
pub(crate) use saddle::Saddle;
pub(super) use solver::SMALLEST_PIVOT;
pub use solver::Solver;
