//! SHAKE: the leap-frog method with constrained positions.
//!
//! # The scheme
//!
//! With `G_k = G(q_k, t_k)` and `f_k = −∇V(q_k, t_k)`:
//!
//! ```text
//! q_{k+1} − 2 q_k + q_{k−1} = h² M⁻¹ (f_k + G_kᵀ λ_k), with λ_k such that g(q_{k+1}, t_{k+1}) = 0,
//! v_k = (q_{k+1} − q_{k−1}) / 2h,
//! ```
//!
//! carried out with the velocities between the positions:
//!
//! ```text
//! v_{k+½} = v_{k−½} + h M⁻¹ (f_k + G_kᵀ λ_k),  q_{k+1} = q_k + h v_{k+½},  v_k = ½ (v_{k−½} + v_{k+½}).
//! ```
//!
//! The first step is `q_1 = q_0 + h v_0 + (h²/2) M⁻¹ (f_0 + G_0ᵀ λ)`. The positions are those of RATTLE from the same start.
//! The velocity of a position needs the next position, so a step looks one position ahead: reaching `q_k` it solves for
//! `q_{k+1}` and keeps it for the next step. A step fails when that position cannot be found.
//! The velocity satisfies `G_k v_k = 0` to order 2 only; where that matters, use RATTLE.
//!
//! The reported multiplier is `λ_k`, scaled by the h² above: that of M q̈ = f + Gᵀ λ at `q_k` to order 2.
//! At the start it is the exact one of `(q_0, v_0)`.
//!
//! # Requirements on the model
//!
//! A natural system (constant mass, force of the position) with holonomic constraints whose gradients are independent.
//! The constraints may depend on time.
//!
//! # Order and what is preserved
//!
//! Order 2 in q and v. `(q_k, q_{k+1}) ↦ (q_{k+1}, q_{k+2})` is symplectic and reversible; `(q_k, v_k)` leaves the tangent
//! bundle, so nothing is claimed for it. Conserves the linear and angular momentum that the system conserves.
//! Positions satisfy the constraints to round-off.
//!
//! # Parameters
//!
//! `tolerance` in (0, 0.001], default 10⁻¹⁴, and `iterations` at least 1, default 50: as for RATTLE.
//!
//! # Reference
//!
//! J.-P. Ryckaert, G. Ciccotti, H. J. C. Berendsen, Numerical integration of the cartesian equations of motion of a system
//! with constraints, J. Comput. Phys. 23 (1977), 327-341, doi:10.1016/0021-9991(77)90098-5.
//! E. Hairer, C. Lubich, G. Wanner, Geometric Numerical Integration (2006), section VII.1.4, doi:10.1007/3-540-30666-8.

use super::constraint::{Checked, Failure, Manifold, check_options, kick_and_drift, scale, stand_on};
use super::{Claims, Evaluations, Instability, Kicked, Method, Stepper, stability};
use crate::error::{StartError, StepError};
use crate::system::{Constrained, State};

/// The leap-frog method with constrained positions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shake {
    /// What a constraint may be violated by, relative to its natural size; in (0, 0.001].
    pub tolerance: f64,
    /// The most iterations of Newton's method in a step.
    pub iterations: u32,
}

impl Default for Shake {
    fn default() -> Self {
        Self { tolerance: 1e-14, iterations: 50 }
    }
}

impl Claims for Shake {
    const NAME: &'static str = "shake";
    const ORDER: u32 = 2;
    const SYMPLECTIC: Option<bool> = None;
    const REVERSIBLE: Option<bool> = None;
    const MOMENTUM: Option<bool> = Some(true);
}

impl<S: Constrained + ?Sized> Method<S> for Shake {
    type Stepper<'s>
        = ShakeStepper<'s, S>
    where
        S: 's;

    fn start<'s>(&self, system: &'s S, state: State, step: f64) -> Result<ShakeStepper<'s, S>, StartError> {
        check_options(Self::NAME, self.tolerance, self.iterations, step)?;
        let Checked { mut manifold, state } = stand_on(system, state)?;
        let n = state.q.len();
        let mut a = vec![0.0; n];
        manifold.free_acceleration(&state.q, state.t, &mut a);
        let mut multipliers = vec![0.0; system.constraints()];
        manifold.multipliers(&state.q, &state.v, state.t, &a, &mut multipliers);
        Ok(ShakeStepper {
            options: *self,
            manifold,
            h: step,
            origin: state.t,
            steps: 0,
            ahead_known: false,
            ahead: vec![0.0; n],
            between: vec![0.0; n],
            beyond: vec![0.0; n],
            mean: vec![0.0; n],
            new_multipliers: multipliers.clone(),
            multipliers,
            a,
            state,
        })
    }

    fn instability(&self, system: &S, state: &State, step: f64) -> Option<Instability> {
        stability::constrained(Self::NAME, system, state, step)
    }
}

