//! IPA: projection onto the slow manifold of a stiff mechanical system, and its uses.
//!
//! # The problem
//! M q̈ = F(q, t) − ω² ∂U/∂q with ω ≫ 1 has solutions that oscillate with frequencies O(ω), and smooth ones, whose
//! derivatives are bounded as ω grows.  The states of the smooth ones form the *slow manifold*.  When the stiff
//! potential is a penalty ½ ω² g·g of constraints, the slow manifold is within O(ω⁻²) of {g = 0, ġ = 0}, and along slow
//! solutions −ω² g tends to the multipliers λ in M q̈ = −∇V + Gᵀ λ.  (The paper writes −Gᵀ λ: its λ are ours with the other
//! sign.)
//!
//! # The scheme
//! From (q_m, v_m) the original problem is integrated forwards and backwards over a few of its fast periods, by velocity
//! Verlet with the micro-step h = 2π/(s ω), and the pieces of trajectory are averaged with the weights of a filter:
//!
//! ```text
//! (q_{m+1}, v_{m+1}) = Σ_{|k| ≤ n} W_k (q(k h), v(k h)),   W_k = K(k/n)/n,   n = s · window,
//! ```
//!
//! until neither the fast part of the state (g for a penalty) nor its rate of change (ġ) changes by the tolerance.  The
//! kernel K has unit mass and vanishing moments, so that slow solutions pass, and a Fourier transform that decays, so that
//! oscillations do not: an iteration leaves a few hundredths of them, or less.  One iteration takes 2 n − 1 forces (35 by default),
//! whatever ω is.
//!
//! Slow solutions are not left alone entirely: with p vanishing moments an iteration moves them by
//! O((n h)^{p+1}) = O(ω^{−p−1}), and Verlet by O(h²) = O(ω⁻²) in the velocity.  So *which* slow point is found depends on
//! the parameters in these orders; that it is near the slow manifold does not.
//!
//! # Requirements on the model
//! A natural system with a known fast frequency: [`SlowFast`].  That is [`Penalized`](crate::wrap::Penalized), with the ω of
//! its penalty, or any [`Natural`](crate::system::Natural) system behind [`Oscillating`].
//!
//! # On top of it
//! - [`SlowManifold::projector`]: consistent initial values for a stiff system;
//! - [`SlowManifold::consistent_start`]: consistent initial values and Lagrange multipliers of a constrained system, with
//!   Richardson extrapolation in ω;
//! - [`ProjectedEvery`]: any method, projected every so often, so that the oscillations that it excites do not build up;
//! - [`ProjectedRungeKutta`]: an explicit Runge–Kutta method with steps that do not see ω, its stages projected;
//! - [`ExplicitConstrained`]: the same on a constrained system, where no algebraic equation is solved.
//!
//! # Parameters
//! `window`, in periods 2π/ω on each side, at least 1, default 3 (the paper's L = 6π); `micro_steps` s per period, at least
//! 4, default 6; `tolerance` in (0, 1], default 1e-9; `force_tolerance` in [0, ∞], default ∞; `iterations` at least 1, default
//! 50; `kernel`, default [`PiecewiseCubic`].
//!
//! The stopping rule of the paper, with `force_tolerance` = ∞, bounds the fast part and says little of the forces, which are ω²
//! times as large: with ω = 10⁶, a g that is known to 10⁻¹¹ leaves multipliers that are wrong by 10.  With a finite
//! `force_tolerance` the iterations go on until ω² g has settled to it, or does so no longer.
//!
//! Fast frequencies need not be equal, nor be ω itself: those from about ω/2 to twice ω are damped with the default window,
//! provided that the micro-step is stable for the fastest, h ω_max < 2.  Where they are faster (long chains, constraints
//! with large gradients) take more micro-steps; where they spread more, a wider window.
//!
//! When the changes stop decreasing before they are below `tolerance`, the point is accepted if they are those of
//! rounding, 64 round-off units of ω |q|, and an error otherwise.
//!
//! # Reference
//! G. Ariel, J. M. Sanz-Serna, R. Tsai, A multiscale technique for finding slow manifolds of stiff mechanical systems,
//! Multiscale Model. Simul. 10 (2012) 1180, doi:10.1137/120861461: the algorithm is section 3, the filter section 4, the uses
//! section 6.

mod consistent;
pub mod constrained;
pub(crate) mod filter;
mod kernel;
mod micro;
pub mod projected_every;
mod projector;
pub mod runge_kutta;
mod slow_fast;
pub(crate) mod tableau;

