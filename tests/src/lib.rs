//! Helpers of the whole-system tests.
pub mod constrained_models;
