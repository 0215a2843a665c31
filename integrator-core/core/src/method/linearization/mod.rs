//! Exact derivatives of steps: the linear map of each engine as a program of lines.
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
mod kick_drift_kick;
pub(in crate::method) mod natural;
mod parameters;
pub(crate) mod program;
pub(in crate::method) mod rattle;
mod shake;
pub(in crate::method) mod sparse;

pub use contract::Differentiable;
pub(crate) use differential::{Differential, Tape, differential};
pub(in crate::method) use hidden::Hidden;
pub(in crate::method) use implicit::{ImplicitForce, ImplicitMap};
pub(in crate::method) use kick_drift_kick::{ForceSlope, KickDriftKickMap};
pub(in crate::method) use natural::Extended;
pub(in crate::method) use parameters::Parameters;
pub(crate) use program::Variation;
pub(in crate::method) use rattle::RattleMap;
pub(in crate::method) use shake::ShakeMap;
pub(crate) use sparse::ABREAST;
