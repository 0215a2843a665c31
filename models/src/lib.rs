//! Ready mechanical systems, one file each, written as a user would write them.
//!
//! Every model has the parameters of its paper as its default and the paper's start as its own.

mod chain;
mod double_pendulum;
mod double_pendulum_angles;

pub use chain::Chain;
pub use double_pendulum::DoublePendulum;
pub use double_pendulum_angles::DoublePendulumAngles;
