//! Geometric Langevin integration: a thermostat around any one-step method.
//!
//! # Scheme
//! The Langevin equation of friction γ and inverse temperature β = 1/(k T),
//! M q̈ = −∇V + Gᵀ λ − γ q̇ + √(2γ/β) Ẇ,
//! is split into one step of the method and the exact Ornstein–Uhlenbeck flow of p = M v over the step
//! h,
//! p ← e^{−γ h M⁻¹} p + √((1 − e^{−2γ h M⁻¹}) M/β) ξ, where ξ has independent standard normal entries.
//! A diagonal mass gives e^{−γ h/m} p + √((m/β)(1 − e^{−2γ h/m})) ξ in each coordinate: heavy degrees of
//! freedom relax more slowly. Degrees of freedom that the mass couples (at most 64 together) are treated
//! in its eigenvectors.
//!
//! Under constraints the flow acts on the unconstrained momentum; the result is projected onto G M⁻¹ p =
//! 0 in the metric of M⁻¹. Where the relaxation rates γ/m differ, this alone would cool the system by
//! O(γ h). So the momentum first gets the normal part of an unconstrained system, p ← p + (1 − P) √(M/β)
//! ζ, where P is the projection. With p in the constrained Gibbs distribution N(0, P M/β) the sum is in
//! N(0, M/β), which the flow preserves and the projection maps back: exact for every mass, γ and h.
//!
//! With γ = 0 each step equals a step of the method, bit for bit.
//!
//! # Requirements on the model
//! A constant mass ([`Natural`]), and a method whose velocities can be replaced between steps
//! ([`Stepper::kicked`]): velocity Verlet, Z&S, Z&Ss, SHAKE, RATTLE. SHAKE repeats its position stage in
//! each step, since it has computed it ahead with the old velocity; RATTLE does not.
//!
//! # Order and invariants
//! Weak order 1 in finite time. The Gibbs measure exp(−β H) of positions and velocities is accurate to
//! the order of the method, 2 for all of the above: the flow preserves it, and a step distorts it as
//! much as the energy. The random numbers of a step are a function of the seed, the step h, and the
//! number t/h of whole steps on the axis of time: they do not depend on the number of threads, and a run
//! from a state and time of another continues its random numbers without repeating any.
//!
//! # Parameters
//! `friction` γ in [0, ∞), default 0.01, a force per velocity; `inverse_temperature` β in (0, ∞),
//! default 1, one over an energy; `seed`, any number of 64 bits, default 0.
//!
//! # Reference
//! N. Bou-Rabee, H. Owhadi, Long-run accuracy of variational integrators in the stochastic context, SIAM
//! J. Numer. Anal. 48 (2010) 278, doi:10.1137/090758842;
//! M. Tao, H. Owhadi, Variational and linearly-implicit integrators, with applications, IMA J. Numer.
//! Anal. (2014), section 4.3; it does not print the projection and the normal part.

mod bath;
mod derivative;
mod modes;
pub(crate) mod noise;

use super::contract::{Claims, Derivatives, Kicked, Method, Stepper};
use super::event::{Event, Passed};
use super::instability::Instability;
use super::report::Report;
use crate::carried::carried;
use crate::error::{Begun, StartError, StepError};
use crate::forward::forward;
use crate::method::check::check_option;
use crate::system::{HeldAngles, Natural, State};
use bath::Bath;
use noise::Noise;

/// A thermostat around a method; see the [scheme](self).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Langevin<M> {
    /// The method of the deterministic step.
    pub method: M,
    /// γ in the force −γ q̇, at least 0.
    pub friction: f64,
    /// β = 1/(k T), above 0.
    pub inverse_temperature: f64,
    /// Selects the random numbers, together with the times and the length of the steps.
    pub seed: u64,
}

impl<M> Langevin<M> {
    /// The thermostat around `method` with γ = 0.01, β = 1 and the seed 0.
    pub fn around(method: M) -> Self {
        Self { method, friction: 0.01, inverse_temperature: 1.0, seed: 0 }
    }
}

