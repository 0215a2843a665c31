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
    Limit("integrator-core/core", [61058, 0, 0, 19, 186, 1366, 69], "One identity of a run, whole files and locked checkpoints are in the library, and one rule ends iterations at rounding."),
    Limit("integrator-core/core/src/binding", [12773, 0, 0, 18, 2, 116, 76], "A checksum of an instance tells one system from another, without a probe of its motion."),
    Limit("integrator-core/core/src/method", [24172, 0, 0, 13, 77, 741, 70], "Matrices bordered by sums serve forces, dissipations, several nodes and the reference: `binding` fell by as much; and Newton's method stands behind all damped corrections."),
    Limit("integrator-core/core/src/sparse", [6158, 0, 0, 7, 4, 105, 73], "Factors have the same bits in registers of every width, and bands of kicks are factored from both ends: dampers between neighbours cost two fifths."),
    Limit("integrator-core/methods", [1162, 0, 0, 4, 13, 11, 92], ""),
    Limit("model-macros", [11, 0, 0, 1, 0, 0, 0], ""),
    Limit("model-macros/compiler", [29555, 0, 0, 13, 9, 390, 171], "The compiler proves that a force is linear, squares of sines and cosines are added, and macros of one model serve another."),
    Limit("model-macros/compiler/src/lower", [9335, 0, 0, 9, 1, 122, 165], "A method of a parameter has a message of its own."),
    Limit("models", [3863, 0, 0, 4, 43, 172, 24], "A mesh is read by the one function that opens inputs."),
    Limit("workbench", [15077, 0, 0, 9, 5, 109, 131], "Recordings, datasets and checkpoints know whose they are, survive full disks, and compressed, damaged and foreign files are read or refused."),
    Limit("workbench/pages", [4069, 0, 0, 10, 1, 48, 151], ""),
    Limit("workbench/papers", [5223, 0, 0, 6, 3, 43, 94], ""),
    Limit("the house", [120138, 0, 0, 19, 260, 2150, 93], "As above."),
];
