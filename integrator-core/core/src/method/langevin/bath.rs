use super::modes::Modes;
use super::noise::StepNoise;
use crate::error::StartError;
use crate::method::contract::Kicked;
use crate::system::Natural;

/// The exact Ornstein–Uhlenbeck flow of the velocities over one step.
#[derive(Debug)]
pub(super) struct Bath {
    modes: Modes,
    /// e^{−γ h/m} for each mode of mass m.
    decay: Vec<f64>,
    /// The standard deviation of the velocity from the bath in a step, √((1 − e^{−2γ h/m})/(β m)).
    spread: Vec<f64>,
    /// The limit of `spread` for a long step, 1/√(β m); empty if the normal part does not matter:
    /// without constraints, or if all modes relax alike.
    thermal: Vec<f64>,
    v: Vec<f64>,
    /// A thermal velocity, and its tangent part.
    whole: Vec<f64>,
    tangent: Vec<f64>,
}

impl Bath {
    pub(super) fn new<S: Natural + ?Sized>(
        system: &S,
        friction: f64,
        inverse_temperature: f64,
        step: f64,
    ) -> Result<Self, StartError> {
        let modes = Modes::of(system)?;
        let masses = modes.masses();
        let relaxed = |mass: &f64| friction * step / mass;
        let decay: Vec<f64> = masses.iter().map(|mass| (-relaxed(mass)).exp()).collect();
        let variance = |mass: &f64| 1.0 / (inverse_temperature * mass);
        let spread = masses.iter().map(|m| (-(-2.0 * relaxed(m)).exp_m1() * variance(m)).sqrt()).collect();
        let lightest = masses.iter().copied().fold(f64::INFINITY, f64::min);
        let alike = masses.iter().all(|mass| *mass <= lightest * (1.0 + 1e-12));
        let constrained = system.holonomic().is_some() && !alike;
        let thermal =
            if constrained { masses.iter().map(|m| variance(m).sqrt()).collect() } else { Vec::new() };
        let (n, normal) = (decay.len(), if constrained { decay.len() } else { 0 });
        let (v, whole, tangent) = (vec![0.0; n], vec![0.0; normal], vec![0.0; normal]);
        Ok(Self { modes, decay, spread, thermal, v, whole, tangent })
    }

    /// Takes the velocities for [`Bath::act`].
    pub(super) fn read(&mut self, v: &[f64]) {
        self.v.copy_from_slice(v);
    }

    pub(super) fn act(&mut self, stepper: &mut dyn Kicked, numbers: &mut StepNoise<'_>) {
        let Self { modes, decay, spread, thermal, v, whole, tangent } = self;
        if !thermal.is_empty() {
            // v ← v + (1 − P) √(1/(β M)) ζ
            for (entry, thermal) in whole.iter_mut().zip(thermal) {
                *entry = *thermal * numbers.next();
            }
            modes.combine(whole);
            tangent.copy_from_slice(whole);
            stepper.make_tangent(tangent);
            for ((v, whole), tangent) in v.iter_mut().zip(whole).zip(tangent) {
                *v += *whole - *tangent;
            }
        }
        modes.resolve(v);
        for ((v, decay), spread) in v.iter_mut().zip(decay).zip(spread) {
            *v = *decay * *v + *spread * numbers.next();
        }
        modes.combine(v);
        stepper.kick(v);
    }
}
