//! Systems made of systems: they implement the same traits as what they wrap.

mod penalized;
mod penalized_lagrangian;
mod penalty_pattern;
mod scratch;

pub use penalized::Penalized;
pub use scratch::Scratch;
