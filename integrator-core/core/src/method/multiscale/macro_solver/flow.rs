//! Velocity Verlet, and with constraints RATTLE, in whole steps:
//!
//! ```text
//! M V_{n+½} = M V_n + (H/2) (F_n + G_nᵀ Λ⁺),  X_{n+1} = X_n + H V_{n+½},  g(X_{n+1}, t_{n+1}) = 0,
//! M V_{n+1} = M V_{n+½} + (H/2) (F_{n+1} + G_{n+1}ᵀ Λ⁻),  G_{n+1} V_{n+1} + ∂g/∂t = 0.
//! ```
//!
//! Leap-frog, as in the paper, and with constraints SHAKE in position–velocity form: one window a step,
//! at its beginning, with half a kick at the start.
//!
//! ```text
//! M V_{n+½} = M V_{n−½} + H (F_n + G_nᵀ Λ_n),  X_{n+1} = X_n + H V_{n+½},  g(X_{n+1}, t_{n+1}) = 0.
//! ```

use super::constraints::{Constraints, Drift};
use crate::carried::carried;
use crate::error::StepError;
use crate::forward::forward;
use crate::method::contract::claims;
use crate::method::flow::{Flow, Substep};
use crate::method::multiscale::estimate::SlowForce;
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

/// The slow motion, in whole steps by [`Verlet`](crate::method::Verlet) or
/// [`Rattle`](crate::method::Rattle), otherwise by [`LeapFrog`] or [`Shake`](crate::method::Shake).
/// With constraints these are RATTLE–SHAKE and SHAKE–SHAKE, of equal positions.
///
/// F contains the constraint forces of the fast motion, and the multipliers the rest for the slow one:
/// in whole steps M Q̈ = F + Gᵀ Λ at the state, in leap-frog Λ_n of the last step, at its beginning;
/// none at the start.
///
/// V_{n+½} + (H/2) M⁻¹ F_n, made tangent, is the velocity of leap-frog, of order 2 as the positions, and
/// the prediction from which the window at the new position starts in whole steps.
pub(in crate::method::multiscale) struct MacroFlow<'s, S: ?Sized, B, C, const WHOLE_STEPS: bool> {
    force: SlowForce<'s, S, B>,
    constraints: C,
    /// M⁻¹ F at the state in whole steps, V_{n−½} in leap-frog.
    kept: Vec<f64>,
    /// True if `kept` belongs to the state and its velocity.
    known: bool,
    between: Vec<f64>,
}

impl<'s, S: Vibrated + ?Sized, B: MicroStart, C: Constraints, const WHOLE_STEPS: bool>
    MacroFlow<'s, S, B, C, WHOLE_STEPS>
{
    pub(in crate::method::multiscale) fn new(force: SlowForce<'s, S, B>, constraints: C) -> Self {
        let zero = vec![0.0; force.acceleration().len()];
        Self { force, constraints, kept: zero.clone(), known: false, between: zero }
    }

    /// Assigns the last force to a state, which is the foot of the constraints.
    fn know(&mut self, state: &State) {
        self.kept.copy_from_slice(self.force.acceleration());
        self.constraints.balance(state, &self.kept);
        self.known = true;
    }

    fn attempt(&mut self, state: &State, substep: &Substep, next: &mut State) -> Result<(), StepError> {
        let (h, time) = (substep.size, state.t);
        if !(WHOLE_STEPS && self.known) {
            self.force.evaluate(&state.q, &state.v, time, substep, time)?;
            if WHOLE_STEPS {
                self.know(state);
            }
        }
        let Self { force, constraints, kept, known, between } = self;
        let a = if WHOLE_STEPS { &*kept } else { force.acceleration() };
        let (base, kick) = if !WHOLE_STEPS && *known { (&*kept, h) } else { (&state.v, 0.5 * h) };
        let old = base.iter().zip(a).zip(&state.q);
        for ((p, new_q), ((base, a), q)) in between.iter_mut().zip(next.q.iter_mut()).zip(old) {
            *p = base + kick * a;
            *new_q = q + h * *p;
        }
        constraints.reach(Drift { method: force.method, substep, state, kick }, between, next)?;
        kick_again(h, between, a, constraints, next);
        force.check(next, substep, time)?;
        if WHOLE_STEPS {
            force.evaluate(&next.q, &next.v, next.t, substep, time)?;
            kick_again(h, between, force.acceleration(), constraints, next);
            force.check(next, substep, time)?;
            // Nothing can fail from here on.
            self.know(next);
        } else {
            constraints.take_impulses(kick);
            std::mem::swap(kept, between);
            *known = true;
        }
        Ok(())
    }
}

/// V_{n+½} + (H/2) M⁻¹ F, made tangent.
fn kick_again(
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

/// After a kick the window followed from the old velocity may be wrong, and so may the multipliers of
/// whole steps; leap-frog begins with half a kick, as in the first step.
impl<S: Vibrated + ?Sized, B: MicroStart, C: Constraints, const WHOLE_STEPS: bool> Flow
    for MacroFlow<'_, S, B, C, WHOLE_STEPS>
{
    fn takes_kicks(&self) -> bool {
        true
    }

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
        if WHOLE_STEPS {
            self.constraints.return_to(state);
            self.constraints.forget();
            self.force.forget();
            self.known = false;
        }
        WHOLE_STEPS
    }

    fn make_tangent(&mut self, v: &mut [f64]) {
        self.constraints.remove_normal(v);
    }

    fn kick(&mut self, state: &mut State) {
        self.constraints.make_tangent(state);
        if WHOLE_STEPS {
            self.constraints.forget();
        }
        self.known = false;
    }
}

carried!([S: ?Sized, B, C: Constraints, const WHOLE_STEPS: bool] MacroFlow<'_, S, B, C, WHOLE_STEPS> {
    force, constraints, kept, known
} besides { between });
