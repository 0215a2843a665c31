//! Macro-solvers: integrators of the slow motion, with a force that a window must be followed for.
//!
//! Into a step of velocity Verlet or RATTLE nothing but (q, v, t) enters, so that a run that starts from
//! a state of another continues it. They need the force at both ends of a step, leap-frog and SHAKE at
//! its beginning only: in N steps N + 1 windows, or N. Constraints make RATTLE of velocity Verlet, and
//! SHAKE of leap-frog.

mod constraints;
mod force;
mod leap_frog;
mod whole_steps;

pub(super) use constraints::{NoConstraints, OnManifold};
pub use leap_frog::LeapFrog;
pub(super) use leap_frog::MacroLeapFrogFlow;
pub(super) use whole_steps::WholeStepsFlow;
