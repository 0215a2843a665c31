//! Write a Lagrangian, get a structure-preserving simulator.

pub use model_macros::lagrangian;

pub mod error;
pub mod expr;
pub mod method;
pub mod sparse;
pub mod structure;
pub mod system;

/// What a declaration and its author need.
pub mod prelude {
    pub use crate::lagrangian;
    pub use crate::system::{Start, State};
}
