//! Write a Lagrangian, get a structure-preserving simulator: the language, the kernels' run time, and the integrators.
//!
//! # The problem
//! A mechanical system has n generalized coordinates q, the Lagrangian L(q, v, t) with v = q̇, and m holonomic constraints
//! g(q, t) = 0. Its motion makes the action ∫ L dt stationary among the curves on the constraints:
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
//! The author writes L and g, and where there are some, constraints on velocities c(q, v, t) = 0 and forces F, which add Aᵀ μ + F with
//! A = ∂c/∂v to the right side. What an engine needs beside them (∇V, Hess V, the contraction a·V‴·a, G, the weighted second
//! and third derivatives of g) is found by the compiler behind [`lagrangian`], once for each term of the declaration, and
//! evaluated in sparse loops whose length is the size of the instance.
//!
//! # Symbols
//!
//! | symbol | meaning | shape | where |
//! |---|---|---|---|
//! | n, m | degrees of freedom, constraint equations | | [`System::dimension`], [`Holonomic::constraints`] |
//! | t | time | | [`State`] |
//! | q, v | positions and velocities, in the order of the layout | n | [`State`], [`Layout`] |
//! | L | Lagrangian | | [`Lagrangian`] |
//! | z = (q, v, t) | the arguments of L | 2n + 1 | [`Lagrangian`] |
//! | M | mass matrix ∂²L/∂v∂v | n × n, lower triangle | [`Natural::mass`] |
//! | V, ∇V, Hess V | potential and its derivatives | 1, n, n × n, lower triangle | [`Natural`] |
//! | a·V‴·a | ∇(aᵀ Hess V a) with a held fixed | n | [`Natural::potential_third`] |
//! | g, G | constraints and their Jacobian | m, m × n by rows | [`Holonomic`] |
//! | c, A, b | constraints on velocities c = A v + b = 0, with A and b of (q, t) | r, r × n by rows, r | [`Nonholonomic`] |
//! | F | forces that the Lagrangian does not give, −∂D/∂v of a dissipation among them | n | [`Forced`] |
//! | λ, μ | multipliers of g and of c | m, r | [`Stepper::multipliers`] |
//! | h | time step | | [`drive::integrate`] |
//! | ω, β | stiffness of a penalty ½ ω² gᵀ g, parameter of Newmark and Zhang–Skeel | | [`Penalized`], [`method::ZhangSkeel`] |
//!
//! Units are the author's: whatever makes L an energy; that of ω makes ½ ω² gᵀ g one. Angles are in radians.
//!
//! # Reading order
//! [`prelude`] and [`lagrangian`]: the names that a declaration uses.
//! [`Model`] and [`Bound`]: a declared model with its parameters becomes a system, and rustc refuses an engine that does not fit it.
//! [`system`]: what a system can be asked, one small trait for each need of an engine.
//! [`method`]: the engines, each a file that reads like its paper.
//! [`drive`]: the loop that runs any of them, with observers and recordings.
//! [`mod@error`]: the errors of all stages.
//! [`expr`]: the language, and a declaration over dual numbers, the oracle of the kernels.
//! [`advanced`]: systems and methods written by hand, penalties, conserved quantities, descriptions, checks of derivatives.
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
//! // Matrices of the system as those of nalgebra: M, and G at the start.
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
//! assert!(path.iter().any(|bob| bob.y < -0.499) && path.iter().all(|bob| (bob.norm() - 0.5).abs() < 1e-13));
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
