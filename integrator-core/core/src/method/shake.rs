//! SHAKE: the leap-frog method with constrained positions.
//!
//! # The scheme
//!
//! With `G_k = G(q_k, t_k)` and `f_k = −∇V(q_k, t_k) + F(q_k, t_k)`:
//!
//! ```text
//! q_{k+1} − 2 q_k + q_{k−1} = h² M⁻¹ (f_k + G_kᵀ λ_k), with λ_k such that g(q_{k+1}, t_{k+1}) = 0,
//! v_k = (q_{k+1} − q_{k−1}) / 2h,
//! ```
//!
//! computed with the velocities between the positions:
//!
//! ```text
//! v_{k+½} = v_{k−½} + h M⁻¹ (f_k + G_kᵀ λ_k),  q_{k+1} = q_k + h v_{k+½},  v_k = ½ (v_{k−½} + v_{k+½}).
//! ```
//!
//! The first step is `q_1 = q_0 + h v_0 + (h²/2) M⁻¹ (f_0 + G_0ᵀ λ)`. RATTLE has equal positions from
//! this start. Forces F that depend on velocities, such as drag, enter half at the velocity before and
//! half at the velocity after, which makes them implicit:
//!
//! ```text
//! M v_{k+½} = M v_{k−½} + h (f_k + ½ F(q_k, v_{k−½}, t_k) + ½ F(q_k, v_{k+½}, t_k) + G_kᵀ λ_k).
//! ```
//!
//! Inputs of F enter the half before as 2 m₁/h of the step before and the half after as 2 (m₀ − m₁)/h of
//! the step after, as in [`Verlet`](super::verlet); after the end of a signal its last value continues
//! for the step ahead.
//!
//! The velocity at a position needs the next position, so a step looks one position ahead: reaching
//! `q_k` it solves for `q_{k+1}` and keeps it for the next step. A step fails if that position cannot be
//! found. The velocity satisfies `G_k v_k = 0` to order 2 only; where this matters, use RATTLE. A start
//! may be off the constraints by as much, so that a run from a state of another continues it with an
//! equal step.
//!
//! The reported multiplier is `λ_k`, scaled by the h² above: the multiplier of M q̈ = f + F + Gᵀ λ at
//! `q_k` to order 2. At the start it is the exact one at `(q_0, v_0)`.
//!
//! Where [RATTLE](super::rattle#light-parts-and-parts-without-mass) takes the saddle point system, so
//! does SHAKE, with velocities that are tangent.
//!
//! # Requirements on the model
//!
//! A natural system (constant mass, and a potential) with holonomic constraints, which may depend on
//! time, and with any other forces. Constraints that depend on each other run as in
//! [RATTLE](super::rattle#constraints-that-depend-on-each-other).
//!
//! # Order and invariants
//!
//! Order 2 in q and v. `(q_k, q_{k+1}) ↦ (q_{k+1}, q_{k+2})` is symplectic and reversible; `(q_k, v_k)`
//! leaves the tangent bundle, so nothing is claimed for it. Conserves the linear and angular momentum
//! that the system conserves. Positions satisfy the constraints to round-off. Where two branches of the
//! manifold meet, as where bars of a linkage line up, a step that ends within 10⁻⁴ of that position may
//! change the branch, since no velocity is made tangent: RATTLE stays on its branch.
//!
//! # Parameters
//!
//! `tolerance` in (0, 0.001], default 10⁻¹⁴, and `iterations` at least 1, default 50: as for RATTLE.
//!
//! # Reference
//!
//! J.-P. Ryckaert, G. Ciccotti, H. J. C. Berendsen, Numerical integration of the cartesian equations of
//! motion of a system with constraints, J. Comput. Phys. 23 (1977), 327-341,
//! doi:10.1016/0021-9991(77)90098-5.
//! E. Hairer, C. Lubich, G. Wanner, Geometric Numerical Integration (2006), section VII.1.4,
//! doi:10.1007/3-540-30666-8.

