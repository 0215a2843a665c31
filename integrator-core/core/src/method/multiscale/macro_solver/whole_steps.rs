//! Velocity Verlet, and with constraints RATTLE:
//!
//! ```text
//! M V_{n+½} = M V_n + (H/2) (F_n + G_nᵀ Λ⁺),  X_{n+1} = X_n + H V_{n+½},  g(X_{n+1}, t_{n+1}) = 0,
//! M V_{n+1} = M V_{n+½} + (H/2) (F_{n+1} + G_{n+1}ᵀ Λ⁻),  G_{n+1} V_{n+1} + ∂g/∂t = 0.
//! ```

use super::constraints::{Constraints, Drift};
use super::force::SlowForce;
use crate::carried::carried;
use crate::error::StepError;
use crate::forward::forward;
use crate::method::flow::{Flow, Substep};
use crate::method::multiscale::estimate::ForceEstimate;
use crate::method::multiscale::estimator::MicroStart;
use crate::method::report::Report;
use crate::system::{State, Vibrated};

/// The slow motion by [`Verlet`](crate::method::Verlet) or [`Rattle`](crate::method::Rattle):
/// RATTLE–SHAKE, with the positions of SHAKE–SHAKE.
///
/// The multipliers satisfy M Q̈ = F + Gᵀ Λ at the state; F contains the constraint forces of the fast
/// motion. The window at the new position starts from the predicted velocity V_{n+½} + (H/2) M⁻¹ F_n,
/// made tangent.
pub(in crate::method::multiscale) struct WholeStepsFlow<'s, S: ?Sized, B, C> {
    force: SlowForce<'s, S, B>,
    constraints: C,
    /// M⁻¹ F at the state, if `known`.
    acceleration: Vec<f64>,
    known: bool,
    between: Vec<f64>,
}

impl<'s, S: Vibrated + ?Sized, B: MicroStart, C: Constraints> WholeStepsFlow<'s, S, B, C> {
    pub(in crate::method::multiscale) fn new(
        method: &'static str,
        system: &'s S,
        constraints: C,
        estimate: ForceEstimate<'s, B>,
    ) -> Self {
        let zero = vec![0.0; system.dimension()];
        let force = SlowForce::new(method, system, estimate);
        Self { force, constraints, acceleration: zero.clone(), known: false, between: zero }
    }

    /// Assigns the last force to a state, which is the foot of the constraints.
    fn know(&mut self, state: &State) {
        self.acceleration.copy_from_slice(&self.force.averages().acceleration);
        self.constraints.balance(state, &self.acceleration);
        self.known = true;
    }

    fn attempt(&mut self, state: &State, substep: &Substep, next: &mut State) -> Result<(), StepError> {
        let (h, time) = (substep.size, state.t);
        if !self.known {
            self.force.evaluate(&state.q, &state.v, time, substep, time)?;
            self.know(state);
        }
        let Self { force, constraints, acceleration, between, .. } = self;
        let old = acceleration.iter().zip(state.v.iter().zip(&state.q));
        for ((p, new_q), (a, (v, q))) in between.iter_mut().zip(next.q.iter_mut()).zip(old) {
            *p = v + 0.5 * h * a;
            *new_q = q + h * *p;
        }
        constraints.reach(Drift { method: force.method, substep, state, kick: 0.5 * h }, between, next)?;
        kick_again(h, between, acceleration, constraints, next);
        force.check(next, substep, time)?;
        force.evaluate(&next.q, &next.v, next.t, substep, time)?;
        kick_again(h, between, &force.averages().acceleration, constraints, next);
        force.check(next, substep, time)?;
        // Nothing can fail from here on.
        self.know(next);
        Ok(())
    }
}

/// V_{n+½} + (H/2) M⁻¹ F, made tangent.
pub(super) fn kick_again(
    h: f64,
    between: &[f64],
    acceleration: &[f64],
    constraints: &mut impl Constraints,
    next: &mut State,
) {
    for ((v, p), a) in next.v.iter_mut().zip(between).zip(acceleration) {
        *v = p + 0.5 * h * a;
    }
    constraints.make_tangent(next);
}

/// After a kick the window followed from the old velocity may be wrong, and so may the multipliers.
impl<S: Vibrated + ?Sized, B: MicroStart, C: Constraints> Flow for WholeStepsFlow<'_, S, B, C> {
    const TAKES_KICKS: bool = true;

    fn advance(&mut self, state: &State, substep: &Substep, next: &mut State) -> Result<(), StepError> {
        self.attempt(state, substep, next).inspect_err(|_| {
            self.force.forget();
            self.constraints.return_to(state);
        })
    }

    forward! { constraints:
        multipliers() -> Option<&[f64]>;
        warning() -> Option<&str>;
    }

    fn report(&self) -> Report<'_> {
        self.force.report(self.constraints.evaluations())
    }

    fn go_on_from(&mut self, state: &State) -> bool {
        self.constraints.return_to(state);
        self.constraints.forget();
        self.force.forget();
        self.known = false;
        true
    }

    fn make_tangent(&mut self, v: &mut [f64]) {
        self.constraints.remove_normal(v);
    }

    fn kick(&mut self, state: &mut State) {
        self.constraints.make_tangent(state);
        self.constraints.forget();
        self.known = false;
    }
}

carried!([S: ?Sized, B, C: Constraints] WholeStepsFlow<'_, S, B, C> {
    force, constraints, acceleration, known
} besides { between });
