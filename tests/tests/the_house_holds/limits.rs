//! The limits of the house, each at the figure of the day on which it was set.
//!
//! `HOUSE=tighten cargo test -p least-action-tests --test the_house_holds`
//! lowers each limit to its figure, adds a row for each new package,
//! and takes out rows whose package, room or struct is gone.
//! A limit raised by hand has its reason in the last column,
//! and another row of its kind falls as much in the same commit.

/// The limits of a package, of a room in its `src`, of a struct, or of the house; and a reason.
pub(crate) struct Limit<'a>(pub(crate) &'a str, pub(crate) [usize; 12], pub(crate) &'a str);

// The columns: product lines; circles of `use` and files in them; the same with paths in the code;
// the same of calls on `self`; files in the longest chain, rooms in the longest chain,
// fields of the widest struct, public types, comment lines over 105 characters.
#[rustfmt::skip]
#[allow(clippy::unreadable_literal, reason = "a command writes the table")]
pub(crate) const LIMITS: &[Limit<'_>] = &[
    Limit("integrator-core", [120, 0, 0, 0, 0, 0, 0, 2, 2, 0, 0, 0], ""),
    Limit("integrator-core/core", [67803, 0, 0, 2, 4, 2, 9, 19, 11, 24, 337, 0], ""),
    Limit("integrator-core/core/src/binding", [14059, 0, 0, 0, 0, 2, 9, 18, 15, 23, 66, 0], ""),
    Limit("integrator-core/core/src/method", [28081, 0, 0, 1, 2, 0, 0, 13, 13, 24, 84, 0], ""),
    Limit("integrator-core/core/src/sparse", [6601, 0, 0, 0, 0, 0, 0, 7, 7, 19, 17, 0], ""),
    Limit("integrator-core/core: struct Assembly", [0, 0, 0, 0, 0, 0, 0, 0, 0, 26, 0, 0], ""),
    Limit("integrator-core/methods", [1374, 0, 0, 0, 0, 0, 0, 4, 4, 7, 14, 0], ""),
    Limit("model-macros", [11, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0], ""),
    Limit("model-macros/compiler", [28766, 0, 0, 0, 0, 3, 20, 13, 13, 24, 64, 0], ""),
    Limit("model-macros/compiler/src/lower", [9296, 0, 0, 0, 0, 1, 16, 9, 8, 24, 21, 0], ""),
    Limit("model-macros/compiler: struct Lowering", [0, 0, 0, 0, 0, 0, 0, 0, 0, 36, 0, 0], ""),
    Limit("models", [3911, 0, 0, 0, 0, 0, 0, 4, 4, 15, 45, 0], ""),
    Limit("optimization", [2907, 0, 0, 0, 0, 0, 0, 5, 3, 12, 24, 0], ""),
    Limit("workbench", [20068, 0, 0, 0, 0, 0, 0, 9, 11, 23, 9, 0], ""),
    Limit("workbench/pages", [5119, 0, 0, 0, 0, 0, 0, 10, 5, 15, 33, 0], ""),
    Limit("workbench/papers", [6220, 0, 0, 0, 0, 0, 0, 6, 4, 11, 3, 0], ""),
    Limit("the house", [136299, 0, 0, 2, 4, 5, 29, 19, 13, 24, 529, 0], ""),
];
