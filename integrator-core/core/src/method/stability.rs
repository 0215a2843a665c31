//! Steps that are too long, found before the first one: the fastest frequency of a system beside what a method bears.
//!
//! # The linear limit
//!
//! Near a state q the system moves as M δ̈ = −Hess V(q) δ, with the frequencies ω of M⁻¹ Hess V; under constraints as that on
//! the tangent space, where −λ·Hess g adds to Hess V the stiffness by forces of the constraints that turn with the rods (a
//! hanging chain vibrates by its tension alone). A method bears h ω up to a number of its own, and beyond it grows
//! exponentially:
//!
//! | method | h ω below |
//! |---|---|
//! | Verlet, SHAKE, RATTLE, variational Euler and trapezoid | 2 |
//! | Newmark, Zhang–Skeel and their kin with β < 1/4 | (1/4 − β)^(−1/2) |
//! | the same with β ≥ 1/4, implicit and variational midpoint | any number |
//! | stiff Zhang–Skeel | 2, with M + β h² Hess V₁ instead of M |
//!
//! # The limit of Zhang–Skeel in stiff use
//!
//! The correction of [`ZhangSkeel`](super::ZhangSkeel) is one Newton iteration for the force of push-forward Newmark, whose positions are
//! displaced from the true ones by d = c q̈, c = β h². It can stand for the solution as long as Hess V changes little
//! on the way, that is while c V‴·d is small against M + c Hess V, of which M is all there is in directions without stiffness.
//! So the number to look at is
//!
//! ```text
//! N = c ρ(M⁻¹ V‴·d),   d = c a + √c u,
//! (M + c Hess V) a = −∇V − c v·V‴·v,   (M + c Hess V) u = c Hess V v,
//! ```
//!
//! where ρ is the largest magnitude of an eigenvalue. a is the smooth acceleration, with the bending of the path at the velocity v;
//! u is the part of v in stiff directions, which swing with the amplitude √c u, since their frequency in the method is 1/√c.
//! For a penalty N is a multiple of (β h² ω)².
//!
//! Measured on double pendulums, chains, water, a rigid body and a double spring with penalties ω from 10 to 2000, and on nets, rings, springs
//! and clusters of atoms: of the steps with which 500 do not blow up, the longest has N between 0.035 and 0.77, so that the
//! step at which N = 0.25, [`CORRECTION_LIMIT`], is between 0.82 and 1.8 times the longest.
//!
//! # The trial of implicit methods
//!
//! Newmark's family with β ≥ 1/4 and the midpoint rules bear every step on a linear system, and what they bear where Hess V turns with
//! the motion follows from no number of one state: a linearly implicit step, or one that goes from branch to branch of its
//! equations, adds energy to the stiff motion, in bursts.  So the first steps are taken, [`TRIAL`] of a system with a thousand degrees of
//! freedom or fewer, and a step is too long if the change of the energy after any number of them is more than [`TRIAL_LIMIT`] times that in
//! the first sixth of this number, with the kinetic energy there: on a linear system it grows with the square of the number of steps at
//! most, by 36.  A potential that depends on time gives no such verdict.
//!
//! Measured on the penalties of a double pendulum, a chain and a triangle, ω from 20 to 1000, with `newmark`, `-linear-a`, `-linear-b`,
//! `zhang-skeel-simplified` and `implicit-midpoint`: of steps with which a thousand do not blow up none is warned of; of those twice as
//! long as the longest of them, between half and four fifths are. The others fail later, which the
//! [watch](crate::drive::Watch) sees.
//!
//! Trials cost their steps, a tenth of the steps of the run at most.
//! A shorter run has its watch, and no trial; few trials leave the longest step less closely known.
//! Most steps need none: with h ω below 2 even a method without implicit forces would bear the step, and
//! the bursts are those of motions that are faster by far.  Twenty gradients at most tell that ω is far below 2/h, or one matrix of
//! second derivatives, where a method has them anyway; then there is no trial.
//!
//! # The trial of push-forward Newmark
//!
//! With β ≥ 1/4 it does not blow up: it keeps an energy near ½ v·M v + U(x) for ever, where U(x) = min over a of ½ c a·M a + V(x + c a) with c = β h².
//! At long steps the energy at the positions x, which are displaced from the true ones by c a, is off by V(x) − U(x), a number that comes and
//! goes with the motion: it grows from almost nothing, so that growth, by which the others are judged, gives false alarms.  So the number
//! itself is measured over the [`TRIAL`]: the mean of |E − E₀| by the mean kinetic energy, which is too large above [`DISPLACEMENT_LIMIT`], three
//! times as much as the watch believes.  With h ω below 1 it is less than a fifth of V in every mode, and there is no trial.
//!
//! Measured with a hundred steps on penalties, springs, atoms, pendulums and orbits: where it is above a tenth, the number of 120 steps, or of 48, is
//! within a third of that of some thousands; of runs within the tenth that the watch believes none is warned of.
//!
//! # What this is not
//!
//! A bound: it is an estimate at one state. A run may reach states that are stiffer, and a curved potential or a
//! resonance may shorten the steps that it bears.

mod correction;
mod linear;
mod trial;

#[doc(hidden)]
pub use super::instability::Cause;
pub use super::instability::Instability;
pub use correction::CORRECTION_LIMIT;
pub(super) use correction::{correction, zhang_skeel};
pub(super) use linear::{
    OF_VERLET, constrained, drag, events, explained, explicit, linear, stiff, while_it_begins,
};
pub use linear::{fastest_frequency, fastest_tangential_frequency};
pub use trial::{DISPLACEMENT_LIMIT, TRIAL, TRIAL_LIMIT};
pub(super) use trial::{newmark, push_forward, tried, variational};
