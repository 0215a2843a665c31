//! Leap-frog, as in the paper: one window a step, at its beginning.

use super::force::SlowForce;
use crate::carried::carried;
use crate::error::StepError;
use crate::method::contract::Claims;
use crate::method::flow::{Flow, Substep};
use crate::method::multiscale::estimate::ForceEstimate;
use crate::method::multiscale::estimator::MicroStart;
use crate::method::report::Report;
use crate::system::{State, Vibrated};

/// P_{n+½} = P_{n−½} + H M⁻¹ F_n, Q_{n+1} = Q_n + H P_{n+½}, with half a kick at the start.
///
/// The positions are those of velocity Verlet. The velocity of a state is the prediction P̄_{n+1} = P_{n+½} + (H/2) M⁻¹ F_n, of order 2 as
/// they are, since the window at the new position has not been followed yet. P_{n−½} is remembered: where a run must be continued to the same
/// bits, or composed, take [`Verlet`](crate::method::Verlet).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LeapFrog;

/// The claims of leap-frog; its velocities belong between the steps, and a state does not tell them.
impl Claims for LeapFrog {
    const NAME: &'static str = "leap-frog";
    const ORDER: u32 = 2;
    const SYMPLECTIC: Option<bool> = None;
    const REVERSIBLE: Option<bool> = None;
    const MOMENTUM: Option<bool> = None;
}

/// The slow motion by [`LeapFrog`].
pub(in crate::method::multiscale) struct MacroLeapFrogFlow<'s, S: ?Sized, B> {
    force: SlowForce<'s, S, B>,
    /// P_{n−½}, once there is one that belongs to the velocity.
    between: Vec<f64>,
    kicked: Vec<f64>,
    under_way: bool,
}

impl<'s, S: Vibrated + ?Sized, B: MicroStart> MacroLeapFrogFlow<'s, S, B> {
    pub(in crate::method::multiscale) fn new(
        method: &'static str,
        system: &'s S,
        estimate: ForceEstimate<'s, B>,
    ) -> Self {
        let zero = vec![0.0; system.dimension()];
        let force = SlowForce::new(method, system, estimate);
        Self { force, between: zero.clone(), kicked: zero, under_way: false }
    }

    fn attempt(&mut self, state: &State, substep: &Substep, next: &mut State) -> Result<(), StepError> {
        let Self { force, between, kicked, under_way } = self;
        let h = substep.size;
        force.evaluate(&state.q, &state.v, state.t, substep, state.t)?;
        let a = &force.averages().acceleration;
        let (base, kick) = if *under_way { (&*between, h) } else { (&state.v, 0.5 * h) };
        let known = base.iter().zip(a).zip(&state.q);
        for ((p, ((base, a), q)), (new_q, new_v)) in
            kicked.iter_mut().zip(known).zip(next.q.iter_mut().zip(next.v.iter_mut()))
        {
            *p = base + kick * a;
            *new_q = q + h * *p;
            *new_v = *p + 0.5 * h * a;
        }
        force.check(next, substep, state.t)
    }
}

/// The velocity between the steps belongs to the old velocity: after a kick the next step begins with half a kick, as the first
/// one does.
impl<S: Vibrated + ?Sized, B: MicroStart> Flow for MacroLeapFrogFlow<'_, S, B> {
    const TAKES_KICKS: bool = true;

    fn advance(&mut self, state: &State, substep: &Substep, next: &mut State) -> Result<(), StepError> {
        self.attempt(state, substep, next).inspect_err(|_| self.force.forget())?;
        std::mem::swap(&mut self.between, &mut self.kicked);
        self.under_way = true;
        Ok(())
    }

    fn report(&self) -> Report<'_> {
        self.force.report()
    }

    fn kick(&mut self, _state: &mut State) {
        self.under_way = false;
    }
}

carried!([S: ?Sized, B] MacroLeapFrogFlow<'_, S, B> { force, between, under_way } besides { kicked });
