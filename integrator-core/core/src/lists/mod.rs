//! Points of which pairs are near, and the lists of their pairs.
//!
//! `range.rs` is an instance's word on points, cutoff, cell and exceptions (`points.rs`); `image.rs` has
//! nearest images in registers. `list.rs` is a list of neighbours, built in O(n) by `search.rs` over the
//! bins of `grid.rs`: a cache on which no result depends. `all_pairs.rs` is for sums without a list,
//! whose elements ask each pair.

pub(crate) mod all_pairs;
mod grid;
pub(crate) mod image;
pub(crate) mod list;
pub(crate) mod points;
pub(crate) mod range;
pub(crate) mod search;
