//! Sums over the pairs of points that are near, and over the neighbours of each point.
//!
//! `range.rs` is what an instance says: points, cutoff, cell and exceptions (`points.rs`); `image.rs` has nearest images in registers.
//! `list.rs` is a list of neighbours, built in O(n) by `search.rs` over the bins of `grid.rs`: a cache that no result depends on. `stage.rs`
//! brings the entries of the list into columns, which `kernel/` computes with; `family.rs` is a sum with its ends and coefficients,
//! and `sweep.rs` its evaluation; `rows.rs` is that of sums which belong to the rows of a stage. `second.rs` has second derivatives and single
//! elements, `virial.rs` the derivative by a strain. `all_pairs.rs` is for families of other kinds, which
//! ask each pair.

pub(crate) mod all_pairs;
pub(crate) mod family;
mod grid;
mod image;
pub(crate) mod kernel;
pub(crate) mod key;
pub(crate) mod list;
mod memory;
pub(crate) mod points;
pub(crate) mod range;
mod rows;
pub(crate) mod search;
pub(super) mod second;
mod stage;
pub(crate) mod sweep;
mod virial;
