//! Write a Lagrangian, get a structure-preserving simulator.

pub mod describe;
pub mod drive;
pub mod error;
pub mod method;
pub mod sparse;
pub mod structure;
pub mod system;
pub mod wrap;
