//! Texts of a declaration.

pub use least_action_kernel::{Text, Texts};
