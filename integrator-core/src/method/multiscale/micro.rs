//! Micro-solvers: the true motion through one window.

mod shake;
mod verlet;

pub(super) use shake::MicroShake;
pub(super) use verlet::MicroVerlet;

use super::averages::Averages;
use super::error::MicroError;
use super::window::Window;
use crate::method::Evaluations;

/// Follows the fast motion, allocating nothing.
pub(super) trait Micro {
    /// From q at rest in slow time t, at phase θ, with the velocity in `averages`: adds the weighted accelerations and multipliers along
    /// the window to `averages`.
    fn follow(
        &mut self,
        q: &[f64],
        t: f64,
        theta: f64,
        window: &Window,
        averages: &mut Averages,
    ) -> Result<(), MicroError>;

    /// The force M a, written over `force`.
    fn force(&self, acceleration: &[f64], force: &mut [f64]);

    /// What was evaluated since the start.
    fn evaluations(&self) -> Evaluations;
}

/// The sides of a window, as directions of time.
fn sides(window: &Window) -> &'static [f64] {
    if window.half { &[1.0] } else { &[1.0, -1.0] }
}
