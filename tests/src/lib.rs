//! Command lines of the whole-system tests.

pub mod command;
