//! Helpers of the tests: systems written by hand, reference numbers, and measurements of what methods claim.

pub mod agreement;
pub mod fall;
pub mod linkage;
pub mod quartic;
pub mod rail;
pub mod reference;
pub mod structure;
pub mod values;
