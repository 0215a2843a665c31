//! RATTLE: velocity Verlet on the constraint manifold.
//!
//! # The scheme
//!
//! With `G_k = G(q_k, t_k)` and `f(q, t) = −∇V(q, t) + F(q, t)`:
//!
//! ```text
//! v_{k+½} = v_k + (h/2) M⁻¹ (f(q_k, t_k) + G_kᵀ λ_k⁺),
//! q_{k+1} = q_k + h v_{k+½},
//! with λ_k⁺ such that g(q_{k+1}, t_{k+1}) = 0;
//!
//! v_{k+1} = v_{k+½} + (h/2) M⁻¹ (f(q_{k+1}, t_{k+1}) + G_{k+1}ᵀ λ⁻_{k+1}),
//! with λ⁻_{k+1} such that G_{k+1} v_{k+1} + ∂g/∂t(q_{k+1}, t_{k+1}) = 0.
//! ```
//!
//! Newton's method with a sparse direct factorization solves the first for the multipliers, starting
//! from the multipliers of the state; the second is linear. A step factors `G_{k+1} M⁻¹ G_{k+1}ᵀ` once,
//! for the velocity, the multipliers, and the next position stage, which factors its own matrix only if
//! it converges slowly. Forces F that depend on velocities, such as drag, are evaluated at the velocity
//! between the positions, which makes the first half of the kick implicit:
//!
//! ```text
//! M v_{k+½} = M v_k + (h/2) (f(q_k, t_k) + F(q_k, v_{k+½}, t_k) + G_kᵀ λ_k⁺),
//! M v_{k+1} = M v_{k+½} + (h/2) (f(q_{k+1}, t_{k+1}) + F(q_{k+1}, v_{k+½}, t_{k+1})
//!             + G_{k+1}ᵀ λ⁻_{k+1}).
//! ```
//!
//! Then the velocity and λ⁺ are solved for together. Where F changes velocities little in a step, as the
//! air around a chain, sweeps reuse the factors of the step; otherwise M − (h/2) ∂F/∂v replaces M, with
//! one more sparse factorization a step.
//!
//! Inputs of F enter the first half of a kick as 2 (m₀ − m₁)/h and the second as 2 m₁/h, as in
//! [`Verlet`](super::verlet).
//!
//! A step depends only on `(q_k, v_k, t_k)`: a run that starts from a state of another continues it to
//! the last bit.
//!
//! The reported multipliers satisfy M q̈ = f + F + Gᵀ λ at `(q_k, v_k, t_k)`: G M⁻¹ Gᵀ λ = −(G M⁻¹ (f +
//! F) + d²g/dt² at zero q̈). They are as accurate as the state, order 2; λ⁺ and λ⁻ are of order 1 each.
//!
//! # Requirements on the model
//!
//! A natural system (constant mass, positive where rows leave motions free, and a potential) with
//! holonomic constraints, which may depend on time, and with any other forces.
//!
//! # Constraints that depend on each other
//! If one constraint follows from the others, everywhere or at single positions, G M⁻¹ Gᵀ is singular.
//! Then G M⁻¹ Gᵀ + δ W replaces it, with δ = 10⁻⁹ and W the square of the longest row in the metric of
//! M⁻¹: with true residuals an iteration of the proximal method of multipliers, as for the
//! [variational integrators](super::variational#constraints-that-depend-on-each-other). The motion is
//! unchanged; the multipliers have least norm, and are absent where none exist. A start with dependent
//! rows gives a [warning](super::Stepper::warning) with their names; contradictory rows are refused.
//! Rows may hold a motion by its square alone, as all distances hold the bend of a straight molecule:
//! they keep it to the root of 10⁻⁹, and residuals of this size to themselves.
//!
//! # Light parts, and parts without mass
//! If rows hold a part whose mass is nothing beside theirs, or zero, G M⁻¹ Gᵀ is useless. From such a
//! start on [M Gᵀ; G 0] replaces it, as in the [trapezoid](super::variational), the same scheme.
//!
//! # Order and invariants
//!
//! Order 2 in q and v. Symplectic on the constraint manifold, reversible; conserves the linear and
//! angular momentum that the system conserves. Positions and velocities satisfy the constraints to
//! round-off.
//!
//! With forces F it is symmetric and of order 2, not symplectic; see [`Verlet`](super::verlet) for drag.
//!
//! # Parameters
//!
//! `tolerance` in (0, 0.001], default 10⁻¹⁴: a position is accepted when `|g_c| ≤ tolerance · s_c` for
//! every equation c, with `s_c = Σ_j |∂g_c/∂q_j| (|q_j| + h |v_j|)` the change of `g_c` per relative
//! change of q; a component of a point or of a matrix counts as a thousandth of the largest at least. A
//! residual that stops decreasing earlier is accepted up to 64 round-off units of `s_c`; if rows depend
//! on each other, or after the most iterations, `s_c` takes the largest `|q|` of each coordinate, whose
//! rounding bounds all. Otherwise the step is an error. `iterations` at least 1, default 50: the most
//! iterations in a step.
//!
//! # Reference
//!
//! H. C. Andersen, Rattle: a "velocity" version of the Shake algorithm for molecular dynamics
//! calculations, J. Comput. Phys. 52 (1983), 24-34, doi:10.1016/0021-9991(83)90014-1.
//! E. Hairer, C. Lubich, G. Wanner, Geometric Numerical Integration (2006), section VII.1.4,
//! doi:10.1007/3-540-30666-8.

