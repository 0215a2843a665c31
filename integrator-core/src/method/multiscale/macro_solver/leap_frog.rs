//! Leap-frog, as in the paper: one window a step, at its beginning.

use super::force::SlowForce;
use crate::error::StepError;
use crate::method::composition::Part;
use crate::method::multiscale::averages::Averages;
use crate::method::multiscale::estimate::ForceEstimate;
use crate::method::multiscale::estimator::MicroStart;
use crate::method::{Evaluations, Kicked, Stepper};
use crate::system::{State, Vibrated};

/// P_{n+½} = P_{n−½} + H M⁻¹ F_n, Q_{n+1} = Q_n + H P_{n+½}, with half a kick at the start.
///
/// The positions are those of velocity Verlet. The velocity of a state is the prediction P̄_{n+1} = P_{n+½} + (H/2) M⁻¹ F_n, of order 2 as
/// they are, since the window at the new position has not been followed yet. P_{n−½} is remembered: where a run must be continued to the same
/// bits, or composed, take [`Verlet`](crate::method::Verlet).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LeapFrog;

/// A run of a multiscale method around [`LeapFrog`].
#[derive(Debug)]
pub struct LeapFrogStepper<'s, S: ?Sized, B> {
    force: SlowForce<'s, S, B>,
    h: f64,
    origin: f64,
    steps: u64,
    state: State,
    next: State,
    /// P_{n−½}, once there is one that belongs to the velocity.
    between: Vec<f64>,
    kicked: Vec<f64>,
    under_way: bool,
}

impl<'s, S: Vibrated + ?Sized, B: MicroStart> LeapFrogStepper<'s, S, B> {
    pub(in crate::method::multiscale) fn new(
        method: &'static str,
        system: &'s S,
        estimate: ForceEstimate<'s, B>,
        state: State,
        step: f64,
    ) -> Self {
        let zero = vec![0.0; state.q.len()];
        Self {
            force: SlowForce::new(method, system, estimate),
            h: step,
            origin: state.t,
            steps: 0,
            next: state.clone(),
            between: zero.clone(),
            kicked: zero,
            under_way: false,
            state,
        }
    }

    fn attempt(&mut self, part: &Part) -> Result<(), StepError> {
        let Self { force, h, state, next, between, kicked, .. } = self;
        let h = *h;
        force.evaluate(&state.q, &state.v, state.t, part, state.t)?;
        let a = &force.averages().acceleration;
        let (base, kick) = if self.under_way { (&*between, h) } else { (&state.v, 0.5 * h) };
        let known = base.iter().zip(a).zip(&state.q);
        for ((p, ((base, a), q)), (new_q, new_v)) in
            kicked.iter_mut().zip(known).zip(next.q.iter_mut().zip(next.v.iter_mut()))
        {
            *p = base + kick * a;
            *new_q = q + h * *p;
            *new_v = *p + 0.5 * h * a;
        }
        next.t = part.end;
        force.check(next, part, state.t)
    }
}

impl<S: Vibrated + ?Sized, B: MicroStart> Stepper for LeapFrogStepper<'_, S, B> {
    fn step(&mut self) -> Result<(), StepError> {
        let part = Part::whole(self.steps, self.h, self.origin);
        self.attempt(&part).inspect_err(|_| self.force.forget())?;
        std::mem::swap(&mut self.state, &mut self.next);
        std::mem::swap(&mut self.between, &mut self.kicked);
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

/// The velocity between the steps belongs to the old velocity: the next step begins with half a kick, as the first one does.
impl<S: Vibrated + ?Sized, B: MicroStart> Kicked for LeapFrogStepper<'_, S, B> {
    fn make_tangent(&mut self, _: &mut [f64]) {}

    fn kick(&mut self, v: &[f64]) {
        self.state.v.copy_from_slice(v);
        self.under_way = false;
    }
}
