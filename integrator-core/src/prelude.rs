//! The names that a declaration and a first simulation need.

pub use crate::lagrangian;
#[doc(inline)]
pub use least_action_core::prelude::*;
