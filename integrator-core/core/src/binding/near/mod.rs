//! Sums over near pairs of points, and over the neighbours of each point.
//!
//! `../../lists` has the points and the lists of near pairs. A list is a layout: a row is a point with
//! its neighbours, and rows change with the list. `stage.rs` gathers the entries of the list into
//! columns, with which `kernel/` computes; `family.rs` is a sum with its coefficients, `ends.rs` has the
//! supplies of the ends, and `sweep.rs` evaluates. `single.rs` evaluates single elements; `second.rs`
//! adds their second derivatives and the rows of their gradients.

mod columns;
mod element;
mod ends;
pub(crate) mod family;
mod group;
pub(crate) mod kernel;
pub(crate) mod key;
mod memory;
pub(crate) mod program;
pub(super) mod second;
mod single;
mod stage;
mod sweep;
