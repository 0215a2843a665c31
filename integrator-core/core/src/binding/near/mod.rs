//! Sums over the pairs of points that are near, and over the neighbours of each point.
//!
//! `../../lists` keeps the points and the lists of their pairs. A list is a layout: the elements in a
//! row are a point with its neighbours, and rows are gathered anew when the list changes. `stage.rs`
//! brings the entries of the list into columns, which `kernel/` computes with; `family.rs` is a sum with
//! its coefficients, `ends.rs` has the supplies of the ends, and `sweep.rs` is the evaluation.
//! `single.rs` computes elements one by one, and `second.rs` adds their second derivatives and the rows
//! of their gradients.

mod element;
mod ends;
pub(crate) mod family;
pub(crate) mod kernel;
pub(crate) mod key;
mod memory;
pub(super) mod second;
mod single;
mod stage;
mod sweep;
