//! Micro-solvers: the true motion through one window.

mod nystrom;
mod shake;
mod verlet;

pub use nystrom::Nystrom;
pub(super) use shake::MicroShake;

use super::averages::Averages;
use super::error::MicroError;
use super::window::Window;
use crate::error::StartError;
use crate::method::mass_solver::MassSolver;
use crate::method::{Evaluations, ForceError};
use crate::system::Vibrated;

/// What follows the fast motion of a system without constraints: [`Verlet`](crate::method::Verlet) as in the paper, or [`Nystrom`].
pub trait MicroSolver {
    /// The error of the averaged force falls with this power of the micro-steps in a period.
    const ORDER: u32;

    /// Prepares to follow the motion of this system.
    ///
    /// # Errors
    /// The mass matrix cannot be solved with.
    fn prepare<'s, S: Vibrated + ?Sized>(&self, system: &'s S) -> Result<Box<dyn Micro + 's>, StartError>;
}

/// Follows the fast motion, allocating nothing.
pub trait Micro: std::fmt::Debug {
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

/// The directions of time in which a window is followed.
fn sides(window: &Window) -> &'static [f64] {
    if window.half { &[1.0] } else { &[1.0, -1.0] }
}

/// M⁻¹ f at the phase, written over `a`.
fn acceleration<S: Vibrated + ?Sized>(
    system: &S,
    mass: &mut MassSolver,
    q: &[f64],
    t: f64,
    theta: f64,
    a: &mut [f64],
) -> Result<(), ForceError> {
    system.gradient_at_phase(q, t, theta, a);
    a.iter_mut().for_each(|entry| *entry = -*entry);
    mass.apply(a)
}
