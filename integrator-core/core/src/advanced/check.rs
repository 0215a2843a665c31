//! Self-checks: every derivative of a bound model beside dual numbers.
//!
//! The compiler differentiates the kernels of a model.
//! It also emits the declaration itself over dual numbers (see [`crate::expr`]).
//! Both routes must agree up to rounding.
//!
//! ```
//! use least_action::advanced::check::check;
//! use least_action::prelude::*;
//!
//! struct Pendulum { rod: f64 }
//!
//! #[lagrangian]
//! impl Pendulum {
//!     fn lagrangian(&self, theta: Angle) -> Scalar {
//!         0.5 * (self.rod * der(theta)).powi(2) + self.rod * theta.cos()
//!     }
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let model = Pendulum { rod: 0.5 };
//! let system = model.bind()?;
//! let report = check(&model, &system, &State { t: 0.0, q: vec![0.3], v: vec![1.0] }, 1);
//! assert!(report.iter().all(|quantity| quantity.agrees));
//! # Ok(())
//! # }
//! ```
//!
//! A perturbation of the last digits of the point estimates the rounding of a number.
//! The allowed distance is a hundred times its largest change, plus 10⁻¹² of the sum of magnitudes.

pub use crate::check::*;
