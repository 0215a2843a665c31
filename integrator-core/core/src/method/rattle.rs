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
use super::check::by_default;
use super::composition::Symmetric;
use super::constraint::{Checked, Passage, Span, Stages, check_options, has_light_parts, stand_on};
use super::contract::{Claims, Method, Stepper, claims};
use super::flow::{Erased, Flow, Substep};
use super::force_error::Attempt;
use super::instability::Instability;
use super::linearization::program::{LinearStep, Program};
use super::linearization::{Differentiable, Kicks};
use super::report::Report;
use super::running::{Ready, Running};
use super::scheme::Scheme;
use super::stability::{self, FirstStep};
use super::variational::{fastest_drag, start_by_saddle, trapezoid};
use crate::carried::carried;
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

by_default!(Rattle { tolerance: 1e-14, iterations: 50 });

claims! {
    impl Claims for Rattle: "rattle" of order 2;
    SYMPLECTIC yes, REVERSIBLE yes, MOMENTUM yes, IMPULSE yes, PARTS yes; derivatives by Inputs
}

impl<S: Constrained + ?Sized> Method<S> for Rattle {
    fn start<'s>(&self, system: &'s S, state: State, step: f64) -> Begun<impl Stepper + use<'s, S>> {
        self.start_parts(system, state, step)
    }

    fn instability(&self, system: &S, state: &State, step: f64) -> Option<Instability> {
        stability::constrained(&FirstStep { method: Self::NAME, system, state, step })
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

    fn linear<'s>(&self, system: &'s S, _: usize) -> Begun<Box<dyn LinearStep + 's>> {
        if system.forced().is_some() || has_light_parts(system) {
            return trapezoid(system, Self::NAME);
        }
        Ok(Box::new(Program::new(Kicks::rattle(system, Self::NAME)?)))
    }
}

impl Rattle {
    pub(super) fn start_flow<'s, S: Constrained + ?Sized>(
        &self,
        system: &'s S,
        state: State,
        step: f64,
    ) -> Ready<'s, Erased<'s>> {
        let newton = check_options(Self::NAME, self.tolerance, self.iterations, step)?;
        let checked = stand_on(system, state.clone(), Self::NAME);
        if let Err(StartError::Massless { .. }) = checked {
            return start_by_saddle(system, Self::NAME, (self.tolerance, self.iterations), state, step);
        }
        let Checked { manifold, state, .. } = checked?;
        let [now, next] = std::array::from_fn(|_| Balance {
            a: vec![0.0; state.q.len()],
            multipliers: vec![0.0; system.constraints()],
            solved: true,
        });
        let mut flow = RattleFlow { stages: Stages::new(manifold, newton, &state, step)?, now, next };
        flow.belong_to(&state);
        let run = Running::new(Erased::of(flow), state, step).to_tolerance(self.tolerance);
        run.within(Self::NAME, system)
    }
}

pub(super) struct RattleFlow<'s, S: ?Sized> {
    stages: Stages<'s, S>,
    now: Balance,
    next: Balance,
}

/// M⁻¹ f and λ at a state; f excludes forces that depend on velocities.
struct Balance {
    a: Vec<f64>,
    multipliers: Vec<f64>,
    /// False if the state has no multipliers.
    solved: bool,
}

impl<S: Constrained + ?Sized> Flow for RattleFlow<'_, S> {
    fn takes_kicks(&self) -> bool {
        true
    }

    fn takes_parts(&self) -> bool {
        true
    }

    fn scheme(&self) -> Option<Scheme<'_>> {
        let (system, rows) = (self.stages.manifold.system().in_lanes()?, self.stages.in_lanes()?);
        Some(Scheme { system, reciprocals: rows.reciprocals, parts: &[1.0], rows: Some(rows) })
    }

    fn advance(&mut self, state: &State, substep: &Substep, next: &mut State) -> Result<(), StepError> {
        if let Err(failure) = self.attempt(state, substep.size, next) {
            let manifold = &mut self.stages.manifold;
            manifold.return_to(&state.q, state.t);
            let system = manifold.system();
            let error = failure.in_step_on(system, Rattle::NAME, substep, state.t);
            return Err(stability::explained(error, system, state));
        }
        std::mem::swap(&mut self.now, &mut self.next);
        self.stages.keep();
        Ok(())
    }

    fn multipliers(&self) -> Option<&[f64]> {
        self.now.solved.then_some(&self.now.multipliers)
    }

    fn warning(&self) -> Option<&str> {
        self.stages.manifold.warning()
    }

    fn report(&self) -> Report<'_> {
        Report::of(self.stages.manifold.evaluations)
    }

    fn go_on_from(&mut self, state: &State) -> bool {
        self.stages.manifold.return_to(&state.q, state.t);
        self.belong_to(state);
        true
    }

    fn trace_length(&self) -> usize {
        2 * self.now.multipliers.len()
    }

    fn trace(&self, trace: &mut [f64]) {
        let (x, mu) = trace.split_at_mut(self.now.multipliers.len());
        self.stages.write_impulse(x);
        mu.copy_from_slice(self.stages.manifold.last_correction());
    }

    fn make_tangent(&mut self, v: &mut [f64]) {
        if self.stages.manifold.is_settled() {
            self.stages.manifold.remove_normal(v);
        }
    }

    fn kick(&mut self, state: &mut State) {
        if self.stages.manifold.is_settled() {
            self.stages.manifold.make_tangent(&state.q, &mut state.v, state.t);
            self.balance(state);
        }
    }
}

impl<S: Constrained + ?Sized> RattleFlow<'_, S> {
    /// Makes the memory belong to the state at which the manifold stands.
    fn belong_to(&mut self, state: &State) {
        self.stages.manifold.acceleration_of_position(&state.q, state.t, &mut self.now.a);
        self.balance(state);
    }

    /// The multipliers of a state, which depend on its velocity.
    fn balance(&mut self, State { t, q, v }: &State) {
        let Balance { a, multipliers, solved } = &mut self.now;
        *solved = self.stages.multipliers((q, v, *t), a, multipliers);
        self.stages.keep();
    }

    fn attempt(&mut self, State { t, q: foot, v: before }: &State, h: f64, next: &mut State) -> Attempt {
        let Self { stages, now, next: new } = self;
        let (n, end) = (stages.manifold.system().dimension(), next.t);
        let (q, v) = (&mut next.q[..n], &mut next.v[..n]);
        let span = Span { q: &foot[..n], v: &before[..n], h, end };
        let passage = Passage { span, at: Instant::beginning(*t, h), kick: 0.5 * h, a: &now.a[..n] };
        stages.pass(passage, (&now.multipliers, &mut new.multipliers), (q, v))?;
        stages.manifold.advance()?;
        stages.manifold.acceleration_of_position(q, end, &mut new.a);
        stages.finish(0.5 * h, &new.a[..n], (q, v, end))?;
        new.solved = stages.multipliers((q, v, end), &new.a, &mut new.multipliers);
        Ok(())
    }
}

carried!([S: Constrained + ?Sized] RattleFlow<'_, S> { stages, now } besides { next });
carried!([] Balance { a, multipliers, solved } besides {});
