//! Write a Lagrangian, get a structure-preserving simulator.

pub mod describe;
pub mod error;
pub mod method;
pub mod sparse;
pub mod structure;
pub mod system;
