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
    Limit("declared", [8437, 0, 0, 0, 0, 0, 0, 11, 3, 10, 28, 0], "Models of files: an interpreter of plain Rust; the check by dual numbers."),
    Limit("integrator-core", [120, 0, 0, 0, 0, 0, 0, 2, 2, 0, 0, 0], ""),
    Limit("integrator-core/core", [70441, 0, 0, 2, 4, 2, 10, 21, 11, 20, 337, 0], "Moments: events, resets and impacts inside of steps; members in lanes."),
    Limit("integrator-core/core/src/binding", [14507, 0, 0, 0, 0, 2, 10, 20, 16, 20, 52, 0], "Rows of five kinds: events, resets and gaps beside the constraints."),
    Limit("integrator-core/core/src/method", [29708, 0, 0, 1, 2, 0, 0, 12, 14, 18, 87, 0], "Moments stand between a run and the equations of motion; to be parted."),
    Limit("integrator-core/core/src/sparse", [6509, 0, 0, 0, 0, 0, 0, 9, 7, 19, 17, 0], "Accelerations under rows by B M⁻¹ Bᵀ; straight factors of six unknowns."),
    Limit("integrator-core/core: struct Assembly", [0, 0, 0, 0, 0, 0, 0, 0, 0, 27, 0, 0], ""),
    Limit("integrator-core/methods", [1093, 0, 0, 0, 0, 0, 0, 4, 4, 7, 14, 0], "Derivatives of methods may be left out."),
    Limit("kernel", [525, 0, 0, 0, 0, 0, 0, 2, 2, 14, 19, 0], ""),
    Limit("model-macros", [11, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0], ""),
    Limit("model-macros/compiler", [29315, 0, 0, 0, 0, 3, 22, 13, 13, 21, 69, 0], "Methods beside the Lagrangian by sorts: events, resets and gaps."),
    Limit("model-macros/compiler/src/lower", [9390, 0, 0, 0, 0, 1, 18, 9, 8, 21, 21, 0], "Names of the shared table of operations."),
    Limit("model-macros/compiler: struct Lowering", [0, 0, 0, 0, 0, 0, 0, 0, 0, 36, 0, 0], ""),
    Limit("models", [3936, 0, 0, 0, 0, 0, 0, 4, 4, 15, 46, 0], "Models are files, too."),
    Limit("optimization", [4307, 0, 0, 0, 0, 0, 0, 6, 3, 14, 26, 0], "Priors, sensors, losses and second starts are rows and columns of one problem."),
    Limit("workbench", [22007, 0, 0, 0, 0, 0, 0, 9, 10, 24, 9, 0], "Events of the line, and tables of moments."),
    Limit("workbench/live", [895, 0, 0, 0, 0, 0, 0, 4, 4, 7, 1, 0], "A page that computes: the compiler and the engines as a module."),
    Limit("workbench/pages", [5318, 0, 0, 0, 0, 0, 0, 10, 5, 14, 33, 0], "Outputs replace no inputs; pages that compute."),
    Limit("workbench/papers", [5796, 0, 0, 0, 0, 0, 0, 6, 4, 11, 3, 0], ""),
    Limit("the house", [152201, 0, 0, 2, 4, 5, 32, 21, 13, 24, 585, 0], "Moments, paid in part by shorter code; to be paid by parts and by tangents."),
];
