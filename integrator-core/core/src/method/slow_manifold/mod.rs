//! IPA: projection onto the slow manifold of a stiff mechanical system, and its uses.
//!
//! # The problem
//! M q̈ = F(q, t) − ω² ∂U/∂q with ω ≫ 1 has solutions that oscillate with frequencies O(ω), and smooth
//! ones, whose derivatives stay bounded as ω grows. The states of the smooth ones form the *slow
//! manifold*. If the stiff potential is a penalty ½ ω² g·g of constraints, the slow manifold is within
//! O(ω⁻²) of {g = 0, ġ = 0}, and along slow solutions −ω² g tends to the multipliers λ in M
//! q̈ = −∇V + Gᵀ λ. (The paper writes −Gᵀ λ: its λ have the opposite sign.)
//!
//! # The scheme
//! From (q_m, v_m) velocity Verlet integrates the original problem forwards and backwards over a few of
//! its fast periods, with the micro-step h = 2π/(s ω), and a filter averages the pieces of trajectory:
//!
//! ```text
//! (q_{m+1}, v_{m+1}) = Σ_{|k| ≤ n} W_k (q(k h), v(k h)),   W_k = K(k/n)/n,   n = s · window,
//! ```
//!
//! until neither the fast part of the state (g for a penalty) nor its rate of change (ġ) changes by the
//! tolerance. The kernel K has unit mass and vanishing moments, so that slow solutions pass, and a
//! decaying Fourier transform, so that oscillations do not: an iteration leaves a few hundredths of
//! them, or less. One iteration takes 2 n − 1 forces (35 by default) for any ω.
//!
//! Slow solutions do change a little: with p vanishing moments an iteration moves them by
//! O((n h)^{p+1}) = O(ω^{−p−1}), and Verlet by O(h²) = O(ω⁻²) in the velocity. So in these orders the
//! parameters decide *which* point is found; it is near the slow manifold in any case.
//!
//! # Requirements on the model
//! A natural system with a known fast frequency, [`SlowFast`]: [`Penalized`](crate::wrap::Penalized),
//! with the ω of its penalty, or any [`Natural`](crate::system::Natural) system behind [`Oscillating`].
//!
//! # On top of it
//! - [`SlowManifold::projector`]: consistent initial values for a stiff system;
//! - [`SlowManifold::consistent_start`]: consistent initial values and Lagrange multipliers of a
//!   constrained system, with Richardson extrapolation in ω;
//! - [`ProjectedRungeKutta`]: the classical Runge–Kutta method with projected stages, whose steps ignore
//!   ω;
//! - [`ExplicitConstrained`]: this method on a constrained system, without any algebraic equation.
//!
//! # Parameters
//! `window`, in periods 2π/ω on each side, at least 1, default 3 (the paper's L = 6π); `micro_steps` s
//! per period, at least 4, default 6; `tolerance` in (0, 1], default 1e-9; `force_tolerance` in [0, ∞],
//! default ∞; `iterations` at least 1, default 50. The kernel is the piecewise cubic one of the paper.
//!
//! The stopping rule of the paper, with `force_tolerance` = ∞, bounds the fast part and hardly the
//! forces, which are ω² times as large: with ω = 10⁶, a g known to 10⁻¹¹ leaves multipliers wrong by 10.
//! With a finite `force_tolerance` the iterations continue until ω² g changes by less, or stops
//! settling.
//!
//! Fast frequencies need not be equal, nor equal to ω: the default window damps frequencies from about
//! ω/2 to twice ω, if the micro-step is stable for the fastest, h ω_max < 2. For faster ones (long
//! chains, constraints with large gradients) take more micro-steps; for a wider spread, a wider window.
//!
//! If the changes stop decreasing above `tolerance`, the point is accepted at the level of rounding, 64
//! round-off units of ω |q|, and an error otherwise.
//!
//! # Reference
//! G. Ariel, J. M. Sanz-Serna, R. Tsai, A multiscale technique for finding slow manifolds of stiff
//! mechanical systems, Multiscale Model. Simul. 10 (2012) 1180, doi:10.1137/120861461: the algorithm is
//! section 3, the filter section 4, the uses section 6.

