//! Optimization with motions: least squares under constraints and bounds.

pub mod control;
pub mod least_squares;
pub mod motions;
