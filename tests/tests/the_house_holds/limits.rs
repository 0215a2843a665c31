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
    Limit("declared", [8482, 0, 0, 0, 0, 0, 0, 11, 3, 10, 28, 0], "Models of files: an interpreter of plain Rust; the check by dual numbers."),
    Limit("integrator-core", [120, 0, 0, 0, 0, 0, 0, 2, 2, 0, 0, 0], ""),
    Limit("integrator-core/core", [66928, 0, 0, 2, 4, 2, 10, 21, 11, 24, 322, 0], "Operations are code or programs, which stand under layouts."),
    Limit("integrator-core/core/src/binding", [14245, 0, 0, 0, 0, 2, 10, 20, 16, 23, 52, 0], "Programs on single elements, rows in lanes and near pairs."),
    Limit("integrator-core/core/src/method", [27234, 0, 0, 1, 2, 0, 0, 13, 13, 24, 80, 0], ""),
    Limit("integrator-core/core/src/sparse", [6195, 0, 0, 0, 0, 0, 0, 9, 7, 19, 17, 0], ""),
    Limit("integrator-core/core: struct Assembly", [0, 0, 0, 0, 0, 0, 0, 0, 0, 27, 0, 0], ""),
    Limit("integrator-core/methods", [1094, 0, 0, 0, 0, 0, 0, 4, 4, 7, 14, 0], "Derivatives of methods may be left out."),
    Limit("kernel", [525, 0, 0, 0, 0, 0, 0, 2, 2, 14, 19, 0], ""),
    Limit("model-macros", [11, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0], ""),
    Limit("model-macros/compiler", [29165, 0, 0, 0, 0, 3, 22, 13, 13, 24, 69, 0], "Declarations as values: kernels, functions, facts."),
    Limit("model-macros/compiler/src/lower", [9403, 0, 0, 0, 0, 1, 18, 9, 8, 24, 21, 0], "Names of the shared table of operations."),
    Limit("model-macros/compiler: struct Lowering", [0, 0, 0, 0, 0, 0, 0, 0, 0, 36, 0, 0], ""),
    Limit("models", [3936, 0, 0, 0, 0, 0, 0, 4, 4, 15, 46, 0], "Models are files, too."),
    Limit("optimization", [3824, 0, 0, 0, 0, 0, 0, 6, 3, 14, 26, 0], "Priors, sensors, losses and second starts are rows and columns of one problem."),
    Limit("workbench", [21668, 0, 0, 0, 0, 0, 0, 9, 10, 24, 9, 0], "Models of files, in Python too; pages that compute."),
    Limit("workbench/live", [895, 0, 0, 0, 0, 0, 0, 4, 4, 7, 1, 0], "A page that computes: the compiler and the engines as a module."),
    Limit("workbench/pages", [5323, 0, 0, 0, 0, 0, 0, 10, 5, 14, 33, 0], "Outputs replace no inputs; pages that compute."),
    Limit("workbench/papers", [6093, 0, 0, 0, 0, 0, 0, 6, 4, 11, 3, 0], ""),
    Limit("the house", [148064, 0, 0, 2, 4, 5, 32, 21, 13, 24, 570, 0], "Files are checked and drawn as models are; to be paid by stages of steps."),
];
