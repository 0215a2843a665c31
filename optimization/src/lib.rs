//! Optimization with motions: least squares under constraints and bounds.

pub mod least_squares;
