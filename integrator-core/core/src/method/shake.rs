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

use super::applied::Instant;
use super::check::by_default;
use super::constraint::{Checked, Passage, Span, Stages, check_all, check_options, scale, stand_on_chord};
use super::contract::{Claims, Method, Stepper, claims};
use super::flow::{Erased, Flow, Substep};
use super::force_error::Attempt;
use super::instability::Instability;
use super::linearization::program::{LinearStep, Program};
use super::linearization::{Differentiable, ShakeMap};
use super::report::Report;
use super::running::{Ready, Running};
use super::stability::{self, FirstStep};
use super::variational::start_by_saddle;
use crate::carried::{Carried, CarryError, Memory};
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

by_default!(Shake { tolerance: 1e-14, iterations: 50 });

claims! {
    impl Claims for Shake: "shake" of order 2;
    SYMPLECTIC open, REVERSIBLE open, MOMENTUM yes; derivatives by Parameters
}

impl<S: Constrained + ?Sized> Method<S> for Shake {
    fn start<'s>(&self, system: &'s S, state: State, step: f64) -> Begun<impl Stepper + use<'s, S>> {
        self.start_flow(system, state, step)
    }

    fn instability(&self, system: &S, state: &State, step: f64) -> Option<Instability> {
        stability::constrained(&FirstStep { method: Self::NAME, system, state, step })
    }
}

impl<S: Constrained + ?Sized> Differentiable<S> for Shake {
    fn traced<'s>(&self, system: &'s S, state: State, step: f64) -> Ready<'s, impl Flow + use<'s, S>> {
        self.start_by_rows(system, state, step).map_err(|error| match error {
            StartError::Massless { .. } => StartError::NoDerivative {
                method: Self::NAME,
                system: system.name().to_owned(),
                reason: "parts whose masses are nothing beside those at their rows",
                remedy: "take rattle",
            },
            other => other,
        })
    }

    fn linear<'s>(&self, system: &'s S, _: usize) -> Begun<Box<dyn LinearStep + 's>> {
        Ok(Box::new(Program::new(ShakeMap::new(system, Self::NAME)?)))
    }
}

impl Shake {
    fn start_flow<'s, S: Constrained + ?Sized>(
        &self,
        system: &'s S,
        state: State,
        step: f64,
    ) -> Ready<'s, Erased<'s>> {
        match self.start_by_rows(system, state.clone(), step) {
            Err(StartError::Massless { .. }) => {
                start_by_saddle(system, Self::NAME, (self.tolerance, self.iterations), state, step)
            }
            run => Ok(run?.erased()),
        }
    }

    /// The start with the matrix of the rows, for which every part needs a mass.
    fn start_by_rows<'s, S: Constrained + ?Sized>(
        &self,
        system: &'s S,
        state: State,
        step: f64,
    ) -> Ready<'s, ShakeFlow<'s, S>> {
        let newton = check_options(Self::NAME, self.tolerance, self.iterations, step)?;
        let Checked { mut manifold, state, .. } = stand_on_chord(system, state, step, Self::NAME)?;
        let [mut a, ahead, between, beyond, mean, lagged] = std::array::from_fn(|_| vec![0.0; state.q.len()]);
        manifold.free_acceleration(&state.q, &state.v, state.t, &mut a);
        let mut multipliers = vec![0.0; system.constraints()];
        manifold.multipliers((&state.q, &state.v, state.t), &a, &mut multipliers);
        manifold.acceleration_of_position(&state.q, state.t, &mut a);
        let flow = ShakeFlow {
            stages: Stages::new(manifold, newton, &state, step)?,
            h: step,
            origin: state.t,
            ahead_known: false,
            ahead,
            between,
            beyond,
            mean,
            lagged,
            new_multipliers: multipliers.clone(),
            multipliers,
            a,
        };
        let run = Running::new(flow, state, step).to_tolerance(self.tolerance);
        run.within(Self::NAME, system)
    }
}

struct ShakeFlow<'s, S: ?Sized> {
    stages: Stages<'s, S>,
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
    /// M⁻¹ f with half of a drag, at the velocity before.
    lagged: Vec<f64>,
}

