//! The language of declarations as ordinary Rust types, generic over the kind of number.
//!
//! `#[lagrangian]` translates a declaration twice. The first translation is symbolic and ends in
//! kernels. The second is this module: the user's own code, with `Scalar`, `Vec2`, … read as
//! [`Scalar<T>`], [`Vec2<T>`], … for any dual number T. rustc checks it, it gives derivatives that
//! kernels lack, and it is the [`oracle`] against which every kernel is tested.
//!
//! # Jets in time
//! A [`Scalar<T>`] is a value x with its rate of change dx/dt: a dual number of `num_dual` over T, with
//! its arithmetic and functions. Coordinates enter with their velocity as rate, the time with rate 1,
//! constants with rate 0. Every operation carries the rate along by the chain rule, so [`der`] only
//! returns it. T carries the derivatives with respect to q, v and t.
//!
//! # Example
//! ```
//! use least_action::expr::{Scalar, der, vec2};
//!
//! // A bob on a rod of length 2, at rest at the angle 0, turning with angular velocity 3.
//! let angle = Scalar::new(0.0, 3.0);
//! let bob = 2.0 * vec2::<f64, _, _>(angle.sin(), -angle.cos());
//! assert_eq!(der(bob).norm_squared().value(), 36.0);
//! ```

pub(crate) mod array;
pub(crate) mod build;
mod continued;
mod functions;
pub(crate) mod matrix;
mod near;
pub(crate) mod opaque;
mod operators;
pub mod oracle;
pub(crate) mod place;
mod scalar;
mod vector;

pub use build::{der, each, pairs, stiff, sum, table, vec2, vec2_from, vec3, vec3_from};
pub use continued::{erf, erfc};
pub use functions::Exponent;
pub use matrix::Mat3;
#[doc(hidden)]
pub use near::Point;
pub use near::{between, force_shifted, periodic, shifted, switched, within};
pub use oracle::Oracle;
#[doc(hidden)]
pub use place::{Place, Told, place, places, seen};
pub use scalar::{Number, Scalar};
pub use vector::{Vec2, Vec3};

/// Dual numbers of any order:
/// an [`Oracle`] over them gives derivatives for which there is no function here.
pub use num_dual;
