//! The kernel of an element as data: what the compiler finds and the run time carries out.
//!
//! An element f(x, c, t, θ) has an [`Operation`] for each derivative that engines ask for. The [`Code`]
//! of an operation is a list of [`Line`]s, each of which computes one number from earlier ones, or puts
//! one somewhere. The compiler writes a line as a line of Rust, and the run time can carry it out.

mod code;
mod facts;
mod function;
mod operation;

pub use code::{ARGUMENTS, Code, Instruction, Line, Port, Put, Row, Value, Vector};
pub use facts::{
    ElementFacts, HessianEntry, LinearForm, NearFacts, Role, Smoothness, Sort, Source, Text, Texts,
};
pub use function::Function;
pub use operation::{Operation, Results};
