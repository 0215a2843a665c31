//! Exact derivatives of steps: the linear map of each engine as a list of stages.
//!
//! A run records its states; [`Program`](program::Program) carries tangents from one to the next, and
//! covectors from the last to the first. In (q, p) a loss J(q, v) has the covector (∂J/∂q, M⁻¹ ∂J/∂v).
//!
//! # Reference
//! J. M. Sanz-Serna, SIAM Rev. 58 (2016) 3–33, doi:10.1137/151002769.

mod contract;
mod differential;
mod hidden;
mod implicit;
mod inputs;
mod kicks;
pub(in crate::method) mod natural;
mod parameters;
pub(crate) mod program;
pub(in crate::method) mod rows;
mod shake;
pub(crate) mod span;
pub(in crate::method) mod sparse;
pub(in crate::method) mod variation;

pub use contract::Differentiable;
pub(crate) use differential::{LinearizedRun, Tape, differential};
pub(in crate::method) use hidden::Hidden;
pub(in crate::method) use implicit::{ImplicitForce, ImplicitMap};
pub(in crate::method) use kicks::{Kicks, Stiffness};
pub(in crate::method) use natural::Extended;
pub(in crate::method) use parameters::Parameters;
pub(in crate::method) use shake::ShakeMap;
pub(crate) use sparse::ABREAST;
pub(crate) use variation::Variation;