use super::applied::Instant;
use super::composition::Symmetric;
use super::constraint::{
    Checked, HeldKick, KickStage, Manifold, check_options, has_light_parts, kick_and_drift, scale, stand_on,
};
use super::contract::{Claims, Method, Stepper, claims};
use super::flow::{Either, Flow, Substep};
use super::force_error::{Attempt, check_finite};
use super::instability::Instability;
use super::linearization::program::Linear;
use super::linearization::{Differentiable, Extended, RattleMap};
use super::report::Report;
use super::running::{Ready, Running};
use super::stability;
use super::variational::{BySaddle, fastest_drag, held_map, start_by_saddle};
use crate::carried::{Carried, CarryError, Memory, carried, part};
use crate::error::{Begun, StartError, StepError};
use crate::system::{Constrained, State};

/// Velocity Verlet on the constraint manifold.
///
/// # Examples
/// ```
/// use least_action::drive::{ConstraintResidual, integrate};
/// use least_action::method::Rattle;
/// use least_action::prelude::*;
///
/// struct Pendulum { rod: f64 }
///
/// #[lagrangian]
/// impl Pendulum {
///     fn lagrangian(&self, bob: Vec2) -> Scalar {
///         0.5 * der(bob).norm_squared() - 9.81 * bob.y
///     }
///
///     #[holonomic]
///     fn rod(&self, bob: Vec2) -> Scalar {
///         bob.norm_squared() - self.rod.powi(2)
///     }
/// }
///
/// let (system, start) = (Pendulum { rod: 0.5 }.bind()?, State::at_rest(vec![0.5, 0.0]));
/// let run = integrate(&system, &Rattle::default(), start, 0.01)?.until(1.0);
/// let run = run.measure(ConstraintResidual::of(&system)).record()?;
/// let residual = run.column("constraint_residual").ok_or("the residual is recorded")?;
/// assert!(residual.iter().all(|g| g.abs() < 1e-13));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rattle {
    /// The largest accepted residual of a constraint, relative to its natural size; in (0, 0.001].
    pub tolerance: f64,
    /// The most iterations of Newton's method in a step.
    pub iterations: u32,
}

impl Default for Rattle {
    fn default() -> Self {
        Self { tolerance: 1e-14, iterations: 50 }
    }
}

