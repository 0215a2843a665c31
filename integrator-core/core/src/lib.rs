//! The engines of Least Action: traits, sparse algebra,
//! the run time of kernels, and geometric integrators.
//!
//! This crate knows no macro. Users name the facade `least-action`, which documents the problem,
//! the symbols and a reading order, and adds the attribute `#[lagrangian]`.
//! [`advanced`] has the modules that few programs need.

pub mod advanced;
pub mod binding;
mod carried;
mod check;
mod checksum;
mod describe;
pub mod drive;
#[doc(hidden)]
pub mod emitted;
pub mod error;
pub mod expr;
#[doc(hidden)]
pub mod files;
mod forward;
mod inputs;
#[doc(hidden)]
pub mod internals;
mod shown;
// The widths of registers are for tests and benches; kernels use them through `emitted`.
#[doc(hidden)]
pub mod lanes;
mod lists;
pub mod method;
mod noether;
mod polar;
pub mod prelude;
mod scratch;
mod sparse;
mod structure;
pub mod system;
mod wrap;

pub use binding::{Bound, Model};

/// Vectors and matrices of parameters, starts and results.
pub use nalgebra;
/// Sparse matrices beside [`nalgebra`].
pub use nalgebra_sparse;