mod consistent;
pub mod constrained;
pub(crate) mod filter;
mod micro;
mod projector;
pub mod runge_kutta;
mod slow_fast;

pub use consistent::ConsistentStart;
pub use constrained::ExplicitConstrained;
pub use projector::{Convergence, Projector};
pub use runge_kutta::ProjectedRungeKutta;
pub use slow_fast::{Oscillating, SlowFast};

use crate::error::Begun;
use crate::method::check::{by_default, check_option, check_state};
use crate::method::mass_solver::MassSolver;
use crate::method::stability::fastest_frequency;
use crate::system::{Natural as _, State};
use std::f64::consts::TAU;
use std::ops::Deref;

/// Options of the projection onto the slow manifold; see the [scheme](self).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SlowManifold {
    /// The length of the micro-integration to each side, in periods 2π/ω.
    pub window: f64,
    /// Micro-steps in a period.
    pub micro_steps: u32,
    /// The iterations end when the fast part and its rate change by less in an iteration.
    pub tolerance: f64,
    /// Also required: ω² times the fast part changes by less, or its change no longer falls by half.
    pub force_tolerance: f64,
    /// The most iterations.
    pub iterations: u32,
}

by_default!(SlowManifold {
    window: 3.0,
    micro_steps: 6,
    tolerance: 1e-9,
    force_tolerance: f64::INFINITY,
    iterations: 50
});

impl SlowManifold {
    const NAME: &'static str = "slow manifold";

    /// Prepares projections onto the slow manifold of `system`, a reference or a box.
    ///
    /// # Errors
    /// Parameters out of range, a frequency that is not positive and finite, constraints or forces that
    /// the micro-integration would ignore, a singular mass
    /// matrix.
    pub fn projector<H>(&self, system: H) -> Begun<Projector<H>>
    where
        H: Deref<Target: SlowFast>,
    {
        Projector::new(self, system)
    }

    /// These options with enough micro-steps for the fastest frequency at a state, h ω_max ≤ 1.7.
    ///
    /// Constraints with gradients of another length than one, such as |q|² − l², oscillate faster than
    /// ω, and long chains up to twice as fast.
    ///
    /// # Errors
    /// A state that does not fit, a singular mass matrix, a frequency or a state that is not finite.
    pub fn resolving<F: SlowFast>(self, system: &F, state: &State) -> Begun<Self> {
        /// Below Verlet's stability limit 2, with room for states with faster oscillations.
        const LARGEST: f64 = 1.7;
        check_state(system, state)?;
        let natural = system.natural();
        MassSolver::new(natural, natural.mass())?;
        let fastest = fastest_frequency(natural, state).unwrap_or(f64::NAN);
        let needed = (TAU * fastest / (LARGEST * system.frequency())).ceil();
        let is_finite = needed <= f64::from(u32::MAX);
        check_option(Self::NAME, is_finite, ("micro_steps", needed, "[4, 10000] in a period"))?;
        Ok(Self { micro_steps: self.micro_steps.max(needed as u32), ..self })
    }

    fn check(&self) -> Begun {
        let Self { window, micro_steps, tolerance, force_tolerance, iterations } = *self;
        let steps = f64::from(micro_steps);
        let checks = [
            // A window beyond a million periods is not short against any slow motion.
            ((1.0..=1e6).contains(&window), ("window", window, "[1, 1000000] periods")),
            ((4..=10_000).contains(&micro_steps), ("micro_steps", steps, "[4, 10000] in a period")),
            (tolerance > 0.0 && tolerance <= 1.0, ("tolerance", tolerance, "(0, 1]")),
            (force_tolerance >= 0.0, ("force_tolerance", force_tolerance, "[0, ∞]")),
            (iterations > 0, ("iterations", 0.0, "[1, 4294967295]")),
        ];
        checks.into_iter().try_for_each(|(is_inside, option)| check_option(Self::NAME, is_inside, option))
    }
}