claims! {
    impl Claims for Rattle: "rattle" of order 2;
    SYMPLECTIC yes, REVERSIBLE yes, MOMENTUM yes, IMPULSE yes; derivatives by Inputs
}

impl<S: Constrained + ?Sized> Method<S> for Rattle {
    fn start<'s>(&self, system: &'s S, state: State, step: f64) -> Begun<impl Stepper + use<'s, S>> {
        self.start_parts(system, state, step)
    }

    fn instability(&self, system: &S, state: &State, step: f64) -> Option<Instability> {
        stability::constrained(Self::NAME, system, state, step)
    }
}

impl<S: Constrained + ?Sized> Symmetric<S> for Rattle {
    fn start_parts<'s>(&self, system: &'s S, state: State, step: f64) -> Ready<'s, impl Flow + use<'s, S>> {
        self.start_flow(system, state, step)
    }

    fn fastest_drag(&self, system: &S, state: &State) -> Option<f64> {
        fastest_drag(system.mechanics()?, state)
    }
}

impl<S: Constrained + ?Sized> Differentiable<S> for Rattle {
    fn traced<'s>(&self, system: &'s S, state: State, step: f64) -> Ready<'s, impl Flow + use<'s, S>> {
        self.start_flow(system, state, step)
    }

    fn linear<'s>(&self, system: &'s S, _: usize) -> Begun<Box<dyn Linear + 's>> {
        if system.forced().is_some() || has_light_parts(system) {
            return held_map(system, Self::NAME);
        }
        Ok(Box::new(RattleMap::new(Extended::new(system, Self::NAME)?, system)?))
    }
}

impl Rattle {
    pub(super) fn start_flow<'s, S: Constrained + ?Sized>(
        &self,
        system: &'s S,
        state: State,
        step: f64,
    ) -> Ready<'s, OfRattle<'s, S>> {
        check_options(Self::NAME, self.tolerance, self.iterations, step)?;
        let checked = stand_on(system, state.clone(), Self::NAME);
        if let Err(StartError::Massless { .. }) = checked {
            return start_by_saddle(system, Self::NAME, (self.tolerance, self.iterations), state, step);
        }
        let Checked { mut manifold, state, .. } = checked?;
        let a = vec![0.0; state.q.len()];
        let multipliers = vec![0.0; system.constraints()];
        let drag = match manifold.held_kick()? {
            None => None,
            Some(mut kick) => {
                kick.rehearse(&mut manifold, &state, 0.5 * step);
                Some(Box::new(RattleDrag {
                    kick: *kick,
                    size: step,
                    a: a.clone(),
                    new_a: a.clone(),
                    free: a.clone(),
                }))
            }
        };
        let (new_a, new_multipliers) = (a.clone(), multipliers.clone());
        let mut flow = RattleFlow {
            options: *self,
            manifold,
            drag,
            a,
            multipliers,
            solved: true,
            new_a,
            new_multipliers,
            new_solved: true,
        };
        flow.belong_to(&state);
        let run = Running::new(Either::First(Box::new(flow)), state, step).to_tolerance(self.tolerance);
        Ok(run.within(Self::NAME, system))
    }
}

/// RATTLE by the Schur complement G M⁻¹ Gᵀ, or by the saddle point system where M⁻¹ is of no use.
pub(super) type OfRattle<'s, S> = Either<RattleFlow<'s, S>, BySaddle<'s>>;

pub(super) struct RattleFlow<'s, S: ?Sized> {
    options: Rattle,
    manifold: Manifold<'s, S>,
    drag: Option<Box<RattleDrag<'s>>>,
    /// M⁻¹ f and λ at the state; f excludes forces that depend on velocities.
    a: Vec<f64>,
    multipliers: Vec<f64>,
    /// False if the state has no multipliers.
    solved: bool,
    new_a: Vec<f64>,
    new_multipliers: Vec<f64>,
    new_solved: bool,
}

