//! The ripple of the velocity in a slow motion.

use crate::error::StartError;
use crate::method::force_error::ForceError;
use crate::method::mass_solver::MassSolver;
use crate::system::Vibrated;
use std::f64::consts::TAU;
use std::fmt;

/// A rule for the fast part of the velocity at a slow position: v = V + M⁻¹ ∂s/∂θ, where ∂²s/∂θ² = f₁
/// and the force is f = ω f₁ + f₀.
///
/// Either [`FromForce`], or any function of (q, t, θ) that writes M⁻¹ ∂s/∂θ over its last argument; see
/// [`Synchronous`](super::Synchronous).
pub trait Enslaving {
    /// The formula for a system, with its memory.
    ///
    /// # Errors
    /// The mass matrix cannot be factored, an option is out of range.
    fn prepare<'s, S: Vibrated + ?Sized>(
        &self,
        system: &'s S,
    ) -> Result<impl EnslavedVelocity + 's + use<'s, Self, S>, StartError>;

    /// Writes the rule with its options, as `Debug` does; a function has none.
    ///
    /// # Errors
    /// The errors of the formatter.
    fn tell(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a function")
    }
}

/// A formula for the ripple of the velocity, evaluated without allocating.
pub trait EnslavedVelocity: Send {
    /// Writes M⁻¹ ∂s/∂θ at the slow position q, time t and phase θ over `velocity`; n entries.
    ///
    /// # Errors
    /// The mass matrix is singular to working precision.
    fn ripple(&mut self, q: &[f64], t: f64, theta: f64, velocity: &mut [f64]) -> Result<(), ForceError>;

    /// The evaluations of the force in one call.
    fn evaluations(&self) -> u64 {
        0
    }
}

/// The formula from the force, for any model: M⁻¹ ∂s/∂θ is the antiderivative in θ, of mean zero, of the
/// force at rest at q without its mean, over ω M.
///
/// The force is evaluated at `samples` phases of one period; the antiderivative belongs to the
/// trigonometric polynomial through them: exact for harmonics below half their number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FromForce {
    /// The number of phases, at least 4.
    pub samples: u32,
}

impl Default for FromForce {
    fn default() -> Self {
        Self { samples: 32 }
    }
}

impl Enslaving for FromForce {
    fn prepare<'s, S: Vibrated + ?Sized>(
        &self,
        system: &'s S,
    ) -> Result<impl EnslavedVelocity + use<'s, S>, StartError> {
        if !(4..=1 << 20).contains(&self.samples) {
            return Err(StartError::OptionOutOfRange {
                method: "hmm-synchronous",
                option: "samples",
                value: f64::from(self.samples),
                interval: "[4, 1048576]",
            });
        }
        let samples = self.samples as usize;
        let highest = (samples - 1) / 2;
        let turns: Vec<f64> = (0..samples).map(|k| TAU * k as f64 / samples as f64).collect();
        // Σ_m f̂_m/(i m) at the phase of the first sample, by the other samples.
        let weight = |k: usize| {
            let waves = (1..=highest).map(|m| turns[(m * k) % samples].sin() / m as f64);
            -2.0 / samples as f64 * waves.sum::<f64>()
        };
        Ok(FromForceVelocity {
            weights: (0..samples).map(weight).collect(),
            turns,
            mass: MassSolver::new(system, system.mass())?,
            gradient: vec![0.0; system.dimension()],
            system,
        })
    }

    fn tell(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, formatter)
    }
}

#[derive(Debug)]
struct FromForceVelocity<'s, S: ?Sized> {
    system: &'s S,
    turns: Vec<f64>,
    weights: Vec<f64>,
    mass: MassSolver,
    gradient: Vec<f64>,
}

impl<S: Vibrated + ?Sized> EnslavedVelocity for FromForceVelocity<'_, S> {
    fn ripple(&mut self, q: &[f64], t: f64, theta: f64, velocity: &mut [f64]) -> Result<(), ForceError> {
        velocity.fill(0.0);
        let frequency = self.system.frequency();
        for (turn, weight) in self.turns.iter().zip(&self.weights) {
            self.system.gradient_at_phase(q, t, theta + turn, &mut self.gradient);
            for (entry, slope) in velocity.iter_mut().zip(&self.gradient) {
                *entry -= weight * slope;
            }
        }
        self.mass.apply(velocity)?;
        velocity.iter_mut().for_each(|entry| *entry /= frequency);
        Ok(())
    }

    fn evaluations(&self) -> u64 {
        self.turns.len() as u64
    }
}

/// A formula of the user.
impl<F: Fn(&[f64], f64, f64, &mut [f64]) + Clone + Send + 'static> Enslaving for F {
    fn prepare<'s, S: Vibrated + ?Sized>(
        &self,
        _: &'s S,
    ) -> Result<impl EnslavedVelocity + use<'s, S, F>, StartError> {
        Ok(FormulaVelocity(self.clone()))
    }
}

#[derive(Debug)]
struct FormulaVelocity<F>(F);

impl<F: Fn(&[f64], f64, f64, &mut [f64]) + Send> EnslavedVelocity for FormulaVelocity<F> {
    fn ripple(&mut self, q: &[f64], t: f64, theta: f64, velocity: &mut [f64]) -> Result<(), ForceError> {
        (self.0)(q, t, theta, velocity);
        Ok(())
    }
}
