//! Systems made of systems; they implement the traits of the systems that they wrap.

mod jacobi_reduced;
mod penalized;
mod penalty;
mod penalty_parameters;
mod penalty_pattern;
mod second;

pub use jacobi_reduced::JacobiReduced;
pub use penalized::Penalized;
pub(crate) use second::{AddedSecond, natural_lagrangian};
