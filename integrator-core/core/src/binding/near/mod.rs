//! Sums over near pairs of points, and over the neighbours of each point.
//!
//! `../../lists` has the points and the lists of near pairs. A list is a layout: a row is a point with
//! its neighbours, and rows change with the list. `records.rs` and `stage.rs` gather the entries of the
//! list into columns, over which the operations of an ordinary kernel run; `plan.rs` says what stands in
//! these columns, and `fold.rs` adds the results to the sums of points. `family.rs` is a sum with its
//! coefficients, `ends.rs` has the supplies of the ends, and `sweep.rs` evaluates. `single.rs` evaluates
//! single elements; `second.rs` adds their second derivatives and the rows of their gradients.

mod columns;
mod element;
mod ends;
pub(crate) mod family;
mod fold;
pub(crate) mod kernel;
pub(crate) mod key;
mod memory;
mod plan;
mod records;
pub(super) mod second;
mod single;
mod stage;
mod sweep;