/// The kicks by forces that depend on velocities.
struct RattleDrag<'s> {
    kick: HeldKick<'s>,
    /// The length of the last part of a step.
    size: f64,
    /// M⁻¹ F at the state.
    a: Vec<f64>,
    new_a: Vec<f64>,
    /// M⁻¹ (f + F).
    free: Vec<f64>,
}

impl RattleDrag<'_> {
    /// Keeps M⁻¹ F at a state for the next step; returns M⁻¹ (f + F).
    fn stand<S: Constrained + ?Sized>(
        &mut self,
        manifold: &mut Manifold<'_, S>,
        others: &[f64],
        state: (&[f64], &[f64], Instant),
    ) -> &[f64] {
        self.kick.accelerate_with(manifold, state, others, (&mut self.a, &mut self.free));
        &self.free
    }
}

impl<S: Constrained + ?Sized> Flow for RattleFlow<'_, S> {
    const TAKES_KICKS: bool = true;

    fn advance(&mut self, state: &State, substep: &Substep, next: &mut State) -> Result<(), StepError> {
        if let Err(failure) = self.attempt(state, substep.size, next) {
            self.manifold.return_to(&state.q, state.t);
            let system = self.manifold.system();
            let error = failure.in_step_on(system, Rattle::NAME, substep, state.t);
            return Err(stability::explained(error, system, state));
        }
        std::mem::swap(&mut self.a, &mut self.new_a);
        if let Some(drag) = &mut self.drag {
            std::mem::swap(&mut drag.a, &mut drag.new_a);
        }
        std::mem::swap(&mut self.multipliers, &mut self.new_multipliers);
        self.solved = self.new_solved;
        Ok(())
    }

    fn multipliers(&self) -> Option<&[f64]> {
        self.solved.then_some(&self.multipliers)
    }

    fn warning(&self) -> Option<&str> {
        self.manifold.warning()
    }

    fn report(&self) -> Report<'_> {
        Report::of(self.manifold.evaluations)
    }

    fn go_on_from(&mut self, state: &State) -> bool {
        self.manifold.return_to(&state.q, state.t);
        self.belong_to(state);
        true
    }

    fn trace_length(&self) -> usize {
        2 * self.multipliers.len()
    }

    fn trace(&self, trace: &mut [f64]) {
        let (x, mu) = trace.split_at_mut(self.multipliers.len());
        match &self.drag {
            None => x.copy_from_slice(self.manifold.impulse()),
            Some(drag) => scale(drag.size, drag.kick.stage_impulse(), x),
        }
        mu.copy_from_slice(self.manifold.last_correction());
    }

    fn make_tangent(&mut self, v: &mut [f64]) {
        if self.manifold.is_settled() {
            self.manifold.remove_normal(v);
        }
    }

    fn kick(&mut self, State { t, q, v }: &mut State) {
        if self.manifold.is_settled() {
            let Self { manifold, drag, a, multipliers, solved, .. } = self;
            manifold.make_tangent(q, v, *t);
            // The multipliers of a state depend on its velocity.
            let free = match drag {
                None => a,
                Some(drag) => drag.stand(manifold, a, (q, v, Instant::at(*t))),
            };
            *solved = manifold.multipliers(q, v, *t, free, multipliers);
        }
    }
}

