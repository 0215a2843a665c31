//! The variational integrators: on any Lagrangian, with forces, and with constraints of every kind.

mod on_any_lagrangian;
mod problems;
mod with_forces;
