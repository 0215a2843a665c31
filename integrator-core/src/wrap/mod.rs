//! Systems made of systems: they implement the same traits as what they wrap.

mod jacobi_reduced;
mod penalized;
mod penalized_lagrangian;
mod penalty_abreast;
mod penalty_pattern;
mod scratch;

pub use jacobi_reduced::JacobiReduced;
pub use penalized::Penalized;
pub use penalty_abreast::PenaltyAbreast;
pub use scratch::Scratch;
