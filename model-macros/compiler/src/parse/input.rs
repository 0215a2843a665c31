//! Where inputs may stand: among the arguments of forces, one by one.

use crate::ast::{Function, Shape};
use crate::error::Errors;
use syn::Type;

/// Refuses the inputs among the arguments of a method.
pub(super) fn refuse(function: &Function, message: &dyn Fn(&Type, &str) -> syn::Error, errors: &mut Errors) {
    for argument in &function.arguments {
        if matches!(argument.shape, Shape::Input) {
            errors.push(message(&argument.ty, &argument.name.to_string()));
        }
    }
}

/// True for an array of inputs.
pub(super) fn is_array(shape: &Shape) -> bool {
    match shape {
        Shape::Array(entry, _) => matches!(**entry, Shape::Input) || is_array(entry),
        _ => false,
    }
}
