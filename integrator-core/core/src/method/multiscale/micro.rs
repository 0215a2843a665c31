//! Micro-solvers: the true motion through one window.

mod nystrom;
mod shake;
mod verlet;

pub use nystrom::Nystrom;
pub(super) use shake::MicroShake;

use super::error::MicroError;
use super::window::Window;
use crate::carried::{Carried, carried};
use crate::error::StartError;
use crate::method::averages::Averages;
use crate::method::force_error::ForceError;
use crate::method::mass_solver::MassSolver;
use crate::method::report::Evaluations;
use crate::system::Vibrated;

/// An integrator of the fast motion of a system without constraints: [`Verlet`](crate::method::Verlet) as in the paper, or [`Nystrom`].
pub trait MicroSolver: std::fmt::Debug {
    /// The error of the averaged force falls with this power of the micro-steps in a period.
    const ORDER: u32;

    /// Prepares to follow the motion of this system.
    ///
    /// # Errors
    /// The mass matrix cannot be solved with.
    fn prepare<'s, S: Vibrated + ?Sized>(&self, system: &'s S) -> Result<Box<dyn Micro + 's>, StartError>;
}

/// Follows the fast motion, allocating nothing.
pub trait Micro: Carried + Send {
    /// From q at the `instant` of slow time t, which stands still, and phase θ, with the velocity in `averages`: adds the weighted accelerations and multipliers on these
    /// sides of the window to `averages`, and of those at its centre the share of each side.
    fn follow(
        &mut self,
        q: &[f64],
        instant: (f64, f64),
        window: &Window,
        sides: &[f64],
        averages: &mut Averages,
    ) -> Result<(), MicroError>;

    /// The number of evaluations since the start.
    fn evaluations(&self) -> Evaluations;
}

/// The acceleration of a system without constraints, and how often it was asked for.
struct Accelerations<'s, S: ?Sized> {
    system: &'s S,
    mass: MassSolver,
    evaluations: Evaluations,
}

impl<'s, S: Vibrated + ?Sized> Accelerations<'s, S> {
    fn new(system: &'s S) -> Result<Self, StartError> {
        let mass = MassSolver::new(system, system.mass())?;
        Ok(Self { system, mass, evaluations: Evaluations::default() })
    }

    /// M⁻¹ f in slow time t at phase θ, written over `a`.
    #[inline]
    fn at(&mut self, q: &[f64], (t, theta): (f64, f64), a: &mut [f64]) -> Result<(), ForceError> {
        self.evaluations.gradients += 1;
        self.system.gradient_at_phase(q, t, theta, a);
        a.iter_mut().for_each(|entry| *entry = -*entry);
        self.mass.apply(a)
    }
}

carried!([S: ?Sized] Accelerations<'_, S> { evaluations } besides { system, mass });
