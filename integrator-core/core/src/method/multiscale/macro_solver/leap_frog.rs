//! Leap-frog, as in the paper, and with constraints SHAKE in position–velocity form: one window a step,
//! at its beginning.
//!
//! ```text
//! M V_{n+½} = M V_{n−½} + H (F_n + G_nᵀ Λ_n),  X_{n+1} = X_n + H V_{n+½},  g(X_{n+1}, t_{n+1}) = 0,
//! ```
//!
//! with half a kick at the start.

use super::constraints::{Constraints, Drift};
use super::force::SlowForce;
use super::whole_steps::kick_again;
use crate::carried::carried;
use crate::error::StepError;
use crate::forward::forward;
use crate::method::contract::claims;
use crate::method::flow::{Flow, Substep};
use crate::method::multiscale::estimate::ForceEstimate;
use crate::method::multiscale::estimator::MicroStart;
use crate::method::report::Report;
use crate::system::{State, Vibrated};

/// P_{n+½} = P_{n−½} + H M⁻¹ F_n, Q_{n+1} = Q_n + H P_{n+½}, with half a kick at the start.
///
/// Its positions are velocity Verlet's. The velocity of a state is the prediction
/// P̄_{n+1} = P_{n+½} + (H/2) M⁻¹ F_n, also of order 2, since the window at the new position has not
/// been followed yet. P_{n−½} is memory: use [`Verlet`](crate::method::Verlet) for a run to be continued
/// to the last bit, or composed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LeapFrog;

claims! {
    /// Leap-frog's velocities belong between the steps; its states do not contain them.
    impl Claims for LeapFrog: "leap-frog" of order 2;
    SYMPLECTIC open, REVERSIBLE open, MOMENTUM open
}

/// The slow motion by [`LeapFrog`] or [`Shake`](crate::method::Shake): SHAKE–SHAKE.
///
/// The velocity of a state is V_{n+½} + (H/2) M⁻¹ F_n made tangent, of order 2 as the positions. The
/// multipliers are Λ_n of the last step, at its beginning; none at the start. F contains the constraint
/// forces of the fast motion, and Λ the rest for the slow one.
pub(in crate::method::multiscale) struct MacroLeapFrogFlow<'s, S: ?Sized, B, C> {
    force: SlowForce<'s, S, B>,
    constraints: C,
    /// V_{n−½}, once it exists and belongs to the velocity.
    between: Vec<f64>,
    kicked: Vec<f64>,
    under_way: bool,
}

impl<'s, S: Vibrated + ?Sized, B: MicroStart, C: Constraints> MacroLeapFrogFlow<'s, S, B, C> {
    pub(in crate::method::multiscale) fn new(
        method: &'static str,
        system: &'s S,
        constraints: C,
        estimate: ForceEstimate<'s, B>,
    ) -> Self {
        let zero = vec![0.0; system.dimension()];
        let force = SlowForce::new(method, system, estimate);
        Self { force, constraints, between: zero.clone(), kicked: zero, under_way: false }
    }

    fn attempt(&mut self, state: &State, substep: &Substep, next: &mut State) -> Result<(), StepError> {
        let Self { force, constraints, between, kicked, under_way } = self;
        let h = substep.size;
        force.evaluate(&state.q, &state.v, state.t, substep, state.t)?;
        let a = &force.averages().acceleration;
        let (base, kick) = if *under_way { (&*between, h) } else { (&state.v, 0.5 * h) };
        let known = base.iter().zip(a).zip(&state.q);
        for ((p, new_q), ((base, a), q)) in kicked.iter_mut().zip(next.q.iter_mut()).zip(known) {
            *p = base + kick * a;
            *new_q = q + h * *p;
        }
        constraints.reach(Drift { method: force.method, substep, state, kick }, kicked, next)?;
        kick_again(h, kicked, a, constraints, next);
        force.check(next, substep, state.t)?;
        constraints.take_impulses(kick);
        Ok(())
    }
}

/// The velocity between the steps belongs to the old velocity: after a kick the next step begins with
/// half a kick, as the first step.
impl<S: Vibrated + ?Sized, B: MicroStart, C: Constraints> Flow for MacroLeapFrogFlow<'_, S, B, C> {
    const TAKES_KICKS: bool = true;

    fn advance(&mut self, state: &State, substep: &Substep, next: &mut State) -> Result<(), StepError> {
        self.attempt(state, substep, next).inspect_err(|_| {
            self.force.forget();
            self.constraints.return_to(state);
        })?;
        std::mem::swap(&mut self.between, &mut self.kicked);
        self.under_way = true;
        Ok(())
    }

    forward! { constraints:
        multipliers() -> Option<&[f64]>;
        warning() -> Option<&str>;
    }

    fn report(&self) -> Report<'_> {
        self.force.report(self.constraints.evaluations())
    }

    fn make_tangent(&mut self, v: &mut [f64]) {
        self.constraints.remove_normal(v);
    }

    fn kick(&mut self, state: &mut State) {
        self.constraints.make_tangent(state);
        self.under_way = false;
    }
}

carried!([S: ?Sized, B, C: Constraints] MacroLeapFrogFlow<'_, S, B, C> {
    force, constraints, between, under_way
} besides { kicked });