/// The position ahead belongs to the old velocity: after a kick the next step looks ahead anew.
impl<S: Constrained + ?Sized> Flow for ShakeFlow<'_, S> {
    fn takes_kicks(&self) -> bool {
        true
    }

    fn advance(&mut self, state: &State, substep: &Substep, next: &mut State) -> Result<(), StepError> {
        if let Err(failure) = self.attempt(state, substep) {
            let manifold = &mut self.stages.manifold;
            manifold.return_to(&state.q, state.t);
            manifold.acceleration_of_position(&state.q, state.t, &mut self.a);
            if self.ahead_known {
                manifold.look(&self.ahead, substep.end);
            }
            let system = manifold.system();
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
        Report::of(self.stages.manifold.evaluations)
    }

    fn warning(&self) -> Option<&str> {
        self.stages.manifold.warning()
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
        if self.stages.manifold.is_settled() {
            self.stages.manifold.remove_normal(v);
        }
    }

    fn kick(&mut self, State { t, q, v }: &mut State) {
        let Self { stages, a, multipliers, .. } = self;
        if stages.manifold.is_settled() {
            stages.manifold.make_tangent(q, v, *t);
            // The multipliers of a state depend on its velocity.
            stages.multipliers((q, v, *t), a, multipliers);
        }
        self.ahead_known = false;
    }
}

impl<S: Constrained + ?Sized> ShakeFlow<'_, S> {
    fn attempt(&mut self, state: &State, substep: &Substep) -> Attempt {
        if !self.ahead_known {
            self.look_ahead(state, substep.end)?;
        }
        let Self { stages, h, ahead, between, beyond, mean, .. } = self;
        let (h, t, n) = (*h, substep.end, stages.manifold.system().dimension());
        let (ahead, between) = (&ahead[..n], &mut between[..n]);
        let (beyond, mean) = (&mut beyond[..n], &mut mean[..n]);

        // The foot moves to q_{k+1}, which the last step found.
        stages.manifold.advance_unsettled();
        stages.manifold.acceleration_of_position(ahead, t, &mut self.a);
        let a = stages.lag((ahead, between, t), h, &self.a[..n], &mut self.lagged);

        // The kick and the position stage for q_{k+2} give the multipliers of q_{k+1}.
        // A step ahead of the last position may leave a signal: its last value continues.
        let end = self.origin + (substep.number + 1) as f64 * h;
        let within = stages.manifold.system().signals().iter().all(|(_, signal)| signal.reaches(end));
        let at = if within { Instant::beginning(t, h) } else { Instant::at(t) };
        let passage = Passage { span: Span { q: ahead, v: between, h, end }, at, kick: h, a };
        stages.pass(passage, (&self.multipliers, &mut self.new_multipliers), (beyond, mean))?;
        stages.divide(h, &mut self.new_multipliers);
        stages.manifold.make_least(&mut self.new_multipliers);
        check_all(mean)?;

        // Nothing can fail from here on.
        for (before, after) in between.iter_mut().zip(mean) {
            let kicked = *after;
            *after = 0.5 * (*before + kicked);
            *before = kicked;
        }
        Ok(())
    }

    /// Computes `q_{k+1}` and `v_{k+½}` from the state, as in the first step.
    fn look_ahead(&mut self, State { t, q, v }: &State, end: f64) -> Attempt {
        let Self { stages, h, ahead, between, a, multipliers, new_multipliers, .. } = self;
        let (h, n) = (*h, stages.manifold.system().dimension());
        stages.stand((q, v, *t));
        let span = Span { q: &q[..n], v: &v[..n], h, end };
        let passage = Passage { span, at: Instant::beginning(*t, h), kick: 0.5 * h, a: &a[..n] };
        stages.pass(passage, (multipliers, new_multipliers), (&mut ahead[..n], &mut between[..n]))
    }
}

impl<S: Constrained + ?Sized> Carried for ShakeFlow<'_, S> {
    fn carry(&mut self, memory: &mut Memory<'_>) -> Result<(), CarryError> {
        // A passage takes its own drag.
        let Self { stages, multipliers, a, ahead_known, ahead, between, .. } = self;
        stages.manifold.carry(memory)?;
        multipliers.carry(memory)?;
        a.carry(memory)?;
        ahead_known.carry(memory)?;
        ahead.carry(memory)?;
        between.carry(memory)
    }
}