use super::applied::{Instant, takes_inputs};
use super::constraint::{
    Checked, HeldKick, KickStage, Manifold, check_options, kick_and_drift, scale, stand_on_chord,
};
use super::contract::{Claims, Method, Stepper, claims};
use super::flow::{Either, Flow, Substep};
use super::force_error::{Attempt, check_finite};
use super::instability::Instability;
use super::linearization::program::Linear;
use super::linearization::{Differentiable, ShakeMap};
use super::report::Report;
use super::running::{Ready, Running};
use super::stability;
use super::variational::{BySaddle, start_by_saddle};
use crate::carried::carried;
use crate::error::{Begun, StartError, StepError};
use crate::system::{Constrained, State};

/// The leap-frog method with constrained positions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shake {
    /// The largest accepted residual of a constraint, relative to its natural size; in (0, 0.001].
    pub tolerance: f64,
    /// The most iterations of Newton's method in a step.
    pub iterations: u32,
}

impl Default for Shake {
    fn default() -> Self {
        Self { tolerance: 1e-14, iterations: 50 }
    }
}

claims! {
    impl Claims for Shake: "shake" of order 2;
    SYMPLECTIC open, REVERSIBLE open, MOMENTUM yes; derivatives by Parameters
}

impl<S: Constrained + ?Sized> Method<S> for Shake {
    fn start<'s>(&self, system: &'s S, state: State, step: f64) -> Begun<impl Stepper + use<'s, S>> {
        self.start_flow(system, state, step)
    }

    fn instability(&self, system: &S, state: &State, step: f64) -> Option<Instability> {
        stability::constrained(Self::NAME, system, state, step)
    }
}

impl<S: Constrained + ?Sized> Differentiable<S> for Shake {
    fn traced<'s>(&self, system: &'s S, state: State, step: f64) -> Ready<'s, impl Flow + use<'s, S>> {
        let run = self.start_flow(system, state, step)?;
        if matches!(run.flow(), Either::First(_)) {
            return Ok(run);
        }
        Err(StartError::NoDerivative {
            method: Self::NAME,
            system: system.name().to_owned(),
            reason: "parts whose masses are nothing beside those at their rows",
            remedy: "take rattle",
        })
    }

    fn linear<'s>(&self, system: &'s S, _: usize) -> Begun<Box<dyn Linear + 's>> {
        Ok(Box::new(ShakeMap::new(system, Self::NAME)?))
    }
}

impl Shake {
    fn start_flow<'s, S: Constrained + ?Sized>(
        &self,
        system: &'s S,
        state: State,
        step: f64,
    ) -> Ready<'s, Either<ShakeFlow<'s, S>, BySaddle<'s>>> {
        check_options(Self::NAME, self.tolerance, self.iterations, step)?;
        let checked = stand_on_chord(system, state.clone(), step, Self::NAME);
        if let Err(StartError::Massless { .. }) = checked {
            return start_by_saddle(system, Self::NAME, (self.tolerance, self.iterations), state, step);
        }
        let Checked { mut manifold, state, .. } = checked?;
        let n = state.q.len();
        let mut a = vec![0.0; n];
        manifold.free_acceleration(&state.q, &state.v, state.t, &mut a);
        let mut multipliers = vec![0.0; system.constraints()];
        manifold.multipliers(&state.q, &state.v, state.t, &a, &mut multipliers);
        manifold.acceleration_of_position(&state.q, state.t, &mut a);
        let drag = match manifold.held_kick()? {
            None => None,
            Some(mut kick) => {
                kick.rehearse(&mut manifold, &state, 0.5 * step);
                Some(Box::new(ShakeDrag { kick: *kick, a: a.clone(), known: a.clone() }))
            }
        };
        let flow = ShakeFlow {
            options: *self,
            manifold,
            drag,
            h: step,
            origin: state.t,
            ahead_known: false,
            ahead: vec![0.0; n],
            between: vec![0.0; n],
            beyond: vec![0.0; n],
            mean: vec![0.0; n],
            new_multipliers: multipliers.clone(),
            multipliers,
            a,
        };
        let run = Running::new(Either::First(Box::new(flow)), state, step).to_tolerance(self.tolerance);
        Ok(run.within(Self::NAME, system))
    }
}

