//! The flow of velocity Verlet, of the Zhang–Skeel integrators and of push-forward Newmark: one evaluation of a force per step,
//! used at both of its ends.
//!
//! x₁ = x₀ + h v₀ + ½ h² f₀,  v₁ = v₀ + ½ h (f₀ + f₁),  where f = f(x, t) is the acceleration that the method derives from V
//! and from forces of the position.
//!
//! Velocity Verlet takes forces that depend on velocities, too: see [`half_kick`](super::half_kick).

use super::applied::{Instant, check_of_position, takes_inputs};
use super::flow::{Flow, Substep};
use super::force::{Force, Started, first_force};
use super::force_error::{ForceError, check_finite};
use super::half_kick::HalfKick;
use super::report::{Evaluations, Report};
use super::running::Running;
use crate::binding::threads::each_entry;
use crate::carried::carried;
use crate::error::{StartError, StepError};
use crate::system::{State, System};

/// The flow of velocity Verlet, a Zhang–Skeel integrator or push-forward Newmark.
pub(super) struct KickDriftKick<'s, F> {
    force: F,
    /// The kicks by forces that depend on velocities, where there are any.
    half_kick: Option<Box<HalfKick<'s>>>,
    /// f₀ and f₁.
    acceleration: Vec<f64>,
    next_acceleration: Vec<f64>,
    /// True if `acceleration` belongs to another state, to another size of the step, or to the end of the step before, whose averages of
    /// inputs are others.
    stale: bool,
    /// True if the force has inputs.
    takes_inputs: bool,
    counts: Evaluations,
}

impl<'s, F: Force> KickDriftKick<'s, F> {
    /// For a method that takes forces of the position alone.
    pub(super) fn start(
        system: &(impl System + ?Sized),
        state: State,
        step: f64,
        force: impl FnOnce() -> Result<F, StartError>,
    ) -> Result<Running<Self>, StartError> {
        check_of_position(system, F::METHOD)?;
        Self::start_with(|_| Ok(None), system, state, step, force)
    }

    /// The same with kicks by forces that depend on velocities, made when the state has been checked.
    pub(super) fn start_with(
        half_kick: impl FnOnce(&State) -> Result<Option<Box<HalfKick<'s>>>, StartError>,
        system: &(impl System + ?Sized),
        state: State,
        step: f64,
        force: impl FnOnce() -> Result<F, StartError>,
    ) -> Result<Running<Self>, StartError> {
        let Started { force, acceleration, counts } = first_force(system, &state, step, force)?;
        let half_kick = half_kick(&state)?;
        let next_acceleration = acceleration.clone();
        // Those of kicks are none of the force.
        let takes_inputs = half_kick.is_none() && takes_inputs(system);
        let flow =
            Self { force, half_kick, acceleration, next_acceleration, stale: false, takes_inputs, counts };
        Ok(Running::new(flow, state, step).within(F::METHOD, system.signals()))
    }

    /// u, written over the velocities of `next`, and q₁ = q₀ + h u.
    fn drift_between(&mut self, state: &State, h: f64, next: &mut State) -> Result<(), ForceError> {
        let Some(half_kick) = &mut self.half_kick else { return Ok(()) };
        each_entry(&mut next.v, [&state.v, &self.acceleration], &|u, [v, f]| *u = v + 0.5 * h * f);
        let at = Instant::beginning(state.t, h);
        half_kick.implicit((&state.q, at), 0.5 * h, &mut next.v, &mut self.counts)?;
        each_entry(&mut next.q, [&state.q, &next.v], &|next, [q, u]| *next = q + h * u);
        Ok(())
    }

    /// v₁ from u, with f₁ known.
    fn kick_again(&mut self, h: f64, next: &mut State) -> Result<(), ForceError> {
        let Some(half_kick) = &mut self.half_kick else { return Ok(()) };
        let applied = half_kick.explicit((&next.q, &next.v, Instant::end(next.t, h)))?;
        let known = [&self.next_acceleration, applied];
        each_entry(&mut next.v, known, &|v, [f, applied]| *v += 0.5 * h * (f + applied));
        Ok(())
    }

    fn attempt(&mut self, state: &State, h: f64, next: &mut State) -> Result<(), ForceError> {
        self.stale |= self.force.resize(h) || self.takes_inputs;
        if self.stale {
            let at = Instant::beginning(state.t, h);
            self.force.evaluate(&state.q, at, &mut self.next_acceleration, &mut self.counts)?;
            check_finite(&self.next_acceleration)?;
            std::mem::swap(&mut self.acceleration, &mut self.next_acceleration);
            self.stale = false;
        }
        if self.half_kick.is_some() {
            self.drift_between(state, h, next)?;
        } else {
            // x₁ = x₀ + h v₀ + ½ h² f₀
            let known = [&state.q[..], &state.v, &self.acceleration];
            each_entry(&mut next.q, known, &|next, [x, v, f]| *next = x + h * v + 0.5 * h * h * f);
        }
        check_finite(&next.q)?;
        // f₁ = f(x₁)
        let at = Instant::end(next.t, h);
        self.force.evaluate(&next.q, at, &mut self.next_acceleration, &mut self.counts)?;
        if self.half_kick.is_some() {
            self.kick_again(h, next)?;
        } else {
            // v₁ = v₀ + ½ h (f₀ + f₁)
            let known = [&state.v[..], &self.acceleration, &self.next_acceleration];
            each_entry(&mut next.v, known, &|next, [v, f, next_f]| *next = v + 0.5 * h * (f + next_f));
        }
        check_finite(&next.v)?;
        // Everything is finite: the step counts.
        std::mem::swap(&mut self.acceleration, &mut self.next_acceleration);
        Ok(())
    }
}

/// The force depends on the position alone, so that a kick changes nothing but the state.
impl<F: Force> Flow for KickDriftKick<'_, F> {
    const TAKES_KICKS: bool = true;

    fn advance(&mut self, state: &State, substep: &Substep, next: &mut State) -> Result<(), StepError> {
        self.attempt(state, substep.size, next)
            .map_err(|error| error.in_step_of(F::METHOD, self.force.layout(), substep, state.t))
    }

    fn report(&self) -> Report<'_> {
        Report::of(self.counts)
    }

    fn go_on_from(&mut self, _state: &State) -> bool {
        self.stale = true;
        true
    }
}

carried!([F: Force] KickDriftKick<'_, F> {
    force, acceleration, stale, counts
} besides { half_kick, next_acceleration, takes_inputs });
