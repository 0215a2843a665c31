//! Velocity Verlet: P_{n+½} = P_n + (H/2) M⁻¹ F_n, Q_{n+1} = Q_n + H P_{n+½}, P_{n+1} = P_{n+½} + (H/2) M⁻¹ F_{n+1}.

use super::force::SlowForce;
use crate::error::StepError;
use crate::method::composition::{Part, Parts};
use crate::method::multiscale::averages::Averages;
use crate::method::multiscale::estimate::ForceEstimate;
use crate::method::multiscale::estimator::MicroStart;
use crate::method::{Evaluations, Kicked, Stepper};
use crate::system::{State, Vibrated};

/// A run of a multiscale method around [`Verlet`](crate::method::Verlet).
///
/// A window at the new position is followed from the prediction P_{n+½} + (H/2) M⁻¹ F_n of its velocity.
#[derive(Debug)]
pub struct MacroVerletStepper<'s, S: ?Sized, B> {
    force: SlowForce<'s, S, B>,
    h: f64,
    origin: f64,
    steps: u64,
    state: State,
    next: State,
    /// M⁻¹ F at the state, where it is known.
    acceleration: Vec<f64>,
    known: bool,
}

impl<'s, S: Vibrated + ?Sized, B: MicroStart> MacroVerletStepper<'s, S, B> {
    pub(in crate::method::multiscale) fn new(
        method: &'static str,
        system: &'s S,
        estimate: ForceEstimate<'s, B>,
        state: State,
        step: f64,
    ) -> Self {
        Self {
            force: SlowForce::new(method, system, estimate),
            h: step,
            origin: state.t,
            steps: 0,
            next: state.clone(),
            acceleration: vec![0.0; state.q.len()],
            known: false,
            state,
        }
    }

    fn attempt(&mut self, part: &Part) -> Result<(), StepError> {
        let Self { force, state, next, acceleration, known, .. } = self;
        let (h, time) = (part.size, state.t);
        if !*known {
            force.evaluate(&state.q, &state.v, time, part, time)?;
            acceleration.copy_from_slice(&force.averages().acceleration);
            *known = true;
        }
        let old = acceleration.iter().zip(state.v.iter().zip(&state.q));
        for ((new_v, new_q), (a, (v, q))) in next.v.iter_mut().zip(next.q.iter_mut()).zip(old) {
            let between = v + 0.5 * h * a;
            *new_q = q + h * between;
            *new_v = between + 0.5 * h * a;
        }
        next.t = part.end;
        force.check(next, part, time)?;
        force.evaluate(&next.q, &next.v, next.t, part, time)?;
        let change = force.averages().acceleration.iter().zip(&*acceleration);
        for ((new_v, (new, old)), v) in next.v.iter_mut().zip(change).zip(&state.v) {
            *new_v = v + 0.5 * h * (old + new);
        }
        force.check(next, part, time)?;
        acceleration.copy_from_slice(&force.averages().acceleration);
        Ok(())
    }
}

impl<S: Vibrated + ?Sized, B: MicroStart> Parts for MacroVerletStepper<'_, S, B> {
    fn advance(&mut self, part: &Part) -> Result<(), StepError> {
        self.attempt(part).inspect_err(|_| self.force.forget())?;
        std::mem::swap(&mut self.state, &mut self.next);
        Ok(())
    }

    fn return_to(&mut self, state: &State) {
        self.state.assign(state);
        self.known = false;
        self.force.forget();
    }
}

impl<S: Vibrated + ?Sized, B: MicroStart> Stepper for MacroVerletStepper<'_, S, B> {
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

    fn averages(&self) -> Option<&Averages> {
        Some(self.force.averages())
    }

    fn evaluations(&self) -> Evaluations {
        self.force.estimate.evaluations()
    }

    fn kicked(&mut self) -> Option<&mut dyn Kicked> {
        Some(self)
    }
}

/// A window followed from the old velocity may no longer be the right one.
impl<S: Vibrated + ?Sized, B: MicroStart> Kicked for MacroVerletStepper<'_, S, B> {
    fn make_tangent(&mut self, _: &mut [f64]) {}

    fn kick(&mut self, v: &[f64]) {
        self.state.v.copy_from_slice(v);
        self.known = false;
    }
}
