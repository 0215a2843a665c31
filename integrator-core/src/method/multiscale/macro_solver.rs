//! Macro-solvers: what steps the slow motion, with a force that a window must be followed for.

mod force;
mod leap_frog;
mod rattle;
mod shake;
mod verlet;

pub use leap_frog::LeapFrog;
pub(super) use leap_frog::LeapFrogFlow;
pub(super) use rattle::RattleFlow;
pub(super) use shake::ShakeFlow;
pub(super) use verlet::VerletFlow;

use crate::method::{Rattle, Shake, Verlet};

/// What a macro-solver is, whatever the system.
pub trait MacroSolver {
    /// Whether nothing but (q, v, t) enters a step, so that a run that starts from a state of another continues it.
    ///
    /// Such a solver needs the force at both ends of a step, the others at its beginning only: in N steps N + 1 windows, or N.
    const ONE_STEP: bool;
}

impl MacroSolver for LeapFrog {
    const ONE_STEP: bool = false;
}

impl MacroSolver for Verlet {
    const ONE_STEP: bool = true;
}

impl MacroSolver for Shake {
    const ONE_STEP: bool = false;
}

impl MacroSolver for Rattle {
    const ONE_STEP: bool = true;
}
