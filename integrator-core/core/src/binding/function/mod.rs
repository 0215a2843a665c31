//! Functions of z = (x | u₁ | u₂ | …): x is (q) or (q, v, t);
//! u_s are arrays of sums of elements that read x and earlier sums.
//!
//! A function is a sum of elements that read z; without sums, z = x. V, the rest R of L, and
//! Rayleigh's D have one value, each a [`Function`]; g, c and F have several, each a [`RowFunction`].

mod entries;
pub(crate) mod partial;
mod rows;
mod scalar;
pub(crate) mod second;
mod slopes;
mod space;
mod stages;
mod weighed;

pub(super) use rows::RowFunction;
pub(super) use scalar::Function;
pub(super) use second::{Filled, Second, carry_gradients};
pub(super) use slopes::{Direct, too_many};
pub(super) use space::Space;
pub(super) use stages::{Along, SumStage};
pub(super) use weighed::Weighed;
