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
    Limit("integrator-core/core", [62557, 0, 0, 19, 186, 1354, 66], "Models at known places answer every question of a step by their type, and systems of few unknowns are dense: their steps take a quarter of the instructions; families in registers add there, with rows that begin at cache lines: gradients of all pairs take 0.65 of the time."),
    Limit("integrator-core/core/src/binding", [13519, 0, 0, 18, 2, 105, 66], "The type of a model shows its elements to steps (`straight.rs`), and `Bound` asks them: the way through the assembly is for larger models; rows of registers read and add columns (`columns.rs`)."),
    Limit("integrator-core/core/src/method", [24267, 0, 0, 13, 77, 741, 69], "Matrices bordered by sums serve forces, dissipations, several nodes and the reference: `binding` fell by as much; Newton's method stands behind all damped corrections; and constraint methods keep full matrices of few rows."),
    Limit("integrator-core/core/src/sparse", [6797, 0, 0, 7, 4, 104, 63], "Factors have the same bits in registers of every width, bands of kicks are factored from both ends, and matrices of few rows are full, for members too; a chain carries a point from row to row."),
    Limit("integrator-core/methods", [1162, 0, 0, 4, 13, 11, 92], ""),
    Limit("model-macros", [11, 0, 0, 1, 0, 0, 0], ""),
    Limit("model-macros/compiler", [29743, 0, 0, 13, 9, 390, 170], "The compiler shows elements at known places by the type of the model, and has the bound system compiled beside it."),
    Limit("model-macros/compiler/src/lower", [9335, 0, 0, 9, 1, 122, 165], "A method of a parameter has a message of its own."),
    Limit("models", [3828, 0, 0, 4, 43, 146, 17], "A mesh is read by the one function that opens inputs."),
    Limit("workbench", [15587, 0, 0, 9, 5, 106, 107], "Recordings, datasets and checkpoints know whose they are, survive full disks, and compressed, damaged and foreign files are read or refused; a run chooses what is left out, and text ends where the terminal does."),
    Limit("workbench/pages", [4069, 0, 0, 10, 1, 43, 140], ""),
    Limit("workbench/papers", [5223, 0, 0, 6, 3, 43, 94], ""),
    Limit("the house", [122335, 0, 0, 19, 260, 2105, 89], "As above."),
];
