use super::modes::Modes;
use super::noise::Noise;
use crate::error::Begun;
use crate::method::contract::Kicked;
use crate::system::Natural;

/// The exact Ornstein–Uhlenbeck flow of the velocities over one step.
#[derive(Debug)]
pub(super) struct Bath {
    modes: Modes,
    friction: f64,
    inverse_temperature: f64,
    /// e^{−γ h/m} for each mode of mass m.
    decay: Vec<f64>,
    /// The standard deviation of the velocity from the bath in a step, √((1 − e^{−2γ h/m})/(β m)).
    spread: Vec<f64>,
    /// The limit of `spread` for a long step, 1/√(β m); empty if the normal part does not matter:
    /// without constraints, or if all modes relax alike.
    thermal: Vec<f64>,
    v: Vec<f64>,
    /// Standard normal numbers.
    random: Vec<f64>,
    /// A thermal velocity, and its normal part.
    whole: Vec<f64>,
    normal: Vec<f64>,
}

impl Bath {
    /// For steps of a [length](Self::resize) to be told. Masses that move keep the normal part also
    /// where all modes relax alike.
    pub(super) fn new<S: Natural + ?Sized>(
        system: &S,
        friction: f64,
        inverse_temperature: f64,
        masses_move: bool,
    ) -> Begun<Self> {
        let modes = Modes::of(system)?;
        let masses = modes.masses();
        let variance = |mass: &f64| 1.0 / (inverse_temperature * mass);
        let lightest = masses.iter().copied().fold(f64::INFINITY, f64::min);
        let alike = masses.iter().all(|mass| *mass <= lightest * (1.0 + 1e-12));
        let constrained = system.holonomic().is_some() && (masses_move || !alike);
        let thermal =
            if constrained { masses.iter().map(|m| variance(m).sqrt()).collect() } else { Vec::new() };
        let [decay, spread, v, random] = [(); 4].map(|()| vec![0.0; masses.len()]);
        let [whole, normal] = [(); 2].map(|()| vec![0.0; thermal.len()]);
        Ok(Self { modes, friction, inverse_temperature, decay, spread, thermal, v, random, whole, normal })
    }

    /// Takes the length of a step.
    pub(super) fn resize(&mut self, step: f64) {
        let Self { modes, friction, inverse_temperature, decay, spread, .. } = self;
        for ((decay, spread), mass) in decay.iter_mut().zip(spread).zip(modes.masses()) {
            let relaxed = *friction * step / mass;
            *decay = (-relaxed).exp();
            *spread = (-(-2.0 * relaxed).exp_m1() * (1.0 / (*inverse_temperature * mass))).sqrt();
        }
    }

    /// The velocity that the bath gave last, before it was made tangent, with a thermal velocity and its
    /// normal part, if that matters.
    pub(super) fn trace(&self) -> impl Iterator<Item = &[f64]> {
        [&self.v, &self.whole, &self.normal].into_iter().map(Vec::as_slice)
    }

    /// True if the mass couples coordinates.
    pub(super) fn is_coupled(&self) -> bool {
        self.modes.are_coupled()
    }

    /// True if the bath needs the normal part of a thermal velocity.
    pub(super) fn has_normal_part(&self) -> bool {
        !self.thermal.is_empty()
    }

    /// v ← C v.
    pub(super) fn decay(&mut self, v: &mut [f64]) {
        self.modes.resolve(v);
        v.iter_mut().zip(&self.decay).for_each(|(v, decay)| *v *= decay);
        self.modes.combine(v);
    }

    /// Writes the derivatives by the mass m of each coordinate: of y = C y₀ + S ξ at fixed y₀, and of a
    /// thermal velocity w. Only for a diagonal mass.
    pub(super) fn slopes(
        &self,
        step: f64,
        y0: &[f64],
        (y, of_y): (&[f64], &mut [f64]),
        (w, of_w): (&[f64], &mut [f64]),
    ) {
        let masses = self.modes.masses();
        for ((((of_y, y0), y), c), mass) in of_y.iter_mut().zip(y0).zip(y).zip(&self.decay).zip(masses) {
            // With r = γ h/m: m ∂c/∂m = r c, and m ∂s/∂m = −(½ + r/(e²ʳ − 1)) s.
            let relaxed = self.friction * step / mass;
            let of_spread = 0.5 + relaxed / (2.0 * relaxed).exp_m1();
            *of_y = (relaxed * c * y0 - of_spread * (y - c * y0)) / mass;
        }
        of_w.iter_mut().zip(w).zip(masses).for_each(|((of_w, w), mass)| *of_w = -0.5 * w / mass);
    }

    /// Takes the velocities for [`Bath::act`].
    pub(super) fn read(&mut self, v: &[f64]) {
        self.v.copy_from_slice(v);
    }

    pub(super) fn act(&mut self, stepper: &mut dyn Kicked, numbers: &mut Noise) {
        let Self { modes, decay, spread, thermal, v, random, whole, normal, .. } = self;
        // First, so that a run has them also without the normal part.
        random.iter_mut().for_each(|random| *random = numbers.number());
        if !thermal.is_empty() {
            // v ← v + (1 − P) √(1/(β M)) ζ
            for (entry, thermal) in whole.iter_mut().zip(thermal) {
                *entry = *thermal * numbers.number();
            }
            modes.combine(whole);
            normal.copy_from_slice(whole);
            stepper.make_tangent(normal);
            for ((v, whole), normal) in v.iter_mut().zip(whole).zip(normal) {
                *normal = *whole - *normal;
                *v += *normal;
            }
        }
        modes.resolve(v);
        for (((v, decay), spread), random) in v.iter_mut().zip(decay).zip(spread).zip(random) {
            *v = *decay * *v + *spread * *random;
        }
        modes.combine(v);
        stepper.kick(v);
    }
}
