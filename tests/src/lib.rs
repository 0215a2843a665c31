//! Helpers of the whole-system tests: hand-written models, command lines, and measurements of what methods claim.

pub mod agreement;
pub mod command;
pub mod declarations;
pub mod fall;
pub mod linkage;
pub mod quartic;
pub mod rail;
pub mod reference;
pub mod structure;
