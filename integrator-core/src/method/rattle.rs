//! RATTLE: velocity Verlet on the constraint manifold.
//!
//! # The scheme
//!
//! With `G_k = G(q_k, t_k)` and `f(q, t) = −∇V(q, t)`:
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
//! The first is solved by Newton's method for the multipliers with a sparse direct factorization, started from the
//! multipliers of the state; the second is linear. `G_{k+1} M⁻¹ G_{k+1}ᵀ` is factored once in a step: it serves the velocity,
//! the multipliers, and as the matrix of the next position stage, which gets its own only where that converges slowly.
//! Nothing but `(q_k, v_k, t_k)` enters a step: a run that starts from a state of another continues it to the same bits.
//!
//! The reported multipliers are those of M q̈ = f + Gᵀ λ at `(q_k, v_k, t_k)`: G M⁻¹ Gᵀ λ = −(G M⁻¹ f + d²g/dt² at zero q̈).
//! They are as accurate as the state, order 2; λ⁺ and λ⁻ are of order 1 each.
//!
//! # Requirements on the model
//!
//! A natural system (constant mass, force of the position) with holonomic constraints whose gradients are independent.
//! The constraints may depend on time.
//!
//! # Order and what is preserved
//!
//! Order 2 in q and v. Symplectic on the constraint manifold, reversible; conserves the linear and angular momentum that
//! the system conserves. Positions and velocities satisfy the constraints to round-off.
//!
//! # Parameters
//!
//! `tolerance` in (0, 0.001], default 10⁻¹⁴: a position is accepted when `|g_c| ≤ tolerance · s_c` for every equation c, with
//! `s_c = Σ_j |∂g_c/∂q_j| (|q_j| + h |v_j|)` what `g_c` changes by when its terms change by a factor; a component of a point or of a
//! matrix counts as a thousandth of the largest at least. When the residual stops decreasing before, it is accepted up to 64 round-off units of `s_c`, and an error otherwise.
//! `iterations` at least 1, default 50: the most iterations in a step.
//!
//! # Reference
//!
//! H. C. Andersen, Rattle: a "velocity" version of the Shake algorithm for molecular dynamics calculations, J. Comput.
//! Phys. 52 (1983), 24-34, doi:10.1016/0021-9991(83)90014-1.
//! E. Hairer, C. Lubich, G. Wanner, Geometric Numerical Integration (2006), section VII.1.4, doi:10.1007/3-540-30666-8.

use super::composition::{Part, Parts, composable};
use super::constraint::{Checked, Failure, Manifold, check_options, kick_and_drift, scale, stand_on};
use super::{Claims, Evaluations, Instability, Kicked, Method, Stepper, stability};
use crate::error::{StartError, StepError};
use crate::system::{Constrained, State};

/// Velocity Verlet on the constraint manifold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rattle {
    /// What a constraint may be violated by, relative to its natural size; in (0, 0.001].
    pub tolerance: f64,
    /// The most iterations of Newton's method in a step.
    pub iterations: u32,
}

impl Default for Rattle {
    fn default() -> Self {
        Self { tolerance: 1e-14, iterations: 50 }
    }
}

impl Claims for Rattle {
    const NAME: &'static str = "rattle";
    const ORDER: u32 = 2;
    const SYMPLECTIC: Option<bool> = Some(true);
    const REVERSIBLE: Option<bool> = Some(true);
    const MOMENTUM: Option<bool> = Some(true);
}

impl<S: Constrained + ?Sized> Method<S> for Rattle {
    type Stepper<'s>
        = RattleStepper<'s, S>
    where
        S: 's;

    fn start<'s>(&self, system: &'s S, state: State, step: f64) -> Result<RattleStepper<'s, S>, StartError> {
        check_options(Self::NAME, self.tolerance, self.iterations, step)?;
        let Checked { mut manifold, state } = stand_on(system, state)?;
        let n = state.q.len();
        let mut a = vec![0.0; n];
        manifold.free_acceleration(&state.q, state.t, &mut a);
        let mut multipliers = vec![0.0; system.constraints()];
        manifold.multipliers(&state.q, &state.v, state.t, &a, &mut multipliers);
        let next = State { t: state.t, q: vec![0.0; n], v: vec![0.0; n] };
        let origin = state.t;
        Ok(RattleStepper {
            options: *self,
            manifold,
            h: step,
            origin,
            steps: 0,
            new_multipliers: multipliers.clone(),
            multipliers,
            new_a: vec![0.0; n],
            a,
            next,
            state,
        })
    }

    fn instability(&self, system: &S, state: &State, step: f64) -> Option<Instability> {
        stability::constrained(Self::NAME, system, state, step)
    }
}

