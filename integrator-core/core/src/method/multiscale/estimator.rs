//! Force estimators: the initial values of the fast motion in a window.

use super::phase::reduced_phase;
use crate::error::Begun;
use crate::method::check::{by_default, check_option};
use crate::method::force_error::Attempt;
use crate::method::mass_solver::MassSolver;
use crate::system::Vibrated;
use std::f64::consts::TAU;

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
    /// The mass matrix cannot be factored, an option is out of range.
    fn prepare<'s, S: Vibrated + ?Sized>(
        &self,
        system: &'s S,
    ) -> Begun<impl MicroStart + 's + use<'s, Self, S>>;
}

/// Chooses the initial phase and velocity of the fast motion in a window, allocating nothing.
pub trait MicroStart: Send {
    /// From the slow position q at time t and a predicted slow velocity: returns the phase and writes
    /// the velocity over `velocity`.
    ///
    /// # Errors
    /// The force that enslaves the velocity cannot be computed.
    fn begin(&mut self, q: &[f64], predicted: &[f64], t: f64, velocity: &mut [f64]) -> Attempt<f64>;

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

    fn prepare<'s, S: Vibrated + ?Sized>(&self, _: &'s S) -> Begun<impl MicroStart + use<'s, S>> {
        Ok(AtRest)
    }
}

#[derive(Debug)]
struct AtRest;

impl MicroStart for AtRest {
    fn begin(&mut self, _: &[f64], _: &[f64], _: f64, velocity: &mut [f64]) -> Attempt<f64> {
        velocity.fill(0.0);
        Ok(0.0)
    }
}

/// Algorithm 1 of the paper: the fast motion runs at its true time and phase, from the predicted slow
/// velocity and its ripple.
///
/// The prediction is P̄ = P_{n−½} + (H/2) M⁻¹ F_{n−1}, with the force of the last window.
///
/// The ripple is M⁻¹ ∂s/∂θ, where ∂²s/∂θ² = f₁ and the force is f = ω f₁ + f₀: the antiderivative in θ,
/// of mean zero, of the force at rest at q without its mean, over ω M. The force is evaluated at
/// `samples` phases of one period; the antiderivative belongs to the trigonometric polynomial through
/// them: exact for harmonics below half their number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Synchronous {
    /// The number of phases for the ripple, at least 4.
    pub samples: u32,
}

by_default!(Synchronous { samples: 32 });

impl Estimator for Synchronous {
    const NAME: &'static str = "hmm-synchronous";
    const FORCE_OF_POSITION: bool = false;

    fn prepare<'s, S: Vibrated + ?Sized>(&self, system: &'s S) -> Begun<impl MicroStart + use<'s, S>> {
        let samples = ("samples", f64::from(self.samples), "[4, 1048576]");
        check_option(Self::NAME, (4..=1 << 20).contains(&self.samples), samples)?;
        let samples = self.samples as usize;
        let highest = (samples - 1) / 2;
        let turns: Vec<f64> = (0..samples).map(|k| TAU * k as f64 / samples as f64).collect();
        // Σ_m f̂_m/(i m) at the phase of the first sample, by the other samples.
        let weight = |k: usize| {
            let waves = (1..=highest).map(|m| turns[(m * k) % samples].sin() / m as f64);
            -2.0 / samples as f64 * waves.sum::<f64>()
        };
        Ok(AtPhase {
            weights: (0..samples).map(weight).collect(),
            turns,
            mass: MassSolver::new(system, system.mass())?,
            gradient: vec![0.0; system.dimension()],
            system,
        })
    }
}

#[derive(Debug)]
struct AtPhase<'s, S: ?Sized> {
    system: &'s S,
    turns: Vec<f64>,
    weights: Vec<f64>,
    mass: MassSolver,
    gradient: Vec<f64>,
}

impl<S: Vibrated + ?Sized> MicroStart for AtPhase<'_, S> {
    fn begin(&mut self, q: &[f64], predicted: &[f64], t: f64, velocity: &mut [f64]) -> Attempt<f64> {
        let frequency = self.system.frequency();
        let theta = reduced_phase(frequency, t, self.system.initial_phase());
        velocity.fill(0.0);
        for (turn, weight) in self.turns.iter().zip(&self.weights) {
            self.system.gradient_at_phase(q, t, theta + turn, &mut self.gradient);
            for (entry, slope) in velocity.iter_mut().zip(&self.gradient) {
                *entry -= weight * slope;
            }
        }
        self.mass.apply(velocity)?;
        for (entry, slow) in velocity.iter_mut().zip(predicted) {
            *entry = *entry / frequency + slow;
        }
        Ok(theta)
    }

    fn evaluations(&self) -> u64 {
        self.turns.len() as u64
    }
}
