//! Velocity Verlet: P_{n+½} = P_n + (H/2) M⁻¹ F_n, Q_{n+1} = Q_n + H P_{n+½}, P_{n+1} = P_{n+½} + (H/2) M⁻¹ F_{n+1}.

use super::force::SlowForce;
use crate::carried::carried;
use crate::error::StepError;
use crate::method::flow::{Flow, Substep};
use crate::method::multiscale::estimate::ForceEstimate;
use crate::method::multiscale::estimator::MicroStart;
use crate::method::report::Report;
use crate::system::{State, Vibrated};

/// The slow motion by [`Verlet`](crate::method::Verlet).
///
/// A window at the new position is followed from the prediction P_{n+½} + (H/2) M⁻¹ F_n of its velocity.
pub(in crate::method::multiscale) struct MacroVerletFlow<'s, S: ?Sized, B> {
    force: SlowForce<'s, S, B>,
    /// M⁻¹ F at the state, where it is known.
    acceleration: Vec<f64>,
    known: bool,
}

impl<'s, S: Vibrated + ?Sized, B: MicroStart> MacroVerletFlow<'s, S, B> {
    pub(in crate::method::multiscale) fn new(
        method: &'static str,
        system: &'s S,
        estimate: ForceEstimate<'s, B>,
    ) -> Self {
        let acceleration = vec![0.0; system.dimension()];
        Self { force: SlowForce::new(method, system, estimate), acceleration, known: false }
    }

    fn attempt(&mut self, state: &State, substep: &Substep, next: &mut State) -> Result<(), StepError> {
        let Self { force, acceleration, known } = self;
        let (h, time) = (substep.size, state.t);
        if !*known {
            force.evaluate(&state.q, &state.v, time, substep, time)?;
            acceleration.copy_from_slice(&force.averages().acceleration);
            *known = true;
        }
        let old = acceleration.iter().zip(state.v.iter().zip(&state.q));
        for ((new_v, new_q), (a, (v, q))) in next.v.iter_mut().zip(next.q.iter_mut()).zip(old) {
            let between = v + 0.5 * h * a;
            *new_q = q + h * between;
            *new_v = between + 0.5 * h * a;
        }
        force.check(next, substep, time)?;
        force.evaluate(&next.q, &next.v, next.t, substep, time)?;
        let change = force.averages().acceleration.iter().zip(&*acceleration);
        for ((new_v, (new, old)), v) in next.v.iter_mut().zip(change).zip(&state.v) {
            *new_v = v + 0.5 * h * (old + new);
        }
        force.check(next, substep, time)?;
        acceleration.copy_from_slice(&force.averages().acceleration);
        Ok(())
    }
}

/// A window followed from the old velocity may no longer be the right one after a kick.
impl<S: Vibrated + ?Sized, B: MicroStart> Flow for MacroVerletFlow<'_, S, B> {
    const TAKES_KICKS: bool = true;

    fn advance(&mut self, state: &State, substep: &Substep, next: &mut State) -> Result<(), StepError> {
        self.attempt(state, substep, next).inspect_err(|_| self.force.forget())
    }

    fn report(&self) -> Report<'_> {
        self.force.report()
    }

    fn go_on_from(&mut self, _state: &State) -> bool {
        self.known = false;
        self.force.forget();
        true
    }

    fn kick(&mut self, _state: &mut State) {
        self.known = false;
    }
}

carried!([S: ?Sized, B] MacroVerletFlow<'_, S, B> { force, acceleration, known } besides {});
