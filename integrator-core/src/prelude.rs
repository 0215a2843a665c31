//! The names that a declaration and a first simulation need.

pub use crate::binding::{Bound, Model};
pub use crate::expr::{Mat3, Vec2, Vec3, der, each, pairs, stiff, sum, table, vec2, vec3};
pub use crate::lagrangian;
pub use crate::system::{
    Driven, Forced, Holonomic, Lagrangian, Natural, Nonholonomic, Signal, Start, State, Stiff, System,
};
// Their pages are those of their own crates.
#[doc(no_inline)]
pub use nalgebra::{Matrix3, Vector2, Vector3};
#[doc(no_inline)]
pub use serde::{Deserialize, Serialize};
