//! Points with near pairs, and the lists of these pairs.
//!
//! `range.rs` collects points, cutoff, cell and exceptions of an instance (`points.rs`); `image.rs` has
//! nearest images in registers. `search.rs` builds the lists of neighbours (`list.rs`) in O(n) over the
//! bins of `grid.rs`; no result depends on a list. `all_pairs.rs` is for sums without a list, whose
//! elements test each pair.

pub(crate) mod all_pairs;
mod grid;
pub(crate) mod image;
pub(crate) mod list;
pub(crate) mod points;
pub(crate) mod range;
pub(crate) mod search;
