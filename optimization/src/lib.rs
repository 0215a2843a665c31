//! Optimization with motions: least squares under constraints and bounds, and fits to recordings.

pub mod fit;
pub mod least_squares;