impl<S: Constrained + ?Sized> RattleFlow<'_, S> {
    /// Makes the memory belong to the state at which the manifold stands.
    fn belong_to(&mut self, State { t, q, v }: &State) {
        let Self { manifold, drag, a, multipliers, solved, .. } = self;
        manifold.acceleration_of_position(q, *t, a);
        let free = match drag {
            None => a,
            Some(drag) => drag.stand(manifold, a, (q, v, Instant::at(*t))),
        };
        *solved = manifold.multipliers(q, v, *t, free, multipliers);
    }

    /// A step with forces that depend on velocities.
    fn attempt_with_drag(&mut self, state: &State, h: f64, next: &mut State) -> Attempt {
        let Self { options, manifold, drag, .. } = self;
        let Some(drag) = drag else { return Ok(()) };
        let State { t: new_t, q, v } = next;
        let (c, RattleDrag { kick, size, a, new_a, free }) = (0.5 * h, &mut **drag);
        *size = h;

        // The position stage for u, from u = v + ½ h q̈.
        let State { t, q: foot, v: before } = state;
        let stage = KickStage {
            q: foot,
            v: before,
            kick: c,
            a: &self.a,
            drag: a,
            at: Instant::beginning(*t, h),
            end: *new_t,
            h,
            c,
        };
        kick.begin(manifold, stage, (c, &self.multipliers), v);
        manifold.reach_with(kick, stage, (q, v), options.tolerance, options.iterations)?;

        // The second half of the kick, with F at u, and the velocity stage.
        manifold.advance()?;
        manifold.acceleration_of_position(q, *new_t, &mut self.new_a);
        let drag = kick.at_end(manifold, (q, v, Instant::end(*new_t, h)));
        for (v, (a, drag)) in v.iter_mut().zip(self.new_a.iter().zip(drag)) {
            *v += c * (a + drag);
        }
        manifold.make_tangent(q, v, *new_t);
        if !v.iter().fold(true, |all, entry| all & entry.is_finite()) {
            return check_finite(v);
        }

        // The multipliers of the state, with F at its velocity.
        kick.accelerate_with(manifold, (q, v, Instant::at(*new_t)), &self.new_a, (new_a, free));
        self.new_solved = manifold.multipliers(q, v, *new_t, free, &mut self.new_multipliers);
        Ok(())
    }

    fn attempt(&mut self, state: &State, h: f64, next: &mut State) -> Attempt {
        if self.drag.is_some() {
            return self.attempt_with_drag(state, h, next);
        }
        let Self { manifold, .. } = self;
        let n = manifold.system().dimension();
        let (q, v) = (&mut next.q[..n], &mut next.v[..n]);

        // Half a kick, and the drift.
        v.copy_from_slice(&self.a[..n]);
        kick_and_drift((0.5 * h, h), (&state.q[..n], &state.v[..n]), q, v);

        // The position stage: λ⁺, starting from the multipliers of the state.
        let (from, guess) = ((&state.q[..n], &state.v[..n], h), (0.5 * h * h, &self.multipliers[..]));
        manifold.reach(q, next.t, from, guess, self.options.tolerance, self.options.iterations)?;
        scale(1.0 / h, manifold.impulse(), &mut self.new_multipliers);
        manifold.add_motion(&self.new_multipliers, v);

        // The second half of the kick, and the velocity stage.
        manifold.advance()?;
        manifold.acceleration_of_position(q, next.t, &mut self.new_a);
        for (v, a) in v.iter_mut().zip(&self.new_a) {
            *v += 0.5 * h * a;
        }
        manifold.make_tangent(q, v, next.t);
        // No early exit, so that the loop vectorizes.
        if !v.iter().fold(true, |all, entry| all & entry.is_finite()) {
            return check_finite(v);
        }

        self.new_solved = manifold.multipliers(q, v, next.t, &self.new_a, &mut self.new_multipliers);
        Ok(())
    }
}

impl<S: Constrained + ?Sized> Carried for RattleFlow<'_, S> {
    fn carry(&mut self, memory: &mut Memory<'_>) -> Result<(), CarryError> {
        let Self {
            options: _,
            manifold,
            drag,
            a,
            multipliers,
            solved,
            new_a: _,
            new_multipliers: _,
            new_solved: _,
        } = self;
        manifold.carry(memory)?;
        part(drag.as_mut(), memory)?;
        a.carry(memory)?;
        multipliers.carry(memory)?;
        solved.carry(memory)
    }
}

carried!([] RattleDrag<'_> { a } besides { kick, size, new_a, free });
