//! RATTLE:
//!
//! ```text
//! M V_{n+½} = M V_n + (H/2) (F_n + G_nᵀ Λ⁺),  X_{n+1} = X_n + H V_{n+½},  g(X_{n+1}, t_{n+1}) = 0,
//! M V_{n+1} = M V_{n+½} + (H/2) (F_{n+1} + G_{n+1}ᵀ Λ⁻),  G_{n+1} V_{n+1} + ∂g/∂t = 0.
//! ```

use super::force::SlowForce;
use crate::carried::carried;
use crate::error::StepError;
use crate::method::constraint::{Failure, Manifold, scale};
use crate::method::flow::{Flow, Substep};
use crate::method::multiscale::error::on_constraints;
use crate::method::multiscale::estimate::ForceEstimate;
use crate::method::multiscale::estimator::MicroStart;
use crate::method::rattle::Rattle;
use crate::method::report::Report;
use crate::system::{ConstrainedVibrated, State};

/// The slow motion by [`Rattle`]: RATTLE–SHAKE. Its positions are those of SHAKE–SHAKE.
///
/// The multipliers are those of M Q̈ = F + Gᵀ Λ at the state, where F holds the constraint forces of the fast motion. A window at the new
/// position is followed from V_{n+½} + (H/2) M⁻¹ F_n made tangent.
pub(in crate::method::multiscale) struct MacroRattleFlow<'s, S: ?Sized, B> {
    options: Rattle,
    force: SlowForce<'s, S, B>,
    manifold: Manifold<'s, S>,
    /// M⁻¹ F at the state, where it is known, and Λ with it.
    acceleration: Vec<f64>,
    multipliers: Vec<f64>,
    known: bool,
    kick: Vec<f64>,
    between: Vec<f64>,
}

impl<'s, S: ConstrainedVibrated + ?Sized, B: MicroStart> MacroRattleFlow<'s, S, B> {
    pub(in crate::method::multiscale) fn new(
        method: &'static str,
        options: Rattle,
        manifold: Manifold<'s, S>,
        estimate: ForceEstimate<'s, B>,
    ) -> Self {
        let system = manifold.system();
        let (zero, none) = (vec![0.0; system.dimension()], vec![0.0; system.constraints()]);
        Self {
            options,
            force: SlowForce::new(method, system, estimate),
            manifold,
            acceleration: zero.clone(),
            multipliers: none.clone(),
            known: false,
            kick: none,
            between: zero,
        }
    }

    /// The force at the state, which must be on the foot of the manifold.
    fn know(&mut self, state: &State, substep: &Substep) -> Result<(), StepError> {
        let Self { force, manifold, acceleration, multipliers, .. } = self;
        force.evaluate(&state.q, &state.v, state.t, substep, state.t)?;
        acceleration.copy_from_slice(&force.averages().acceleration);
        manifold.multipliers(&state.q, &state.v, state.t, acceleration, multipliers);
        self.known = true;
        Ok(())
    }

    /// The position stage, and the prediction of the velocity.
    fn reach(&mut self, state: &State, h: f64, next: &mut State) -> Result<(), Failure> {
        let Self { options, manifold, acceleration, multipliers, kick, between, .. } = self;
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

    fn attempt(&mut self, state: &State, substep: &Substep, next: &mut State) -> Result<(), StepError> {
        let (time, h) = (state.t, substep.size);
        if !self.known {
            self.know(state, substep)?;
        }
        let method = self.force.method;
        self.reach(state, h, next).map_err(|failure| {
            on_constraints(failure, self.manifold.system(), method, substep, time, &next.q)
        })?;
        let Self { force, manifold, acceleration, multipliers, between, .. } = self;
        force.evaluate(&next.q, &next.v, next.t, substep, time)?;
        let a = &force.averages().acceleration;
        for ((v, p), a) in next.v.iter_mut().zip(&*between).zip(a) {
            *v = p + 0.5 * h * a;
        }
        manifold.make_tangent(&next.q, &mut next.v, next.t);
        force.check(next, substep, time)?;
        // Nothing can fail from here on.
        acceleration.copy_from_slice(a);
        manifold.multipliers(&next.q, &next.v, next.t, acceleration, multipliers);
        Ok(())
    }
}

/// A window followed from the old velocity may no longer be the right one after a kick, and the multipliers depend on it.
impl<S: ConstrainedVibrated + ?Sized, B: MicroStart> Flow for MacroRattleFlow<'_, S, B> {
    const TAKES_KICKS: bool = true;

    fn advance(&mut self, state: &State, substep: &Substep, next: &mut State) -> Result<(), StepError> {
        self.attempt(state, substep, next).inspect_err(|_| self.manifold.return_to(&state.q, state.t))
    }

    fn multipliers(&self) -> Option<&[f64]> {
        self.known.then_some(&self.multipliers)
    }

    fn report(&self) -> Report<'_> {
        self.force.report_on(&self.manifold)
    }

    fn warning(&self) -> Option<&str> {
        self.manifold.warning()
    }

    fn go_on_from(&mut self, state: &State) -> bool {
        self.manifold.return_to(&state.q, state.t);
        self.known = false;
        true
    }

    fn make_tangent(&mut self, v: &mut [f64]) {
        if self.manifold.is_settled() {
            self.manifold.remove_normal(v);
        }
    }

    fn kick(&mut self, State { t, q, v }: &mut State) {
        if self.manifold.is_settled() {
            self.manifold.make_tangent(q, v, *t);
        }
        self.known = false;
    }
}

carried!([S: ConstrainedVibrated + ?Sized, B] MacroRattleFlow<'_, S, B> {
    force, manifold, acceleration, multipliers, known
} besides { options, kick, between });
