//! Force estimators: the initial values of the fast motion in a window.

use super::enslaving::{EnslavedVelocity, Enslaving, FromForce};
use super::phase::reduced_phase;
use crate::error::StartError;
use crate::method::force_error::ForceError;
use crate::system::Vibrated;

/// A rule for the initial phase and velocity of the fast motion in a window: [`Asynchronous`] or
/// [`Synchronous`].
pub trait Estimator: std::fmt::Debug {
    /// The name of the method in the command line and in messages.
    const NAME: &'static str;

    /// True if the averaged force is a function of the slow position (and time) alone.
    /// The fast motion then starts at rest at phase zero; it is even about the centre of the window if
    /// the force is even in the phase.
    const FORCE_OF_POSITION: bool;

    /// The rule for this system, with its memory.
    ///
    /// # Errors
    /// The errors of a formula for the fast velocity.
    fn prepare<'s, S: Vibrated + ?Sized>(
        &self,
        system: &'s S,
    ) -> Result<impl MicroStart + 's + use<'s, Self, S>, StartError>;
}

/// Chooses the initial phase and velocity of the fast motion in a window, allocating nothing.
pub trait MicroStart: Send {
    /// From the slow position q at time t and a predicted slow velocity: returns the phase and writes
    /// the velocity over `velocity`.
    ///
    /// # Errors
    /// The force that enslaves the velocity cannot be computed.
    fn begin(
        &mut self,
        q: &[f64],
        predicted: &[f64],
        t: f64,
        velocity: &mut [f64],
    ) -> Result<f64, ForceError>;

    /// The number of force evaluations in a start.
    fn evaluations(&self) -> u64 {
        0
    }
}

/// Algorithm 2 of the paper: the fast motion starts at rest at phase zero, at any time and velocity.
///
/// The averaged force is then a function of the slow position; if the force is even in the phase, half
/// of each window suffices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Asynchronous;

impl Estimator for Asynchronous {
    const NAME: &'static str = "hmm-asynchronous";
    const FORCE_OF_POSITION: bool = true;

    fn prepare<'s, S: Vibrated + ?Sized>(
        &self,
        _: &'s S,
    ) -> Result<impl MicroStart + use<'s, S>, StartError> {
        Ok(AtRest)
    }
}

#[derive(Debug)]
struct AtRest;

impl MicroStart for AtRest {
    fn begin(&mut self, _: &[f64], _: &[f64], _: f64, velocity: &mut [f64]) -> Result<f64, ForceError> {
        velocity.fill(0.0);
        Ok(0.0)
    }
}

/// Algorithm 1 of the paper: the fast motion runs at its true time and phase, from the predicted slow
/// velocity and its ripple.
///
/// The prediction is P̄ = P_{n−½} + (H/2) M⁻¹ F_{n−1}, with the force of the last window.
///
/// # Example
/// The ripple can be a function of (q, t, θ) that writes M⁻¹ ∂s/∂θ over its last argument. For a
/// pendulum whose pivot moves with the velocity v sin θ, seen from the pivot:
/// ```
/// use least_action::method::multiscale::Synchronous;
///
/// let (speed, rod) = (4.0, 0.2);
/// let estimator = Synchronous::with(move |q: &[f64], _t: f64, theta: f64, velocity: &mut [f64]| {
///     velocity[0] = speed * theta.sin() * q[0].sin() / rod;
/// });
/// # let _ = estimator;
/// ```
#[derive(Clone, Copy, PartialEq, Default)]
pub struct Synchronous<E = FromForce> {
    /// The ripple of the velocity: by default from the force, or a function.
    pub enslaving: E,
}

impl<E> Synchronous<E> {
    /// With this formula for the ripple of the velocity.
    pub const fn with(enslaving: E) -> Self {
        Self { enslaving }
    }
}

impl<E: Enslaving> std::fmt::Debug for Synchronous<E> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Synchronous { enslaving: ")?;
        self.enslaving.tell(formatter)?;
        formatter.write_str(" }")
    }
}

impl<E: Enslaving> Estimator for Synchronous<E> {
    const NAME: &'static str = "hmm-synchronous";
    const FORCE_OF_POSITION: bool = false;

    fn prepare<'s, S: Vibrated + ?Sized>(
        &self,
        system: &'s S,
    ) -> Result<impl MicroStart + 's + use<'s, S, E>, StartError> {
        Ok(AtPhase { system, enslaved: self.enslaving.prepare(system)? })
    }
}

#[derive(Debug)]
struct AtPhase<'s, S: ?Sized, V> {
    system: &'s S,
    enslaved: V,
}

impl<S: Vibrated + ?Sized, V: EnslavedVelocity> MicroStart for AtPhase<'_, S, V> {
    fn begin(
        &mut self,
        q: &[f64],
        predicted: &[f64],
        t: f64,
        velocity: &mut [f64],
    ) -> Result<f64, ForceError> {
        let theta = reduced_phase(self.system.frequency(), t, self.system.initial_phase());
        self.enslaved.ripple(q, t, theta, velocity)?;
        for (entry, slow) in velocity.iter_mut().zip(predicted) {
            *entry += slow;
        }
        Ok(theta)
    }

    fn evaluations(&self) -> u64 {
        self.enslaved.evaluations()
    }
}
