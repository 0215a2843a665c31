//! Heterogeneous multiscale methods for vibrated systems, M q̈ = f(q, θ), θ = ω t + θ₀.
//!
//! # Scheme
//! The motion is a slow one, Q(t), with a ripple of size 1/ω. The slow motion obeys M Q̈ = F(Q), but F
//! has no formula. A **macro-solver** takes steps H of the slow motion. At each of its points t_n, a
//! **micro-solver** follows the true motion through a window of a few periods about t_n, from initial
//! values of an **estimator**, and a **filter** averages the force along it:
//!
//! ```text
//! F_n = ∫ K_η(s) f(q(t_n + s), θ(t_n + s)) ds,   K_η(s) = (2/η) K(2 s/η),
//! ```
//!
//! so that the work is a number of micro-steps that does not depend on ω. The parts are exchangeable:
//!
//! | part | choices |
//! |---|---|
//! | macro-solver | [`LeapFrog`], [`Verlet`](super::Verlet) |
//! | … with constraints | [`Shake`](super::Shake), [`Rattle`](super::Rattle) |
//! | … of higher order | [`Composition`](super::Composition) of Verlet or RATTLE |
//! | micro-solver | [`Verlet`](super::Verlet), [`Nystrom`] of order 4; with constraints SHAKE |
//! | estimator | [`Asynchronous`], [`Synchronous`] |
//! | filter | [`Exponential`], [`Cubic`], [`BoxFilter`], or any other [`Filter`] |
//!
//! SHAKE–SHAKE is `Hmm<Shake, …>`, RATTLE–SHAKE `Hmm<Rattle, …>`.
//!
//! The phase at the centre of a window is known to round-off, and counted in whole micro-steps from
//! there: nothing is lost at ω = 10⁸ and beyond.
//!
//! # Requirements on the model
//! [`Vibrated`]: a constant mass, a force of positions, time and phase. Constraints may depend on time,
//! not on the phase. Slow time is fixed within a window.
//!
//! # Order and invariants
//! Order 2 in H, beside an error of size 1/ω from averaging and an error from micro-steps that falls
//! with the square or the fourth power of their number in a period. With the asynchronous estimator F is
//! a function of Q alone: around Verlet and RATTLE the map is reversible, and with one degree of freedom
//! symplectic; with more, F is the gradient of a potential only up to 1/ω. With the synchronous one it
//! is neither.
//!
//! # Parameters
//! `periods` of a filter, the window η in periods of the phase; [`MicroSteps`]. The two sides of a
//! window run in two threads only in large systems: a window with a box takes a microsecond, less than
//! waking a thread.
//!
//! # Reference
//! M. P. Calvo, J. M. Sanz-Serna, Heterogeneous multiscale methods for mechanical systems with
//! vibrations, SIAM J. Sci. Comput. 32 (2010) 2029, doi:10.1137/080738556; algorithms 1 (synchronous)
//! and 2 (asynchronous), SHAKE–SHAKE in section 4.
//!
//! # Example
//! ```
//! use least_action::drive::integrate;
//! use least_action::method::multiscale::{Asynchronous, BoxFilter, Hmm, LeapFrog};
//! use least_action::prelude::*;
//!
//! /// A pendulum whose pivot vibrates so fast that it stands upright.
//! struct Kapitza { omega: f64 }
//!
//! #[lagrangian]
//! impl Kapitza {
//!     fn lagrangian(&self, q: Angle, theta: Phase) -> Scalar {
//!         let gravity = 9.8 + 4.0 * self.omega * theta.cos();
//!         0.5 * 0.2_f64.powi(2) * der(q).powi(2) - gravity * 0.2 * q.cos()
//!     }
//!
//!     #[frequency]
//!     fn frequency(&self) -> f64 {
//!         self.omega
//!     }
//! }
//!
//! let system = Kapitza { omega: 1e8 }.bind()?;
//! let method = Hmm::new(LeapFrog, Asynchronous, BoxFilter::default());
//! let run = integrate(&system, &method, State::at_rest(vec![0.5]), 1.0 / 160.0)?.until(1.0).record()?;
//! let angles = run.column("q").ok_or("the angle is recorded")?;
//! assert!(angles.iter().all(|q| q.abs() < 0.51));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//! This filter refuses a force that is not even in the phase:
//! ```compile_fail
//! use least_action::method::multiscale::{Asynchronous, BoxFilter, Hmm, LeapFrog};
//! use least_action::{drive::integrate, prelude::*};
//!
//! struct Shaken { omega: f64 }
//!
//! #[lagrangian]
//! impl Shaken {
//!     fn lagrangian(&self, q: Angle, theta: Phase) -> Scalar {
//!         0.5 * der(q).powi(2) - self.omega * (theta.cos() + (2.0 * theta).sin()) * q.cos()
//!     }
//!
//!     #[frequency]
//!     fn frequency(&self) -> f64 {
//!         self.omega
//!     }
//! }
//!
//! let system = Shaken { omega: 1e4 }.bind().unwrap();
//! let method = Hmm::new(LeapFrog, Asynchronous, BoxFilter::default());
//! let run = integrate(&system, &method, State::at_rest(vec![0.5]), 0.01);
//! ```

mod error;
mod estimate;
mod estimator;
mod filter;
mod hmm;
mod macro_solver;
mod micro;
mod phase;
mod stability;
pub(crate) mod window;

#[doc(hidden)]
pub use super::averages::Averages;
#[doc(hidden)]
pub use estimator::Estimator;
pub use estimator::{Asynchronous, Synchronous};
pub use filter::{BoxFilter, Cubic, Exponential, Filter, FilterFor};
pub use hmm::{Hmm, MicroSteps};
pub use macro_solver::LeapFrog;
#[doc(hidden)]
pub use micro::MicroSolver;
pub use micro::Nystrom;
pub use phase::reduced_phase;

#[cfg(doc)]
use crate::system::Vibrated;
