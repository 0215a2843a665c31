//! The compiler behind `#[lagrangian]`: a declaration in a subset of Rust → kernels and their binding.
//!
//! [`compile()`] is all of it, from tokens to tokens. `compile.rs` shows its stages on one screen, and
//! each stage can be called on plain values:
//!
//! | stage | from | to |
//! |---|---|---|
//! | [`parse()`] | tokens | [`Declaration`]: coordinates and methods as written |
//! | [`lower()`] | names, shapes, control flow | [`Lowered`]: sums and choices over a graph |
//! | [`classify()`] | additive terms | [`Classified`]: mass, potential, constraints, in term families |
//! | [`prove()`] | motions, statements | [`Symmetry`], one for each conserved or balanced quantity |
//! | [`differentiate()`] | elements | [`Kernels`]: every derivative as a program of few operations |
//! | [`emit()`] | [`Compiled`] | Rust |
//!
//! [`expand()`] takes the text of a declaration to Rust for people to read.
//!
//! The stages before `differentiate` gather the user's mistakes in [`Errors`]; no later stage fails.
//!
//! Only `compile` and `expand` are documented; the stages and their values change between versions.
//!
//! **Invariant.** The whole compiler speaks `proc_macro2`, so that it runs without rustc.

#![allow(
    clippy::missing_errors_doc,
    clippy::return_self_not_must_use,
    reason = "the parts of the stages are public for the tests of this crate alone"
)]
#![allow(
    clippy::float_cmp,
    reason = "numbers of the source are compared exactly: a factor is one, or it is not"
)]

mod ast;
mod classify;
mod coded;
mod compile;
mod compiled;
mod differentiate;
mod documented;
mod eliminate;
mod emit;
mod error;
mod expand;
mod fallback;
mod functions;
mod graph;
mod intent;
mod kernels;
#[cfg_attr(not(feature = "formulas"), allow(dead_code, reason = "a page shows no formulas"))]
mod latex;
mod limits;
mod lower;
mod nonholonomic;
mod parametric;
mod parse;
mod prove;
mod root;
mod run_time;
mod schedule;
mod sensitive;
mod shallow;
mod shown;
mod side_by_side;
mod smoothness;
mod spelling;
mod symmetry;
mod this;
mod torque;
mod walk;
mod zero;

#[doc(hidden)]
pub use ast::Declaration;
#[doc(hidden)]
pub use classify::{Classified, classify};
pub use compile::compile;
#[doc(hidden)]
pub use compile::compiled;
#[doc(hidden)]
pub use compiled::Compiled;
#[doc(hidden)]
pub use documented::documentation;
#[doc(hidden)]
pub use emit::emit;
#[doc(hidden)]
pub use error::Errors;
pub use expand::expand;
#[doc(hidden)]
pub use functions::{Domain, functions};
#[doc(hidden)]
pub use kernels::{Kernels, differentiate};
#[doc(hidden)]
pub use latex::{Formulas, formulas};
#[doc(hidden)]
pub use lower::{Lowered, lower};
#[doc(hidden)]
pub use parse::parse;
#[doc(hidden)]
pub use prove::prove;
#[doc(hidden)]
pub use run_time::{KernelValue, Part, RunTime, run_time};
#[doc(hidden)]
pub use symmetry::Symmetry;

/// The facts about a model as values.
#[doc(hidden)]
pub mod facts {
    pub use crate::classify::{Dependence, Facts};
    pub use crate::emit::ModelFacts;
    pub use crate::symmetry::{Action, Flow, Words};
}

/// The parts of the stages, for the tests of this crate alone.
#[doc(hidden)]
pub mod internals {
    pub mod arithmetic {
        pub use crate::functions::special::{erf, erfc};
    }

    pub mod classify {
        pub use crate::classify::{Classified, Dependence, classify};
    }

    pub mod differentiate {
        pub use crate::differentiate::{directional, gradient, partial};
    }

    pub mod eliminate {
        pub use crate::eliminate::collected::forms;
        pub use crate::eliminate::{Candidate, Element, direction, in_time};
        pub use least_action_kernel::Operation;
    }

    pub mod form {
        pub use crate::error::formula::Obstacle;
        pub use crate::lower::facts::{Answers, Fact, may_hold};
        pub use crate::lower::form::{Choice, Form, Loop, Scope, Step};
        pub use crate::lower::question::Question;
    }

    pub mod functions {
        pub use crate::functions::{Domain, Function, FunctionTable, Parity};
    }

    pub mod graph {
        pub use crate::functions::Function;
        pub use crate::graph::{ARGUMENTS, Graph, Leaf, Node, NodeId, Opaque, is_position};
    }

    pub mod latex {
        pub use crate::latex::symbol;
    }

    pub mod names {
        pub use crate::lower::names::{any_free, bound_by, visit_free};
        pub use crate::lower::variables::Variables;
    }

    pub mod oracle {
        pub use crate::emit::oracle::shape::Shape;
        pub use crate::emit::oracle::{Roles, emit, ordinary};
    }

    pub mod schedule {
        pub use crate::emit::straight_line::{number, plain};
        pub use crate::schedule::Schedule;
        pub use crate::schedule::program::{Instruction, Price, Program, Source};
    }

    pub mod shallow {
        pub use crate::shallow::{readable, shallow};
    }

    pub mod side_by_side {
        pub use crate::side_by_side::side_by_side;
    }

    pub mod smoothness {
        pub use crate::smoothness::{Smoothness, smoothness};
    }

    pub mod symmetry {
        pub use crate::ast::Coordinate;
        pub use crate::symmetry::algebra::{null_space, rational};
        pub use crate::symmetry::generator::Action;
        pub use crate::symmetry::words::words;
        pub use crate::symmetry::{Flow, Symmetry, find};
    }
}