pub use consistent::ConsistentStart;
pub use constrained::ExplicitConstrained;
pub use kernel::{AveragingKernel, PiecewiseCubic, Smooth};
pub use projected_every::ProjectedEvery;
pub use projector::{Convergence, Projector};
pub use runge_kutta::ProjectedRungeKutta;
pub use slow_fast::{Oscillating, SlowFast};
pub use tableau::Tableau;

use crate::error::StartError;
use crate::method::check::check_state;
use crate::method::mass_solver::MassSolver;
use crate::method::stability::fastest_frequency;
use crate::system::{Natural as _, State};
use std::f64::consts::TAU;
use std::ops::Deref;

/// Options of the projection onto the slow manifold; see the [scheme](self).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SlowManifold<K = PiecewiseCubic> {
    /// The length of the micro-integration to each side, in periods 2π/ω.
    pub window: f64,
    /// Micro-steps in a period.
    pub micro_steps: u32,
    /// The change of the fast part and of its rate, in an iteration, that ends the iterations.
    pub tolerance: f64,
    /// Below it, the change of ω² times the fast part ends the iterations; they go on above it while it still falls by half.
    pub force_tolerance: f64,
    /// The most iterations.
    pub iterations: u32,
    /// The kernel of the filter.
    pub kernel: K,
}

impl Default for SlowManifold {
    fn default() -> Self {
        Self::filtered_by(PiecewiseCubic)
    }
}

impl<K: AveragingKernel> SlowManifold<K> {
    const NAME: &'static str = "slow manifold";

    /// The default parameters with another kernel.
    pub fn filtered_by(kernel: K) -> Self {
        Self {
            window: 3.0,
            micro_steps: 6,
            tolerance: 1e-9,
            force_tolerance: f64::INFINITY,
            iterations: 50,
            kernel,
        }
    }

    /// Prepares projections onto the slow manifold of `system`, a reference or a box; they allocate nothing.
    ///
    /// # Errors
    /// Parameters out of range, a frequency that is not positive and finite, a kernel whose weights do not have its moments,
    /// constraints or forces that the micro-integration would ignore, a singular mass matrix.
    pub fn projector<H>(&self, system: H) -> Result<Projector<H>, StartError>
    where
        H: Deref<Target: SlowFast>,
    {
        Projector::new(self, system)
    }

    /// These options with as many micro-steps as the fastest frequency at a state needs, h ω_max ≤ 1.7, if these are fewer.
    ///
    /// Constraints whose gradients are not of length one, such as |q|² − l², oscillate faster than ω, and long chains up to
    /// twice as fast.
    ///
    /// # Errors
    /// A state that does not fit or is not finite, a singular mass matrix, a frequency that is not finite.
    pub fn resolving<F: SlowFast>(self, system: &F, state: &State) -> Result<Self, StartError> {
        /// Of the stability limit 2 of Verlet, with room for states with faster oscillations.
        const LARGEST: f64 = 1.7;
        check_state(system, state)?;
        let natural = system.natural();
        MassSolver::new(natural, natural.mass())?;
        let fastest = fastest_frequency(natural, state).unwrap_or(f64::NAN);
        let needed = (TAU * fastest / (LARGEST * system.frequency())).ceil();
        if needed > f64::from(u32::MAX) || needed.is_nan() {
            let (method, option, interval) = (Self::NAME, "micro_steps", "[4, 10000] in a period");
            return Err(StartError::OptionOutOfRange { method, option, value: needed, interval });
        }
        Ok(Self { micro_steps: self.micro_steps.max(needed as u32), ..self })
    }

    fn check(&self) -> Result<(), StartError> {
        let method = Self::NAME;
        let refused =
            |option, value, interval| Err(StartError::OptionOutOfRange { method, option, value, interval });
        // A wider window than a million periods is no longer short against anything slow.
        if !(1.0..=1e6).contains(&self.window) {
            return refused("window", self.window, "[1, 1000000] periods");
        }
        if !(4..=10_000).contains(&self.micro_steps) {
            return refused("micro_steps", f64::from(self.micro_steps), "[4, 10000] in a period");
        }
        if !(self.tolerance > 0.0 && self.tolerance <= 1.0) {
            return refused("tolerance", self.tolerance, "(0, 1]");
        }
        if self.force_tolerance.is_nan() || self.force_tolerance < 0.0 {
            return refused("force_tolerance", self.force_tolerance, "[0, ∞]");
        }
        if self.iterations == 0 {
            return refused("iterations", 0.0, "[1, 4294967295]");
        }
        Ok(())
    }
}
