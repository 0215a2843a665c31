//! The names that a declaration and a first simulation need, except the attribute.

pub use crate::binding::{Bound, Cell, Model};
pub use crate::expr::{
    Mat3, Vec2, Vec3, between, der, each, force_shifted, pairs, periodic, shifted, stiff, sum, switched,
    table, vec2, vec3, within,
};
pub use crate::system::{
    Driven, Forced, Holonomic, Lagrangian, Look, Natural, Nonholonomic, Signal, Start, State, Stiff, System,
};
// Documented in their own crates.
#[doc(no_inline)]
pub use nalgebra::{Matrix3, Vector2, Vector3};
#[doc(no_inline)]
pub use serde::{Deserialize, Serialize};
