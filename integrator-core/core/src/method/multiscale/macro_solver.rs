//! Macro-solvers: integrators of the slow motion, whose force costs a window.
//!
//! A step of velocity Verlet or RATTLE depends only on (q, v, t), so that a run from a state of another
//! continues it. They need the force at both ends of a step, leap-frog and SHAKE only at its beginning:
//! in N steps N + 1 windows, or N. Constraints make velocity Verlet RATTLE, and leap-frog SHAKE.

mod constraints;
mod flow;

pub(super) use constraints::{NoConstraints, OnManifold};
pub use flow::LeapFrog;
pub(super) use flow::MacroFlow;
