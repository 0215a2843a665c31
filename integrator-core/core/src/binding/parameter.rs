//! Fields of a model that are sensitive parameters.

use super::binder::Binder;
use crate::error::BindError;
use crate::system::Signal;

/// A field that can be sensitive: a number, an array of numbers, a list of numbers, or a signal.
#[diagnostic::on_unimplemented(
    message = "a field of type `{Self}` cannot be sensitive",
    label = "neither a number nor an array of numbers nor a signal",
    note = "only `f64`, `[f64; N]`, `Vec<f64>` and `Signal` can be sensitive"
)]
pub trait Parameter {
    /// Its numbers.
    fn numbers(&self) -> &[f64];

    /// Takes as many numbers.
    fn set(&mut self, numbers: &[f64]);

    /// Takes its numbers from the front of `values`.
    fn write(&mut self, values: &mut &[f64]) {
        let (own, rest) = values.split_at(self.numbers().len().min(values.len()));
        self.set(own);
        *values = rest;
    }
}

impl Parameter for f64 {
    fn numbers(&self) -> &[f64] {
        std::slice::from_ref(self)
    }

    fn set(&mut self, numbers: &[f64]) {
        std::slice::from_mut(self).copy_from_slice(numbers);
    }
}

impl<const N: usize> Parameter for [f64; N] {
    fn numbers(&self) -> &[f64] {
        self
    }

    fn set(&mut self, numbers: &[f64]) {
        self.copy_from_slice(numbers);
    }
}

impl Parameter for Vec<f64> {
    fn numbers(&self) -> &[f64] {
        self
    }

    fn set(&mut self, numbers: &[f64]) {
        self.copy_from_slice(numbers);
    }
}

impl Parameter for Signal {
    fn numbers(&self) -> &[f64] {
        self.values()
    }

    fn set(&mut self, numbers: &[f64]) {
        *self = self.with_values(numbers);
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
