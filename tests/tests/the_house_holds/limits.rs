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
    Limit("integrator-core", [120, 0, 0, 2, 0, 0, 0], ""),
    Limit("integrator-core/core", [67803, 0, 0, 19, 167, 0, 0], "Tangents go abreast by sparse matrices, losses are functions over dual numbers, and programs stop derivatives. A claim says the derivatives of a method. Derivatives by inputs, of Zhang–Skeel in dual numbers, of SHAKE and of a bath. Motions have derivatives by the start and by parameters: linear maps of engines, losses, plans of memory. A declaration tells its places and its comments; a program holds inputs and asks for accelerations. Models at known places answer every question of a step by their type, and systems of few unknowns are dense."),
    Limit("integrator-core/core/src/binding", [14059, 0, 0, 18, 2, 0, 0], "A second system tells which coordinates meet which parameters. Inputs are parameters of a step; third contractions have rates. Parameters are coordinates of a second system. A description has the comments on parameters. The type of a model shows its elements to steps (`straight.rs`), and `Bound` asks them; rows of registers read and add columns (`columns.rs`)."),
    Limit("integrator-core/core/src/method", [28081, 0, 0, 13, 64, 0, 0], "Operators of engines are sparse matrices for many tangents. A claim says the derivatives of a method. Linear maps of Zhang–Skeel, SHAKE and Langevin, and of variational steps by parameters. Engines have the linear map of a step. Accelerations at a state are a question of their own; steppers can be sent. Matrices bordered by sums serve forces, dissipations, several nodes and the reference; constraint methods keep full matrices of few rows."),
    Limit("integrator-core/core/src/sparse", [6601, 0, 0, 7, 4, 0, 0], "Longer names wrap five lines. Factors have the same bits in registers of every width, bands of kicks are factored from both ends, and matrices of few rows are full, for members too; a chain carries a point from row to row."),
    Limit("integrator-core/methods", [1374, 0, 0, 4, 0, 0, 0], "A claim of each method says its derivative. Each method by name starts its derivative. Each item is hidden from the documentation by a line."),
    Limit("model-macros", [11, 0, 0, 1, 0, 0, 0], ""),
    Limit("model-macros/compiler", [28766, 0, 0, 13, 0, 0, 0], "Inputs are sensitive, and products of pairs fill registers. Sensitive parameters are compiled as coordinates. The generic form of a declaration tells places, and comments above the struct are read. The compiler shows elements at known places by the type of the model, and has the bound system compiled beside it."),
    Limit("model-macros/compiler/src/lower", [9296, 0, 0, 9, 0, 0, 0], "A form says its operations. A field may be a coordinate. A method of a parameter has a message of its own."),
    Limit("models", [3911, 0, 0, 4, 44, 0, 0], "A double pendulum on a cart. A model says why its start tells no step. Comments are lines of at most 105 characters."),
    Limit("optimization", [2907, 0, 0, 5, 24, 0, 0], "Distances are integrals by the trapezoid rule, and messages name the cost."),
    Limit("workbench", [20068, 0, 0, 9, 1, 0, 0], "Python differentiates, fits and controls; terms with kinks, long steps and states beyond their bounds are told. `fit` and `control`, with reports and checkpoints. `gradient` differentiates a motion. Frequencies of rounding choose no step. Python steps runs, sets parameters, hands runs to other libraries and reads recordings; arrays of NumPy, rows on standard output, two runs on one page. Recordings, datasets and checkpoints know whose they are; a run chooses what is left out, and text ends where the terminal does."),
    Limit("workbench/pages", [5119, 0, 0, 10, 0, 0, 0], "Data are points, and planes have frames of their own shape. Motion between rows, bodies of revolution, curves and surfaces of constraints, pictures of models in angles, colours by quantities, films, two runs under one clock."),
    Limit("workbench/papers", [6220, 0, 0, 6, 0, 0, 0], "Published problems of optimal control and of fits. Comments are lines of at most 105 characters; an item is hidden from the documentation by a line."),
    Limit("the house", [136299, 0, 0, 19, 236, 0, 0], "As above."),
];
