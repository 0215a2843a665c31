//! Helpers of the tests: systems by hand, reference numbers, and measurements of the claims of methods.

/// True in optimized builds: tests then take their full sizes, and few smaller ones without.
pub const THOROUGH: bool = !cfg!(debug_assertions);

pub mod agreement;
pub mod fall;
pub mod linkage;
pub mod loss;
pub mod oracle;
pub mod quartic;
pub mod rail;
pub mod reference;
pub mod structure;
pub mod values;