impl<M: Claims> Langevin<M> {
    /// Checks the options.
    fn check(&self) -> Begun {
        let Self { friction, inverse_temperature: inverse, .. } = *self;
        check_option(Self::NAME, friction >= 0.0 && friction.is_finite(), ("friction", friction, "[0, ∞)"))?;
        let is_positive = inverse > 0.0 && inverse.is_finite();
        check_option(Self::NAME, is_positive, ("inverse_temperature", inverse, "(0, ∞)"))
    }

    /// The bath for steps of this length; `None` without friction.
    fn bath<S: Natural + ?Sized>(&self, system: &S, step: f64, masses_move: bool) -> Begun<Option<Bath>> {
        if self.friction == 0.0 {
            return Ok(None);
        }
        let mut bath = Bath::new(system, self.friction, self.inverse_temperature, masses_move)?;
        bath.resize(step);
        Ok(Some(bath))
    }
}

impl<M: Claims> Claims for Langevin<M> {
    const NAME: &'static str = "langevin";
    /// In the weak sense; with γ = 0 the order of the method.
    const ORDER: u32 = 1;
    const SYMPLECTIC: Option<bool> = None;
    const REVERSIBLE: Option<bool> = None;
    const MOMENTUM: Option<bool> = None;
    const DIFFERENTIABLE: Derivatives = M::DIFFERENTIABLE;

    forward! { method: beside_state() -> Option<&'static str>; }
}

impl<S: Natural + ?Sized, M: Method<S>> Method<S> for Langevin<M> {
    fn start<'s>(&self, system: &'s S, state: State, step: f64) -> Begun<impl Stepper + 's + use<'s, S, M>> {
        self.check()?;
        let time = state.t;
        let mut base = self.method.start(system, state, step)?;
        if base.kicked().is_none() {
            return Err(StartError::VelocitiesFixed { method: M::NAME });
        }
        let bath = self.bath(system, step, false)?;
        Ok(LangevinStepper { system, base, bath, noise: Noise::new(self.seed, time, step), heat: 0.0 })
    }

    forward! { method: instability(system: &S, state: &State, step: f64) -> Option<Instability>; }
}

/// A run of [`Langevin`]: acts between the steps of a run of any method, without a flow of its own.
struct LangevinStepper<'s, S: ?Sized, B> {
    system: &'s S,
    base: B,
    /// `None` without friction.
    bath: Option<Bath>,
    noise: Noise,
    /// The kinetic energy from the bath.
    heat: f64,
}

impl<S: Natural + ?Sized, B: Stepper> Stepper for LangevinStepper<'_, S, B> {
    fn step(&mut self) -> Result<(), StepError> {
        self.base.step()?;
        // A run ends with the state of its event.
        if let Some(bath) = self.bath.as_mut().filter(|_| !self.base.has_ended()) {
            let numbers = self.noise.of_step(self.base.steps());
            let mass = self.system.mass();
            bath.read(&self.base.state().v);
            self.heat -= 0.5 * mass.quadratic(&self.base.state().v);
            if let Some(kicked) = self.base.kicked() {
                bath.act(kicked, numbers);
            }
            self.heat += 0.5 * mass.quadratic(&self.base.state().v);
        }
        Ok(())
    }

    forward! { base:
        state() -> &State;
        steps() -> u64;
        multipliers() -> Option<&[f64]>;
        hold_angles() -> Option<HeldAngles>;
        moment_names() -> &[String];
        passed() -> &[Passed];
        has_ended() -> bool;
    }

    fn report(&self) -> Report<'_> {
        Report { heat: self.bath.is_some().then_some(self.heat), ..self.base.report() }
    }

    forward! { mut base:
        kicked() -> Option<&mut dyn Kicked>;
        look_for(event: Event) -> Result<(), StartError>;
    }
}

crate::shown::shown!([S: ?Sized, B: std::fmt::Debug] LangevinStepper<'_, S, B>, |own| "LangevinStepper" {
    base: own.base
});

carried!([S: ?Sized, B: Stepper] LangevinStepper<'_, S, B> { base, heat } besides { system, bath, noise });
