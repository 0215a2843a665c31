//! SHAKE in position–velocity form: one window a step, at its beginning.
//!
//! ```text
//! M V_{n+½} = M V_{n−½} + H (F_n + G_nᵀ Λ_n),  X_{n+1} = X_n + H V_{n+½},  g(X_{n+1}, t_{n+1}) = 0,
//! ```
//!
//! with half a kick at the start.

use super::force::SlowForce;
use crate::error::StepError;
use crate::method::composition::Part;
use crate::method::constraint::{Checked, Failure, Manifold};
use crate::method::multiscale::averages::Averages;
use crate::method::multiscale::error::on_constraints;
use crate::method::multiscale::estimate::ForceEstimate;
use crate::method::multiscale::estimator::MicroStart;
use crate::method::{Evaluations, Kicked, Shake, Stepper};
use crate::system::{ConstrainedVibrated, State};

/// A run of a multiscale method around [`Shake`]: SHAKE–SHAKE.
///
/// The velocity of a state is V_{n+½} + (H/2) M⁻¹ F_n made tangent, of order 2 as the positions. The multipliers are Λ_n, those of the step
/// that led here, which belong to its beginning; at the start there are none. F holds the constraint forces of the fast motion, and Λ what is
/// left for the slow one.
pub struct MacroShakeStepper<'s, S: ?Sized, B> {
    options: Shake,
    force: SlowForce<'s, S, B>,
    manifold: Manifold<'s, S>,
    h: f64,
    origin: f64,
    steps: u64,
    state: State,
    next: State,
    multipliers: Vec<f64>,
    new_multipliers: Vec<f64>,
    /// V_{n−½}, once there is one that belongs to the velocity.
    between: Vec<f64>,
    kicked: Vec<f64>,
    under_way: bool,
}

impl<'s, S: ConstrainedVibrated + ?Sized, B: MicroStart> MacroShakeStepper<'s, S, B> {
    pub(in crate::method::multiscale) fn new(
        method: &'static str,
        options: Shake,
        start: Checked<'s, S>,
        estimate: ForceEstimate<'s, B>,
        step: f64,
    ) -> Self {
        let Checked { manifold, state } = start;
        let system = manifold.system();
        let (zero, none) = (vec![0.0; state.q.len()], vec![0.0; system.constraints()]);
        Self {
            options,
            force: SlowForce::new(method, system, estimate),
            manifold,
            h: step,
            origin: state.t,
            steps: 0,
            next: state.clone(),
            multipliers: none.clone(),
            new_multipliers: none,
            between: zero.clone(),
            kicked: zero,
            under_way: false,
            state,
        }
    }

    /// The constrained part of a step, after the window.
    fn constrain(&mut self) -> Result<(), Failure> {
        let Self { options, force, manifold, h, state, next, multipliers, new_multipliers, .. } = self;
        let h = *h;
        let a = &force.averages().acceleration;
        let (base, kick) = if self.under_way { (&self.between, h) } else { (&state.v, 0.5 * h) };
        manifold.measure(&state.q, &state.v, h);
        self.kicked.copy_from_slice(a);
        for (((p, base), q), new_q) in self.kicked.iter_mut().zip(base).zip(&state.q).zip(next.q.iter_mut()) {
            *p = base + kick * *p;
            *new_q = q + h * *p;
        }
        let guess = (kick * h, &multipliers[..]);
        manifold.reach(&mut next.q, next.t, guess, options.tolerance, options.iterations)?;
        for (multiplier, impulse) in new_multipliers.iter_mut().zip(manifold.impulse()) {
            *multiplier = impulse / h;
        }
        manifold.add_motion(new_multipliers, &mut self.kicked);
        for multiplier in new_multipliers.iter_mut() {
            *multiplier /= kick;
        }
        manifold.advance().map_err(Failure::Zero)?;
        for ((v, p), a) in next.v.iter_mut().zip(&self.kicked).zip(a) {
            *v = p + 0.5 * h * a;
        }
        manifold.make_tangent(&next.q, &mut next.v, next.t);
        Ok(())
    }

    fn attempt(&mut self, part: &Part) -> Result<(), StepError> {
        let time = self.state.t;
        self.force.evaluate(&self.state.q, &self.state.v, time, part, time)?;
        self.next.t = part.end;
        let method = self.force.method;
        self.constrain().map_err(|failure| {
            on_constraints(failure, self.manifold.system(), method, part, time, &self.next.q)
        })?;
        self.force.check(&self.next, part, time)
    }
}

impl<S: ConstrainedVibrated + ?Sized, B: MicroStart> Stepper for MacroShakeStepper<'_, S, B> {
    fn step(&mut self) -> Result<(), StepError> {
        let part = Part::whole(self.steps, self.h, self.origin);
        if let Err(error) = self.attempt(&part) {
            self.manifold.return_to(&self.state.q, self.state.t);
            return Err(error);
        }
        std::mem::swap(&mut self.state, &mut self.next);
        std::mem::swap(&mut self.between, &mut self.kicked);
        std::mem::swap(&mut self.multipliers, &mut self.new_multipliers);
        self.under_way = true;
        self.steps += 1;
        Ok(())
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn steps(&self) -> u64 {
        self.steps
    }

    fn multipliers(&self) -> Option<&[f64]> {
        (self.steps > 0).then_some(&self.multipliers)
    }

    fn averages(&self) -> Option<&Averages> {
        Some(self.force.averages())
    }

    fn evaluations(&self) -> Evaluations {
        self.force.estimate.evaluations().with(self.manifold.evaluations)
    }

    fn kicked(&mut self) -> Option<&mut dyn Kicked> {
        Some(self)
    }
}

/// The velocity between the steps belongs to the old velocity: the next step begins with half a kick, as the first one does.
impl<S: ConstrainedVibrated + ?Sized, B: MicroStart> Kicked for MacroShakeStepper<'_, S, B> {
    fn make_tangent(&mut self, v: &mut [f64]) {
        if self.manifold.is_settled() {
            self.manifold.remove_normal(v);
        }
    }

    fn kick(&mut self, v: &[f64]) {
        let State { t, q, v: velocities } = &mut self.state;
        velocities.copy_from_slice(v);
        if self.manifold.is_settled() {
            self.manifold.make_tangent(q, velocities, *t);
        }
        self.under_way = false;
    }
}

impl<S: ?Sized, B> std::fmt::Debug for MacroShakeStepper<'_, S, B> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("MacroShakeStepper").field("state", &self.state).finish_non_exhaustive()
    }
}
