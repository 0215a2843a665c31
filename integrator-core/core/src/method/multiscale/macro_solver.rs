//! Macro-solvers: integrators of the slow motion, with a force that a window must be followed for.
//!
//! Into a step of velocity Verlet or RATTLE nothing but (q, v, t) enters, so that a run that starts from a state of another continues it.
//! They need the force at both ends of a step, leap-frog and SHAKE at its beginning only: in N steps N + 1 windows, or N.

mod force;
mod leap_frog;
mod rattle;
mod shake;
mod verlet;

pub use leap_frog::LeapFrog;
pub(super) use leap_frog::MacroLeapFrogFlow;
pub(super) use rattle::MacroRattleFlow;
pub(super) use shake::MacroShakeFlow;
pub(super) use verlet::MacroVerletFlow;
