//! Where inputs may stand: among the arguments of forces, one by one.

use super::shape;
use crate::ast::{Function, Shape};
use crate::error::{self, Errors};
use syn::Type;

/// Refuses the inputs among the arguments of a method.
pub(super) fn refuse(function: &Function, message: &dyn Fn(&Type, &str) -> syn::Error, errors: &mut Errors) {
    for argument in &function.arguments {
        if matches!(argument.shape, Shape::Input) {
            errors.push(message(&argument.ty, &argument.name.to_string()));
        }
    }
}

/// Refuses an array of inputs.
pub(super) fn refuse_array(ty: &Type, errors: &mut Errors) {
    let mut entry = ty;
    while let Type::Array(array) = entry {
        entry = &array.elem;
    }
    if matches!(shape(entry), Shape::Input) {
        errors.push(error::array_of_inputs(ty));
    }
}
