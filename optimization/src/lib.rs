//! Optimization with motions: least squares under constraints and bounds, fits to recordings, and
//! optimal control.

pub mod control;
mod error;
pub mod fit;
pub mod least_squares;

pub use error::Error;
