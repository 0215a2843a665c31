//! Helpers of the whole-system tests: hand-written models, command lines, and measurements of what methods claim.

pub mod command;
pub mod constrained_models;
pub mod fall;
pub mod quartic;
pub mod rail;
pub mod reference;
pub mod rod_chain;
pub mod structure;
