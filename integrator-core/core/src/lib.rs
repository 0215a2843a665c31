//! The engines of Least Action: traits, sparse algebra,
//! the run time of kernels, and geometric integrators.
//!
//! This crate knows no macro. Users name the facade `least-action`, which documents the problem,
//! the symbols and a reading order, and adds the attribute `#[lagrangian]`.
//! [`advanced`] has the modules that few programs need.

pub mod advanced;
pub mod binding;
// The modules of `advanced` are hidden here: Rust shows elsewhere only modules that are public in place.
#[doc(hidden)]
pub mod carried;
#[doc(hidden)]
pub mod check;
mod checksum;
#[doc(hidden)]
pub mod describe;
pub mod drive;
#[doc(hidden)]
pub mod emitted;
pub mod error;
pub mod expr;
#[doc(hidden)]
pub mod files;
#[doc(hidden)]
pub mod inputs;
#[doc(hidden)]
pub mod internals;
// The widths of registers are for tests and benches; kernels use them through `emitted`.
#[doc(hidden)]
pub mod lanes;
mod lists;
pub mod method;
#[doc(hidden)]
pub mod noether;
pub mod prelude;
mod scratch;
#[doc(hidden)]
pub mod sparse;
mod structure;
pub mod system;
#[doc(hidden)]
pub mod wrap;

pub use binding::{Bound, Model};

/// Vectors and matrices of parameters, starts and results.
pub use nalgebra;
/// Sparse matrices beside [`nalgebra`].
pub use nalgebra_sparse;
