//! Write a Lagrangian, get a structure-preserving simulator.

pub use model_macros::lagrangian;

pub mod error;
pub mod expr;
pub mod method;
pub mod sparse;
pub mod structure;
pub mod system;
