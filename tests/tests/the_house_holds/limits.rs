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
    Limit("integrator-core", [120, 0, 0, 2, 0, 11, 45], ""),
    Limit("integrator-core/core", [59871, 2, 12, 29, 182, 1636, 79], ""),
    Limit("integrator-core/core/src/binding", [14517, 2, 12, 27, 2, 224, 116], ""),
    Limit("integrator-core/core/src/method", [23853, 0, 0, 14, 77, 861, 74], ""),
    Limit("integrator-core/core/src/sparse", [5756, 0, 0, 7, 4, 131, 75], ""),
    Limit("integrator-core/methods", [1162, 0, 0, 4, 13, 11, 92], ""),
    Limit("model-macros", [11, 0, 0, 1, 0, 0, 0], ""),
    Limit("model-macros/compiler", [29379, 0, 0, 13, 9, 394, 172], ""),
    Limit("model-macros/compiler/src/lower", [9318, 0, 0, 9, 1, 122, 165], ""),
    Limit("models", [3860, 0, 0, 4, 43, 172, 24], ""),
    Limit("workbench", [12723, 0, 0, 9, 5, 115, 150], ""),
    Limit("workbench/pages", [4119, 0, 0, 10, 1, 53, 153], ""),
    Limit("workbench/papers", [5223, 0, 0, 6, 3, 43, 94], ""),
    Limit("the house", [116468, 2, 12, 29, 256, 2435, 101], ""),
];