struct ShakeFlow<'s, S: ?Sized> {
    options: Shake,
    manifold: Manifold<'s, S>,
    /// The kicks by forces that depend on velocities.
    drag: Option<Box<ShakeDrag<'s>>>,
    h: f64,
    origin: f64,
    multipliers: Vec<f64>,
    new_multipliers: Vec<f64>,
    /// M⁻¹ f at the state, without forces that depend on velocities.
    a: Vec<f64>,
    /// `q_{k+1}` and `v_{k+½}`, known ahead after the first step, until the velocity is replaced.
    ahead_known: bool,
    ahead: Vec<f64>,
    between: Vec<f64>,
    /// `q_{k+2}` and `v_{k+1}` during a step.
    beyond: Vec<f64>,
    mean: Vec<f64>,
}

/// The kicks by forces that depend on velocities.
struct ShakeDrag<'s> {
    kick: HeldKick<'s>,
    /// M⁻¹ F at the velocity before.
    a: Vec<f64>,
    /// M⁻¹ (f + ½ F) with F at the velocity before.
    known: Vec<f64>,
}

/// The position ahead belongs to the old velocity: after a kick the next step looks ahead anew.
impl<S: Constrained + ?Sized> Flow for ShakeFlow<'_, S> {
    const TAKES_KICKS: bool = true;

    fn advance(&mut self, state: &State, substep: &Substep, next: &mut State) -> Result<(), StepError> {
        if let Err(failure) = self.attempt(state, substep) {
            self.manifold.return_to(&state.q, state.t);
            self.manifold.acceleration_of_position(&state.q, state.t, &mut self.a);
            if self.ahead_known {
                self.manifold.look(&self.ahead, substep.end);
            }
            let system = self.manifold.system();
            let error = failure.in_step_on(system, Shake::NAME, substep, state.t);
            return Err(stability::explained(error, system, state));
        }
        std::mem::swap(&mut next.q, &mut self.ahead);
        std::mem::swap(&mut self.ahead, &mut self.beyond);
        std::mem::swap(&mut next.v, &mut self.mean);
        std::mem::swap(&mut self.multipliers, &mut self.new_multipliers);
        self.ahead_known = true;
        Ok(())
    }

    fn multipliers(&self) -> Option<&[f64]> {
        Some(&self.multipliers)
    }

    fn report(&self) -> Report<'_> {
        Report::of(self.manifold.evaluations)
    }

    fn warning(&self) -> Option<&str> {
        self.manifold.warning()
    }

    fn trace_length(&self) -> usize {
        self.ahead.len() + self.multipliers.len()
    }

    /// The position ahead, and the impulse h² λ.
    fn trace(&self, trace: &mut [f64]) {
        let (ahead, impulse) = trace.split_at_mut(self.ahead.len());
        ahead.copy_from_slice(&self.ahead);
        scale(self.h * self.h, &self.multipliers, impulse);
    }

    fn make_tangent(&mut self, v: &mut [f64]) {
        if self.manifold.is_settled() {
            self.manifold.remove_normal(v);
        }
    }

    fn kick(&mut self, State { t, q, v }: &mut State) {
        if self.manifold.is_settled() {
            let Self { manifold, drag, a, mean, multipliers, .. } = self;
            manifold.make_tangent(q, v, *t);
            // The multipliers of a state depend on its velocity.
            mean.copy_from_slice(a);
            if let Some(ShakeDrag { kick, a, .. }) = drag.as_deref_mut() {
                kick.accelerate(manifold, (q, v, Instant::at(*t)), a);
                mean.iter_mut().zip(a).for_each(|(free, a)| *free += *a);
            }
            manifold.multipliers(q, v, *t, mean, multipliers);
        }
        self.ahead_known = false;
    }
}

