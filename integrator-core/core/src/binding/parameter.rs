//! Fields of a model that are sensitive parameters.

use super::binder::Binder;
use crate::error::BindError;

/// A field that can be sensitive: a number, an array of numbers, or a list of numbers.
#[diagnostic::on_unimplemented(
    message = "a field of type `{Self}` cannot be sensitive",
    label = "neither a number nor an array of numbers",
    note = "only `f64`, `[f64; N]` and `Vec<f64>` can be sensitive"
)]
pub trait Parameter {
    /// Its numbers.
    fn numbers(&self) -> &[f64];

    /// Its numbers, to be written.
    fn numbers_mut(&mut self) -> &mut [f64];

    /// Takes its numbers from the front of `values`.
    fn write(&mut self, values: &mut &[f64]) {
        let numbers = self.numbers_mut();
        let (own, rest) = values.split_at(numbers.len().min(values.len()));
        numbers.iter_mut().zip(own).for_each(|(number, value)| *number = *value);
        *values = rest;
    }
}

impl Parameter for f64 {
    fn numbers(&self) -> &[f64] {
        std::slice::from_ref(self)
    }

    fn numbers_mut(&mut self) -> &mut [f64] {
        std::slice::from_mut(self)
    }
}

impl<const N: usize> Parameter for [f64; N] {
    fn numbers(&self) -> &[f64] {
        self
    }

    fn numbers_mut(&mut self) -> &mut [f64] {
        self
    }
}

impl Parameter for Vec<f64> {
    fn numbers(&self) -> &[f64] {
        self
    }

    fn numbers_mut(&mut self) -> &mut [f64] {
        self
    }
}

/// A declaration with its sensitive fields as coordinates.
pub trait Sensitive {
    /// Puts coordinates, parameters, families and constraints into `binder`.
    ///
    /// # Errors
    /// The parameters make no system.
    fn declare_sensitive(&self, binder: &mut Binder) -> Result<(), BindError>;
}
