//! Quantities with their units.

pub(crate) mod axis;
pub(crate) mod units;

pub use axis::Axis;
pub use units::{Units, commented};
