//! Write a Lagrangian, get a structure-preserving simulator.

// The code that #[lagrangian] emits names this crate, in this crate's own tests too.
extern crate self as integrator_core;

pub use model_macros::lagrangian;

pub mod binding;
pub mod describe;
pub mod drive;
pub mod error;
pub mod expr;
pub mod method;
pub mod prelude;
pub mod sparse;
pub mod structure;
pub mod system;
pub mod wrap;

pub use binding::{Bound, Model};
