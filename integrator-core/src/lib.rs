//! Write a Lagrangian, get a structure-preserving simulator: the language, the kernels, the integrators.
//!
//! # The problem
//! A mechanical system has n generalized coordinates q, the Lagrangian L(q, v, t) with v = q̇, and m
//! holonomic constraints g(q, t) = 0. Its motion makes the action ∫ L dt stationary among the curves on
//! the constraints:
//!
//! ```text
//! d/dt ∂L/∂v − ∂L/∂q = Gᵀ λ,    g(q, t) = 0,    G = ∂g/∂q.
//! ```
//!
//! A *natural* system has L = ½ v·M v − V(q, t) with a constant, symmetric, positive definite M; then
//!
//! ```text
//! M q̈ = −∇V + Gᵀ λ.
//! ```
//!
//! The author writes L and g, and if there are any, constraints on velocities c(q, v, t) = 0 and forces
//! F, which add Aᵀ μ + F with A = ∂c/∂v to the right side. The compiler behind [`lagrangian`] finds the
//! derivatives that engines need (∇V, Hess V, the contraction a·V‴·a, G, the weighted second and third
//! derivatives of g), once for each term of the declaration; sparse loops evaluate them.
//!
//! # Symbols
//!
//! | symbol | meaning | shape | where |
//! |---|---|---|---|
//! | n, m | degrees of freedom, constraints | | [`System::dimension`], [`Holonomic::constraints`] |
//! | t | time | | [`State`] |
//! | q, v | positions and velocities, in the order of the layout | n | [`State`], [`Layout`] |
//! | L | Lagrangian | | [`Lagrangian`] |
//! | z = (q, v, t) | the arguments of L | 2n + 1 | [`Lagrangian`] |
//! | M | mass matrix ∂²L/∂v∂v | n × n, lower triangle | [`Natural::mass`] |
//! | V, ∇V, Hess V | potential and its derivatives | 1, n, n × n, lower triangle | [`Natural`] |
//! | a·V‴·a | ∇(aᵀ Hess V a) with a held fixed | n | [`Natural::potential_third`] |
//! | g, G | constraints and their Jacobian | m, m × n by rows | [`Holonomic`] |
//! | c, A, b | rows c = A v + b = 0, A and b of (q, t) | r, r × n by rows, r | [`Nonholonomic`] |
//! | F | forces beside the Lagrangian, −∂D/∂v of a dissipation included | n | [`Forced`] |
//! | λ, μ | multipliers of g and of c | m, r | [`Stepper::multipliers`] |
//! | h | time step | | [`drive::integrate`] |
//! | ω, β | stiffness in ½ ω² gᵀ g, Newmark's β | | [`Penalized`], [`method::ZhangSkeel`] |
//!
//! The author chooses the units: L is an energy, and so is ½ ω² gᵀ g. Angles are in radians.
//!
//! # Reading order
//! [`prelude`] and [`lagrangian`]: the names that a declaration uses.
//! [`Model`] and [`Bound`]: a model with its parameters becomes a system; rustc refuses unfit engines.
//! [`system`]: the questions to a system, one small trait for each need of an engine.
//! [`method`]: the engines, each a file that reads like its paper.
//! [`drive`]: the loop that runs any of them, with observers and recordings.
//! [`mod@error`]: the errors of all stages.
//! [`expr`]: the language, and a declaration over dual numbers, the oracle of the kernels.
//! [`advanced`]: systems and methods written by hand, penalties, conserved quantities, checks.
//!
//! # A first simulation
//! ```
//! use least_action::drive::{ConstraintResidual, Energy, integrate};
//! use least_action::method::Rattle;
//! use least_action::nalgebra;
//! use least_action::prelude::*;
//!
//! struct Pendulum { gravity: Vector2<f64>, rod: f64 }
//!
//! #[lagrangian]
//! impl Pendulum {
//!     fn lagrangian(&self, bob: Vec2) -> Scalar {
//!         0.5 * der(bob).norm_squared() + vec2(self.gravity).dot(bob)
//!     }
//!
//!     #[holonomic]
//!     fn rod(&self, bob: Vec2) -> Scalar {
//!         bob.norm_squared() - self.rod.powi(2)
//!     }
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let system = Pendulum { gravity: Vector2::new(0.0, -9.81), rod: 0.5 }.bind()?;
//! let start = State::points_at_rest(Vector2::new(0.5, 0.0));
//! // Matrices of the system as matrices of nalgebra: M, and G at the start.
//! assert_eq!(system.mass().dense(), nalgebra::DMatrix::identity(2, 2));
//! assert_eq!(system.jacobian_matrix(&start.q, 0.0).dense(), nalgebra::dmatrix![1.0, 0.0]);
//!
//! let run = integrate(&system, &Rattle::default(), start, 0.01)?
//!     .until(10.0)
//!     .measure(Energy::of(&system))
//!     .measure(ConstraintResidual::of(&system))
//!     .record()?;
//! let largest = |name: &str| run.column(name).into_iter().flatten().map(f64::abs).fold(0.0, f64::max);
//! assert!(largest("constraint_residual") < 1e-13);
//! assert!(largest("energy") < 0.01, "the energy, zero at the start, oscillates within O(h²)");
//! let path: Vec<Vector2<f64>> = run.path("bob", [])?;
//! assert!(path.iter().any(|bob| bob.y < -0.499));
//! assert!(path.iter().all(|bob| (bob.norm() - 0.5).abs() < 1e-13));
//! # Ok(())
//! # }
//! ```
//!
//! [`System::dimension`]: system::System::dimension
//! [`Holonomic::constraints`]: system::Holonomic::constraints
//! [`Holonomic`]: system::Holonomic
//! [`Nonholonomic`]: system::Nonholonomic
//! [`Forced`]: system::Forced
//! [`State`]: system::State
//! [`Layout`]: system::Layout
//! [`Lagrangian`]: system::Lagrangian
//! [`Natural`]: system::Natural
//! [`Natural::mass`]: system::Natural::mass
//! [`Natural::potential_third`]: system::Natural::potential_third
//! [`Stepper::multipliers`]: method::Stepper::multipliers
//! [`Penalized`]: advanced::wrap::Penalized

#[doc(inline)]
pub use least_action_core::*;
pub use least_action_macros::lagrangian;

pub mod prelude;
