//! The compiler behind `#[lagrangian]`: a declaration in a subset of Rust → numeric kernels and their binding.
//!
//! [`compile()`] is all of it, from tokens to tokens. `compile.rs` shows its stages on one screen, and each can be called on
//! plain values:
//!
//! | stage | from | to |
//! |---|---|---|
//! | [`parse()`] | tokens | [`Declaration`]: coordinates and methods as written |
//! | [`lower()`] | names, shapes, control flow | [`Lowered`]: sums and choices over a graph of expressions |
//! | [`classify()`] | additive terms | [`Classified`]: mass, potential, constraints, each in term families |
//! | [`prove()`] | motions, statements | [`Symmetry`], one for each quantity that is conserved or balanced |
//! | [`differentiate()`] | elements | [`Kernels`]: every derivative as a program of the fewest operations |
//! | [`emit()`] | [`Compiled`] | Rust |
//!
//! [`expand()`] does all of it with the text of a declaration, for people to read.
//!
//! Mistakes of the user are gathered in [`Errors`] by the stages before `differentiate`; nothing after them can fail.
//!
//! **Invariant.** Everything here speaks `proc_macro2`, so that the whole compiler runs without rustc.

#![allow(
    clippy::float_cmp,
    reason = "numbers of the source are compared exactly: a factor is one, or it is not"
)]

mod ast;
mod classify;
mod compile;
mod compiled;
mod differentiate;
mod eliminate;
mod emit;
mod error;
mod expand;
mod fallback;
mod functions;
mod graph;
mod intent;
mod kernels;
mod latex;
mod limits;
mod lower;
mod nonholonomic;
mod parse;
mod phase;
mod prove;
mod schedule;
mod shallow;
mod shown;
mod side_by_side;
mod smoothness;
mod spelling;
mod symmetry;

pub use ast::Declaration;
pub use classify::{Classified, classify};
pub use compile::{compile, compiled};
pub use compiled::Compiled;
pub use emit::emit;
pub use error::Errors;
pub use expand::expand;
pub use functions::{Domain, functions};
pub use kernels::{Kernels, differentiate};
pub use latex::{Formulas, formulas};
pub use lower::{Lowered, lower};
pub use parse::parse;
pub use prove::prove;
pub use symmetry::Symmetry;
