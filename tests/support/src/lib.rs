//! Helpers of the tests: systems written by hand, reference numbers, and measurements of what methods claim.

/// True where a build optimizes: tests then take the sizes at which they were first shown, and few of them fewer or smaller without.
pub const THOROUGH: bool = !cfg!(debug_assertions);

pub mod agreement;
pub mod fall;
pub mod linkage;
pub mod oracle;
pub mod quartic;
pub mod rail;
pub mod reference;
pub mod structure;
pub mod values;