/// A run of [`Shake`].
pub struct ShakeStepper<'s, S: ?Sized> {
    options: Shake,
    manifold: Manifold<'s, S>,
    h: f64,
    origin: f64,
    steps: u64,
    state: State,
    multipliers: Vec<f64>,
    new_multipliers: Vec<f64>,
    /// M⁻¹ f at the state.
    a: Vec<f64>,
    /// `q_{k+1}` and `v_{k+½}`, known ahead from the first step on, until the velocity is replaced.
    ahead_known: bool,
    ahead: Vec<f64>,
    between: Vec<f64>,
    /// `q_{k+2}` and `v_{k+1}` while a step is under way.
    beyond: Vec<f64>,
    mean: Vec<f64>,
}

impl<S: Constrained + ?Sized> Stepper for ShakeStepper<'_, S> {
    fn step(&mut self) -> Result<(), StepError> {
        match self.attempt() {
            Ok(()) => {
                std::mem::swap(&mut self.state.q, &mut self.ahead);
                std::mem::swap(&mut self.ahead, &mut self.beyond);
                std::mem::swap(&mut self.state.v, &mut self.mean);
                std::mem::swap(&mut self.multipliers, &mut self.new_multipliers);
                self.ahead_known = true;
                self.steps += 1;
                self.state.t = self.time(self.steps);
                Ok(())
            }
            Err(failure) => {
                self.manifold.return_to(&self.state.q, self.state.t);
                self.manifold.free_acceleration(&self.state.q, self.state.t, &mut self.a);
                if self.ahead_known {
                    self.manifold.look(&self.ahead, self.time(self.steps + 1));
                }
                let (step, size) = (self.steps + 1, self.h);
                let system = self.manifold.system();
                let reached = if self.ahead_known { &self.beyond } else { &self.ahead };
                let error = failure.in_step(system, Shake::NAME, step, self.state.t, size, reached);
                Err(stability::explained(error, system, &self.state, size))
            }
        }
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

    fn kicked(&mut self) -> Option<&mut dyn Kicked> {
        Some(self)
    }
}

/// The position ahead belongs to the old velocity: the next step looks ahead anew, as the first one does.
impl<S: Constrained + ?Sized> Kicked for ShakeStepper<'_, S> {
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
        self.ahead_known = false;
    }
}

impl<S: Constrained + ?Sized> ShakeStepper<'_, S> {
    fn time(&self, steps: u64) -> f64 {
        self.origin + steps as f64 * self.h
    }

    fn attempt(&mut self) -> Result<(), Failure> {
        if !self.ahead_known {
            self.look_ahead()?;
        }
        let (new_t, beyond_t) = (self.time(self.steps + 1), self.time(self.steps + 2));
        let Self { manifold, h, ahead, between, beyond, mean, .. } = self;
        let h = *h;

        // The foot moves to q_{k+1}, which the last step found.
        manifold.advance_unsettled();
        manifold.free_acceleration(ahead, new_t, &mut self.a);
        manifold.measure(ahead, between, h);

        // A whole kick, and the drift.
        mean.copy_from_slice(&self.a);
        kick_and_drift((h, h), (ahead, between), beyond, mean);

        // The position stage for q_{k+2} gives the multipliers of q_{k+1}; those of q_k are the first guess.
        let guess = (h * h, &self.multipliers[..]);
        manifold.reach(beyond, beyond_t, guess, self.options.tolerance, self.options.iterations)?;
        scale(1.0 / h, manifold.impulse(), &mut self.new_multipliers);
        manifold.add_motion(&self.new_multipliers, mean);
        for multiplier in &mut self.new_multipliers {
            *multiplier /= h;
        }
        if !mean.iter().fold(true, |all, entry| all & entry.is_finite()) {
            return Err(Failure::NotFinite);
        }

        // Nothing can fail from here on.
        for (before, after) in between.iter_mut().zip(mean) {
            let kicked = *after;
            *after = 0.5 * (*before + kicked);
            *before = kicked;
        }
        Ok(())
    }

    /// `q_{k+1}` and `v_{k+½}` from the state, as the first step has them.
    fn look_ahead(&mut self) -> Result<(), Failure> {
        let new_t = self.time(self.steps + 1);
        let Self { manifold, h, state, ahead, between, .. } = self;
        let h = *h;
        manifold.measure(&state.q, &state.v, h);
        between.copy_from_slice(&self.a);
        kick_and_drift((0.5 * h, h), (&state.q, &state.v), ahead, between);
        let guess = (0.5 * h * h, &self.multipliers[..]);
        manifold.reach(ahead, new_t, guess, self.options.tolerance, self.options.iterations)?;
        scale(1.0 / h, manifold.impulse(), &mut self.new_multipliers);
        manifold.add_motion(&self.new_multipliers, between);
        Ok(())
    }
}
