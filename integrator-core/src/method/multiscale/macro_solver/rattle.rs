//! RATTLE:
//!
//! ```text
//! M V_{n+½} = M V_n + (H/2) (F_n + G_nᵀ Λ⁺),  X_{n+1} = X_n + H V_{n+½},  g(X_{n+1}, t_{n+1}) = 0,
//! M V_{n+1} = M V_{n+½} + (H/2) (F_{n+1} + G_{n+1}ᵀ Λ⁻),  G_{n+1} V_{n+1} + ∂g/∂t = 0.
//! ```

use super::force::SlowForce;
use crate::error::StepError;
use crate::method::composition::{Part, Parts};
use crate::method::constraint::{Checked, Failure, Manifold, scale};
use crate::method::multiscale::averages::Averages;
use crate::method::multiscale::error::on_constraints;
use crate::method::multiscale::estimate::ForceEstimate;
use crate::method::multiscale::estimator::MicroStart;
use crate::method::{Evaluations, Kicked, Rattle, Stepper};
use crate::system::{ConstrainedVibrated, State};

/// A run of a multiscale method around [`Rattle`]: RATTLE–SHAKE. Its positions are those of SHAKE–SHAKE.
///
/// The multipliers are those of M Q̈ = F + Gᵀ Λ at the state, where F holds the constraint forces of the fast motion. A window at the new
/// position is followed from V_{n+½} + (H/2) M⁻¹ F_n made tangent.
pub struct MacroRattleStepper<'s, S: ?Sized, B> {
    options: Rattle,
    force: SlowForce<'s, S, B>,
    manifold: Manifold<'s, S>,
    h: f64,
    origin: f64,
    steps: u64,
    state: State,
    next: State,
    /// M⁻¹ F at the state, where it is known, and Λ with it.
    acceleration: Vec<f64>,
    multipliers: Vec<f64>,
    known: bool,
    kick: Vec<f64>,
    between: Vec<f64>,
}

impl<'s, S: ConstrainedVibrated + ?Sized, B: MicroStart> MacroRattleStepper<'s, S, B> {
    pub(in crate::method::multiscale) fn new(
        method: &'static str,
        options: Rattle,
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
            acceleration: zero.clone(),
            multipliers: none.clone(),
            known: false,
            kick: none,
            between: zero,
            state,
        }
    }

    /// The force at the state, which must be on the foot of the manifold.
    fn know(&mut self, part: &Part) -> Result<(), StepError> {
        let Self { force, manifold, state, acceleration, multipliers, .. } = self;
        force.evaluate(&state.q, &state.v, state.t, part, state.t)?;
        acceleration.copy_from_slice(&force.averages().acceleration);
        manifold.multipliers(&state.q, &state.v, state.t, acceleration, multipliers);
        self.known = true;
        Ok(())
    }

    /// The position stage, and the prediction of the velocity.
    fn reach(&mut self, h: f64) -> Result<(), Failure> {
        let Self { options, manifold, state, next, acceleration, multipliers, kick, between, .. } = self;
        manifold.measure(&state.q, &state.v, h);
        between.copy_from_slice(acceleration);
        for (((p, v), q), new_q) in between.iter_mut().zip(&state.v).zip(&state.q).zip(next.q.iter_mut()) {
            *p = v + 0.5 * h * *p;
            *new_q = q + h * *p;
        }
        let guess = (0.5 * h * h, &multipliers[..]);
        manifold.reach(&mut next.q, next.t, guess, options.tolerance, options.iterations)?;
        scale(1.0 / h, manifold.impulse(), kick);
        manifold.add_motion(kick, between);
        manifold.advance().map_err(Failure::Zero)?;
        for ((v, p), a) in next.v.iter_mut().zip(&*between).zip(&*acceleration) {
            *v = p + 0.5 * h * a;
        }
        manifold.make_tangent(&next.q, &mut next.v, next.t);
        Ok(())
    }

    fn attempt(&mut self, part: &Part) -> Result<(), StepError> {
        let (time, h) = (self.state.t, part.size);
        if !self.known {
            self.know(part)?;
        }
        self.next.t = part.end;
        let method = self.force.method;
        self.reach(h).map_err(|failure| {
            on_constraints(failure, self.manifold.system(), method, part, time, &self.next.q)
        })?;
        let Self { force, manifold, next, acceleration, multipliers, between, .. } = self;
        force.evaluate(&next.q, &next.v, next.t, part, time)?;
        let a = &force.averages().acceleration;
        for ((v, p), a) in next.v.iter_mut().zip(&*between).zip(a) {
            *v = p + 0.5 * h * a;
        }
        manifold.make_tangent(&next.q, &mut next.v, next.t);
        force.check(next, part, time)?;
        // Nothing can fail from here on.
        acceleration.copy_from_slice(a);
        manifold.multipliers(&next.q, &next.v, next.t, acceleration, multipliers);
        Ok(())
    }
}

impl<S: ConstrainedVibrated + ?Sized, B: MicroStart> Parts for MacroRattleStepper<'_, S, B> {
    fn advance(&mut self, part: &Part) -> Result<(), StepError> {
        if let Err(error) = self.attempt(part) {
            self.manifold.return_to(&self.state.q, self.state.t);
            return Err(error);
        }
        std::mem::swap(&mut self.state, &mut self.next);
        Ok(())
    }

    fn return_to(&mut self, state: &State) {
        self.state.assign(state);
        self.manifold.return_to(&state.q, state.t);
        self.known = false;
    }
}

impl<S: ConstrainedVibrated + ?Sized, B: MicroStart> Stepper for MacroRattleStepper<'_, S, B> {
    fn step(&mut self) -> Result<(), StepError> {
        let part = Part::whole(self.steps, self.h, self.origin);
        self.advance(&part)?;
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
        self.known.then_some(&self.multipliers)
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

/// A window followed from the old velocity may no longer be the right one, and the multipliers depend on it.
impl<S: ConstrainedVibrated + ?Sized, B: MicroStart> Kicked for MacroRattleStepper<'_, S, B> {
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
        self.known = false;
    }
}

impl<S: ?Sized, B> std::fmt::Debug for MacroRattleStepper<'_, S, B> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("MacroRattleStepper").field("state", &self.state).finish_non_exhaustive()
    }
}
