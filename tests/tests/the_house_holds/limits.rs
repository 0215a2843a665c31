//! The limits of the house, each at the figure of the day on which it was set.
//!
//! `HOUSE=tighten cargo test -p least-action-tests --test the_house_holds`
//! lowers each limit to its figure, adds a row for each new package,
//! and takes out rows whose package or room is gone.
//! No command raises a limit: whoever raises one writes the reason into the last column of its row.

/// The limits of a package, of a room in its `src`, or of the house; and the reason for a raised one.
pub(crate) struct Limit<'a>(pub(crate) &'a str, pub(crate) [usize; 7], pub(crate) &'a str);

// The columns: product lines, circles of `use`, files in circles, files in the longest chain,
// public types, comment lines over 105 characters, pronouns per thousand comment lines.
#[rustfmt::skip]
#[allow(clippy::unreadable_literal, reason = "a command writes the table")]
pub(crate) const LIMITS: &[Limit<'_>] = &[
    Limit("integrator-core", [121, 0, 0, 2, 0, 11, 45], ""),
    Limit("integrator-core/core", [58317, 11, 33, 33, 196, 1608, 80], ""),
    Limit("integrator-core/core/src/binding", [14699, 5, 20, 28, 4, 230, 117], ""),
    Limit("integrator-core/core/src/method", [23706, 2, 5, 13, 79, 859, 74], ""),
    Limit("integrator-core/core/src/sparse", [4550, 0, 0, 5, 8, 106, 78], ""),
    Limit("model-macros", [11, 0, 0, 1, 0, 0, 0], ""),
    Limit("model-macros/compiler", [28966, 4, 16, 21, 9, 396, 175], ""),
    Limit("model-macros/compiler/src/lower", [8290, 1, 9, 14, 1, 112, 162], ""),
    Limit("models", [3860, 0, 0, 4, 43, 172, 24], ""),
    Limit("workbench", [22844, 5, 18, 23, 5, 222, 140], ""),
    Limit("the house", [114119, 20, 67, 33, 253, 2409, 102], ""),
];
