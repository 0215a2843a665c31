//! Self-checks: every derivative of a bound model beside two other derivations of it.
//!
//! The kernels of a model are differentiated at compile time. The same declaration is also emitted over dual numbers, by
//! another route (see [`crate::expr`]), which must agree up to rounding; and each derivative is compared with differences of
//! the kernels one order below, which must agree up to the error that the differences estimate for themselves.
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
//! assert!(report.iter().all(|quantity| quantity.holds()));
//! # Ok(())
//! # }
//! ```
//!
//! Rounding is bounded by what it does here: the quantity is evaluated at points that differ in the last digits, and may
//! differ from its oracle by a hundred times the largest change, plus 10⁻¹² of its largest entry.

pub use crate::check::*;
