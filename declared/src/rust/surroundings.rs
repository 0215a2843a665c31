//! What is around a file: names that it does not define, their values, and the limits of an evaluation.

use super::error::Error;
use super::number::Numeric;
use super::value::{Answer, Caller, Value};
use std::any::Any;
use std::rc::Rc;

/// Gives numbers to the functions, constants and methods of surroundings; none by default.
#[allow(unused_variables, reason = "by default there is nothing")]
pub trait Vocabulary {
    /// The number of a function, by the words of its path.
    fn function(&self, path: &[&str]) -> Option<u32> {
        None
    }

    /// The number of a constant, by the words of its path.
    fn constant(&self, path: &[&str]) -> Option<u32> {
        None
    }

    /// The number of a method of objects of the surroundings.
    fn method(&self, name: &str) -> Option<u32> {
        None
    }
}

/// The limits of an evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// The most operations.
    pub operations: u64,
    /// The most values that are held at a time, of some 40 bytes each.
    pub values: usize,
    /// The deepest nesting of expressions, over all calls.
    pub depth: u32,
}

impl Default for Budget {
    fn default() -> Self {
        Self { operations: 300_000_000, values: 50_000_000, depth: 250 }
    }
}

/// Functions and values that neither the file nor the interpreter has; none by default.
///
/// A [`Vocabulary`] gives them numbers when a file is resolved.
#[allow(unused_variables, reason = "by default there is nothing")]
pub trait Surroundings<N: Numeric> {
    /// The value of a path.
    ///
    /// # Errors
    /// There is none.
    fn constant(&self, constant: u32) -> Answer<N> {
        Err(Error::new("there is no such constant"))
    }

    /// Calls a function.
    ///
    /// # Errors
    /// Those of the function.
    fn call(&self, function: u32, arguments: &mut [Value<N>], caller: &mut dyn Caller<N>) -> Answer<N> {
        Err(Error::new("there is no such function"))
    }

    /// Calls a method of an object of the surroundings.
    ///
    /// # Errors
    /// Those of the method.
    fn method(
        &self,
        own: &Value<N>,
        method: u32,
        arguments: &mut [Value<N>],
        caller: &mut dyn Caller<N>,
    ) -> Answer<N> {
        Err(Error::new("there is no such method"))
    }

    /// A field of an object of the surroundings.
    fn field(&self, own: &Rc<dyn Any>, name: &str) -> Option<Value<N>> {
        None
    }
}

/// Nothing around.
#[derive(Debug, Clone, Copy, Default)]
pub struct Alone;

impl Vocabulary for Alone {}

impl<N: Numeric> Surroundings<N> for Alone {}