impl<S: Constrained + ?Sized> ShakeFlow<'_, S> {
    fn attempt(&mut self, state: &State, substep: &Substep) -> Attempt {
        let new_t = substep.end;
        let beyond_t = self.origin + (substep.number + 1) as f64 * self.h;
        if !self.ahead_known {
            self.look_ahead(state, new_t)?;
        }
        let Self { manifold, h, ahead, between, beyond, mean, .. } = self;
        let (h, n) = (*h, manifold.system().dimension());
        let (ahead, between) = (&ahead[..n], &mut between[..n]);
        let (beyond, mean) = (&mut beyond[..n], &mut mean[..n]);

        // The foot moves to q_{k+1}, which the last step found.
        manifold.advance_unsettled();
        manifold.acceleration_of_position(ahead, new_t, &mut self.a);

        let Shake { tolerance, iterations } = self.options;
        if let Some(ShakeDrag { kick, a, known }) = self.drag.as_deref_mut() {
            // A step ahead of the last position may leave a signal: its last value continues.
            let within = manifold.system().signals().iter().all(|(_, signal)| signal.reaches(beyond_t));
            let at = if within { Instant::beginning(new_t, h) } else { Instant::at(new_t) };
            // Half of the kick with F at the velocity before, half with F at the unknown velocity.
            kick.accelerate(manifold, (ahead, between, Instant::end(new_t, h)), known);
            if takes_inputs(manifold.system()) {
                kick.accelerate(manifold, (ahead, between, Instant::at(new_t)), a);
            } else {
                a.copy_from_slice(known);
            }
            known.iter_mut().zip(&self.a).for_each(|(known, others)| *known = others + 0.5 * *known);
            let (end, c) = (beyond_t, 0.5 * h);
            let stage = KickStage { q: ahead, v: between, kick: h, a: known, drag: a, at, end, h, c };
            kick.begin(manifold, stage, (h, &self.multipliers), mean);
            manifold.reach_with(kick, stage, (beyond, mean), tolerance, iterations)?;
            scale(1.0 / h, kick.x(), &mut self.new_multipliers);
        } else {
            // A whole kick, and the drift.
            mean.copy_from_slice(&self.a[..n]);
            kick_and_drift((h, h), (ahead, between), beyond, mean);

            // The position stage for q_{k+2} gives the multipliers of q_{k+1}; guess: the last ones.
            let guess = (h * h, &self.multipliers[..]);
            manifold.reach(beyond, beyond_t, (ahead, between, h), guess, tolerance, iterations)?;
            scale(1.0 / h, manifold.impulse(), &mut self.new_multipliers);
            manifold.add_motion(&self.new_multipliers, mean);
            for multiplier in &mut self.new_multipliers {
                *multiplier /= h;
            }
        }
        manifold.make_least(&mut self.new_multipliers);
        if !mean.iter().fold(true, |all, entry| all & entry.is_finite()) {
            return check_finite(mean);
        }

        // Nothing can fail from here on.
        for (before, after) in between.iter_mut().zip(mean) {
            let kicked = *after;
            *after = 0.5 * (*before + kicked);
            *before = kicked;
        }
        Ok(())
    }

    /// Computes `q_{k+1}` and `v_{k+½}` from the state, as in the first step.
    fn look_ahead(&mut self, state: &State, new_t: f64) -> Attempt {
        let Self { manifold, h, ahead, between, .. } = self;
        let h = *h;
        let Shake { tolerance, iterations } = self.options;
        if let Some(ShakeDrag { kick, a, .. }) = self.drag.as_deref_mut() {
            let c = 0.5 * h;
            kick.accelerate(manifold, (&state.q, &state.v, Instant::at(state.t)), a);
            let State { t, q, v } = state;
            let stage = KickStage {
                q,
                v,
                kick: c,
                a: &self.a,
                drag: a,
                at: Instant::beginning(*t, h),
                end: new_t,
                h,
                c,
            };
            kick.begin(manifold, stage, (c, &self.multipliers), between);
            return manifold.reach_with(kick, stage, (ahead, between), tolerance, iterations);
        }
        between.copy_from_slice(&self.a);
        kick_and_drift((0.5 * h, h), (&state.q, &state.v), ahead, between);
        let guess = (0.5 * h * h, &self.multipliers[..]);
        manifold.reach(ahead, new_t, (&state.q, &state.v, h), guess, tolerance, iterations)?;
        scale(1.0 / h, manifold.impulse(), &mut self.new_multipliers);
        manifold.add_motion(&self.new_multipliers, between);
        Ok(())
    }
}

carried!([S: Constrained + ?Sized] ShakeFlow<'_, S> {
    manifold, multipliers, a, ahead_known, ahead, between
} besides { options, drag, h, origin, new_multipliers, beyond, mean });
