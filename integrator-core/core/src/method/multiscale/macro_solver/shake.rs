//! SHAKE in position–velocity form: one window a step, at its beginning.
//!
//! ```text
//! M V_{n+½} = M V_{n−½} + H (F_n + G_nᵀ Λ_n),  X_{n+1} = X_n + H V_{n+½},  g(X_{n+1}, t_{n+1}) = 0,
//! ```
//!
//! with half a kick at the start.

use super::force::SlowForce;
use crate::carried::carried;
use crate::error::StepError;
use crate::method::constraint::{Failure, Manifold};
use crate::method::flow::{Flow, Substep};
use crate::method::multiscale::error::on_constraints;
use crate::method::multiscale::estimate::ForceEstimate;
use crate::method::multiscale::estimator::MicroStart;
use crate::method::report::Report;
use crate::method::shake::Shake;
use crate::system::{ConstrainedVibrated, State};

/// The slow motion by [`Shake`]: SHAKE–SHAKE.
///
/// The velocity of a state is V_{n+½} + (H/2) M⁻¹ F_n made tangent, of order 2 as the positions. The multipliers are Λ_n, those of the step
/// that led here, which belong to its beginning; at the start there are none. F holds the constraint forces of the fast motion, and Λ
/// the rest for the slow one.
pub(in crate::method::multiscale) struct MacroShakeFlow<'s, S: ?Sized, B> {
    options: Shake,
    force: SlowForce<'s, S, B>,
    manifold: Manifold<'s, S>,
    multipliers: Vec<f64>,
    new_multipliers: Vec<f64>,
    /// True once `multipliers` come from a step.
    stepped: bool,
    /// V_{n−½}, once there is one that belongs to the velocity.
    between: Vec<f64>,
    kicked: Vec<f64>,
    under_way: bool,
}

impl<'s, S: ConstrainedVibrated + ?Sized, B: MicroStart> MacroShakeFlow<'s, S, B> {
    pub(in crate::method::multiscale) fn new(
        method: &'static str,
        options: Shake,
        manifold: Manifold<'s, S>,
        estimate: ForceEstimate<'s, B>,
    ) -> Self {
        let system = manifold.system();
        let (zero, none) = (vec![0.0; system.dimension()], vec![0.0; system.constraints()]);
        Self {
            options,
            force: SlowForce::new(method, system, estimate),
            manifold,
            multipliers: none.clone(),
            new_multipliers: none,
            stepped: false,
            between: zero.clone(),
            kicked: zero,
            under_way: false,
        }
    }

    /// The constrained part of a step, after the window.
    fn constrain(&mut self, state: &State, h: f64, next: &mut State) -> Result<(), Failure> {
        let Self { options, force, manifold, multipliers, new_multipliers, .. } = self;
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

    fn attempt(&mut self, state: &State, substep: &Substep, next: &mut State) -> Result<(), StepError> {
        let time = state.t;
        self.force.evaluate(&state.q, &state.v, time, substep, time)?;
        let method = self.force.method;
        self.constrain(state, substep.size, next).map_err(|failure| {
            on_constraints(failure, self.manifold.system(), method, substep, time, &next.q)
        })?;
        self.force.check(next, substep, time)
    }
}

/// The velocity between the steps belongs to the old velocity: after a kick the next step begins with half a kick, as the first
/// one does.
impl<S: ConstrainedVibrated + ?Sized, B: MicroStart> Flow for MacroShakeFlow<'_, S, B> {
    const TAKES_KICKS: bool = true;

    fn advance(&mut self, state: &State, substep: &Substep, next: &mut State) -> Result<(), StepError> {
        if let Err(error) = self.attempt(state, substep, next) {
            self.manifold.return_to(&state.q, state.t);
            return Err(error);
        }
        std::mem::swap(&mut self.between, &mut self.kicked);
        std::mem::swap(&mut self.multipliers, &mut self.new_multipliers);
        (self.under_way, self.stepped) = (true, true);
        Ok(())
    }

    fn multipliers(&self) -> Option<&[f64]> {
        self.stepped.then_some(&self.multipliers)
    }

    fn report(&self) -> Report<'_> {
        self.force.report_on(&self.manifold)
    }

    fn warning(&self) -> Option<&str> {
        self.manifold.warning()
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
        self.under_way = false;
    }
}

carried!([S: ConstrainedVibrated + ?Sized, B] MacroShakeFlow<'_, S, B> {
    force, manifold, multipliers, new_multipliers, stepped, between, under_way
} besides { options, kicked });
