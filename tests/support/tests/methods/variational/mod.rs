//! The variational integrators: on any Lagrangian, with forces, and with constraints of every kind.

#![expect(clippy::unwrap_used, reason = "helpers of tests, where a failure is a panic")]

mod dependent;
mod dependent_with_constant_mass;
mod held;
mod measure;
mod nonholonomic;
mod on_any_lagrangian;
mod problems;
mod rolling;
mod structure;
mod with_forces;
