//! An interpreter of the plain Rust that stands in the file of a model.
//!
//! A [`Source`] is a file as it was read; a [`Program`] has its names resolved; a [`Machine`] evaluates
//! functions of a program, on `f64` or on numbers that carry derivatives, within a [`Budget`].
//! [`Surroundings`] answer calls that the file does not define.

mod bind;
mod calls;
mod error;
mod frozen;
mod functions;
mod integer;
mod items;
mod iterators;
mod json;
mod lists;
mod machine;
mod matrix;
mod methods;
mod model;
mod near;
mod number;
mod numbers;
mod operators;
mod options;
mod patterns;
mod places;
mod program;
mod resolve;
mod scope;
mod sequences;
mod shared;
mod source;
mod surroundings;
mod tree;
mod types;
mod value;

pub(crate) use error::Result;
pub use error::{Error, Place};
pub use integer::Kind;
pub use machine::Machine;
pub use model::Model;
pub use number::{Elementary, Numeric, OfTwo};
pub use source::Source;
pub use surroundings::{Alone, Budget, Surroundings, Vocabulary};
pub(crate) use tree::Constant;
pub use tree::{Field, Program};
pub use value::{Caller, Data, Matrix, Value};

/// All items of an iterator.
///
/// # Errors
/// It is none, or the budget is spent.
pub(crate) fn items(value: &Value<f64>, caller: &mut dyn Caller<f64>) -> Result<Vec<Value<f64>>> {
    let iterator = iterators::iterate(value.clone(), caller)?;
    Ok(iterators::collected(iterator, caller)?.to_vec())
}
