//! The errors of all stages, each with the quantity, the step, the time and the remedy.

mod bind;
mod failed;
mod layout;
mod measure;
mod projection;
mod slow_manifold;
mod start;
mod step;
mod table;

pub use bind::BindError;
pub use failed::{FailedStep, ForceError};
pub use layout::LayoutError;
pub use measure::MeasureError;
#[doc(hidden)]
pub use projection::ProjectionError;
pub use slow_manifold::SlowManifoldError;
pub use start::{Begun, StartError};
pub use step::StepError;
pub(crate) use table::errors;