composable!(Rattle, Constrained);

/// A run of [`Rattle`].
pub struct RattleStepper<'s, S: ?Sized> {
    options: Rattle,
    manifold: Manifold<'s, S>,
    h: f64,
    origin: f64,
    steps: u64,
    state: State,
    /// M⁻¹ f and λ at the state.
    a: Vec<f64>,
    multipliers: Vec<f64>,
    next: State,
    new_a: Vec<f64>,
    new_multipliers: Vec<f64>,
}

impl<S: Constrained + ?Sized> Parts for RattleStepper<'_, S> {
    fn advance(&mut self, part: &Part) -> Result<(), StepError> {
        self.next.t = part.end;
        match self.attempt(part.size) {
            Ok(()) => {
                std::mem::swap(&mut self.state, &mut self.next);
                std::mem::swap(&mut self.a, &mut self.new_a);
                std::mem::swap(&mut self.multipliers, &mut self.new_multipliers);
                Ok(())
            }
            Err(failure) => {
                self.manifold.return_to(&self.state.q, self.state.t);
                let system = self.manifold.system();
                let (number, time) = (part.number, self.state.t);
                let error = failure.in_step(system, Rattle::NAME, number, time, part.size, &self.next.q);
                Err(stability::explained(error, system, &self.state, part.size))
            }
        }
    }

    fn return_to(&mut self, state: &State) {
        self.state.assign(state);
        self.manifold.return_to(&state.q, state.t);
        self.manifold.free_acceleration(&state.q, state.t, &mut self.a);
        self.manifold.multipliers(&state.q, &state.v, state.t, &self.a, &mut self.multipliers);
    }
}

impl<S: Constrained + ?Sized> Stepper for RattleStepper<'_, S> {
    fn step(&mut self) -> Result<(), StepError> {
        let part = Part::whole(self.steps, self.h, self.origin);
        self.advance(&part)?;
        self.steps += 1;
        Ok(())
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn steps(&self) -> u64 {
        self.steps
    }

    fn multipliers(&self) -> Option<&[f64]> {
        Some(&self.multipliers)
    }

    fn evaluations(&self) -> Evaluations {
        self.manifold.evaluations
    }

    fn go_on_from(&mut self, state: &State) -> bool {
        self.return_to(state);
        true
    }

    fn kicked(&mut self) -> Option<&mut dyn Kicked> {
        Some(self)
    }
}

impl<S: Constrained + ?Sized> Kicked for RattleStepper<'_, S> {
    fn make_tangent(&mut self, v: &mut [f64]) {
        if self.manifold.is_settled() {
            self.manifold.remove_normal(v);
        }
    }

    fn kick(&mut self, v: &[f64]) {
        let Self { manifold, state: State { t, q, v: velocities }, a, multipliers, .. } = self;
        velocities.copy_from_slice(v);
        if manifold.is_settled() {
            manifold.make_tangent(q, velocities, *t);
            // The multipliers of a state depend on its velocity.
            manifold.multipliers(q, velocities, *t, a, multipliers);
        }
    }
}

impl<S: Constrained + ?Sized> RattleStepper<'_, S> {
    fn attempt(&mut self, h: f64) -> Result<(), Failure> {
        let Self { manifold, state, next, .. } = self;
        let (q, v) = (&mut next.q, &mut next.v);
        manifold.measure(&state.q, &state.v, h);

        // Half a kick, and the drift.
        v.copy_from_slice(&self.a);
        kick_and_drift((0.5 * h, h), (&state.q, &state.v), q, v);

        // The position stage: λ⁺, with the multipliers of the state as the first guess.
        let guess = (0.5 * h * h, &self.multipliers[..]);
        manifold.reach(q, next.t, guess, self.options.tolerance, self.options.iterations)?;
        scale(1.0 / h, manifold.impulse(), &mut self.new_multipliers);
        manifold.add_motion(&self.new_multipliers, v);

        // The other half of the kick, and the velocity stage.
        manifold.advance().map_err(Failure::Zero)?;
        manifold.free_acceleration(q, next.t, &mut self.new_a);
        for (v, a) in v.iter_mut().zip(&self.new_a) {
            *v += 0.5 * h * a;
        }
        manifold.make_tangent(q, v, next.t);
        // All are tested without an early exit, so that the loop is vectorized.
        if !v.iter().fold(true, |all, entry| all & entry.is_finite()) {
            return Err(Failure::NotFinite);
        }

        manifold.multipliers(q, v, next.t, &self.new_a, &mut self.new_multipliers);
        Ok(())
    }
}
