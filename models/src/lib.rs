//! Ready models: each file declares one mechanical system, as a user would, with the parameters and the start of the
//! paper that it comes from.

mod chain;
mod double_pendulum;
mod double_pendulum_angles;

pub use chain::Chain;
pub use double_pendulum::DoublePendulum;
pub use double_pendulum_angles::DoublePendulumAngles;
