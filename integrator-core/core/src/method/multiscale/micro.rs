//! Micro-solvers: the true motion through one window.

mod nystrom;
mod shake;
mod verlet;

pub use nystrom::Nystrom;
pub(super) use shake::MicroShake;

use super::error::MicroError;
use super::window::Window;
use crate::carried::{Carried, carried};
use crate::error::Begun;
use crate::method::averages::Averages;
use crate::method::force_error::Attempt;
use crate::method::mass_solver::MassSolver;
use crate::method::report::Evaluations;
use crate::system::Vibrated;

/// An integrator of the fast motion without constraints: [`Verlet`](crate::method::Verlet) as in the
/// paper, or [`Nystrom`].
pub trait MicroSolver: std::fmt::Debug {
    /// The order of the averaged force in the reciprocal number of micro-steps in a period.
    const ORDER: u32;

    /// Prepares to follow the motion of this system.
    ///
    /// # Errors
    /// The mass matrix has no factors.
    fn prepare<'s, S: Vibrated + ?Sized>(&self, system: &'s S) -> Begun<Box<dyn Micro + 's>>;
}

/// Follows the fast motion, allocating nothing.
pub trait Micro: Carried + Send {
    /// Follows the motion from q at the `instant` of fixed slow time t and phase θ, with the velocity in
    /// `averages`. Adds the weighted accelerations and multipliers on these sides of the window to
    /// `averages`, and at its centre each side's share.
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

/// The acceleration of a system without constraints, and the number of its evaluations.
struct Accelerations<'s, S: ?Sized> {
    system: &'s S,
    mass: MassSolver,
    evaluations: Evaluations,
}

impl<'s, S: Vibrated + ?Sized> Accelerations<'s, S> {
    fn new(system: &'s S) -> Begun<Self> {
        let mass = MassSolver::new(system, system.mass())?;
        Ok(Self { system, mass, evaluations: Evaluations::default() })
    }

    /// Writes M⁻¹ f at slow time t and phase θ over `a`.
    #[inline]
    fn at(&mut self, q: &[f64], (t, theta): (f64, f64), a: &mut [f64]) -> Attempt {
        self.evaluations.gradients += 1;
        self.system.gradient_at_phase(q, t, theta, a);
        a.iter_mut().for_each(|entry| *entry = -*entry);
        self.mass.apply(a)
    }
}

carried!([S: ?Sized] Accelerations<'_, S> { evaluations } besides { system, mass });
