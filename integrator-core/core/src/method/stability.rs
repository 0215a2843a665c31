//! Too long steps, found before the first one: the fastest
//! frequency of a system against the limit of a method.
//!
//! # The linear limit
//!
//! Near a state q the system moves as M δ̈ = −Hess V(q) δ, with the frequencies ω of M⁻¹ Hess V. Under
//! constraints it moves so on the tangent space, with the stiffness −λ·Hess g beside Hess V: forces of
//! the constraints turn with the rods, and a hanging chain vibrates by its tension alone.
//! Beyond a limit of h ω the solution of a method grows exponentially:
//!
//! | method | h ω below |
//! |---|---|
//! | Verlet, SHAKE, RATTLE, variational Euler and trapezoid | 2 |
//! | Newmark, Zhang–Skeel and their kin with β < 1/4 | (1/4 − β)^(−1/2) |
//! | these with β ≥ 1/4, implicit and variational midpoint | any number |
//! | stiff Zhang–Skeel | 2, with M + β h² Hess V₁ instead of M |
//!
//! # The limit of Zhang–Skeel in stiff use
//!
//! The correction of [`ZhangSkeel`](super::ZhangSkeel) is one Newton iteration for the force of
//! push-forward Newmark, whose positions differ from the true ones by d = c q̈, c = β h².
//! It replaces the solution as long as Hess V changes little on the way: c V‴·d is small against M + c
//! Hess V, which is M alone in directions without stiffness.
//! So the limit is on the number
//!
//! ```text
//! N = c ρ(M⁻¹ V‴·d),   d = c a + √c u,
//! (M + c Hess V) a = −∇V − c v·V‴·v,   (M + c Hess V) u = c Hess V v,
//! ```
//!
//! where ρ is the largest magnitude of an eigenvalue. a is the smooth acceleration, with the bending of
//! the path at the velocity v. u is the part of v in stiff directions, which swing with the amplitude √c
//! u, since the method gives them the frequency 1/√c.
//! For a penalty N is a multiple of (β h² ω)².
//!
//! Measured on double pendulums, chains, water, a rigid body and a double spring with penalties ω from
//! 10 to 2000, and on nets, rings, springs and clusters of atoms: at the longest step with which 500 do
//! not blow up, N is between 0.035 and 0.77.
//! The step with N = 0.25, [`CORRECTION_LIMIT`], is between 0.82 and 1.8 times the longest.
//!
//! # The trial of implicit methods
//!
//! Newmark's family with β ≥ 1/4 and the midpoint rules are stable for every step on a linear system.
//! Where Hess V turns with the motion, no number of one state gives a limit: a linearly implicit step,
//! or a step from branch to branch of its equations, adds energy to the stiff motion, in bursts.
//! So a trial takes the first [`TRIAL`] steps.
//! A step is too long if the change of the energy after any number of steps is more than [`TRIAL_LIMIT`]
//! times the change in the first sixth of them, with the kinetic energy there.
//! On a linear system the change grows with the square of the number of steps at most, by 36.
//! A potential that depends on time, and forces, give no verdict.
//!
//! Measured on the penalties of a double pendulum, a chain and a triangle, ω from 20 to 1000, with
//! `newmark`, `-linear-a`, `-linear-b`, `zhang-skeel-simplified` and `implicit-midpoint`: no warning of
//! a step with which a thousand do not blow up.
//! Of steps twice as long as the longest of them, the trial finds between half and four fifths.
//! The others fail later, before the [watch](crate::drive::Watch).
//!
//! Trials take a tenth of the steps of the run at most.
//! A shorter run has its watch and no trial; few trials leave the longest step less closely known.
//! With h ω below 2 there is no trial, since even a method without implicit forces is stable there.
//!
//! Push-forward Newmark does not blow up with β ≥ 1/4, and has no trial: the watch tells where displaced
//! positions falsify its energy.
//!
//! # Scope
//!
//! The verdict is an estimate at one state, not a bound.
//! A run may reach stiffer states, and a curved potential or a resonance may shorten the stable steps.

mod correction;
mod linear;
mod trial;

#[doc(hidden)]
pub use super::instability::Cause;
pub use super::instability::Instability;
pub use correction::CORRECTION_LIMIT;
pub(super) use correction::{correction, zhang_skeel};
pub(super) use linear::{
    OF_VERLET, constrained, drag, events, explained, explicit, linear, newmark_linear, stiff, while_it_begins,
};
pub use linear::{fastest_frequency, fastest_tangential_frequency};
pub use trial::{TRIAL, TRIAL_LIMIT};
pub(super) use trial::{newmark, tried, variational};
