//! The messages of a declaration as a whole: its items, its coordinates, and the roles of its methods.

use super::with_help;
use crate::graph::Size;
use crate::limits::{DEEPEST, MOST_OPERATIONS, MOST_SIZE, MOST_TERMS};
use quote::ToTokens;
use std::fmt::Display;

pub(crate) fn not_an_impl(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "#[lagrangian] stands before the `impl` block of a model",
        "write `#[lagrangian] impl Pendulum { fn lagrangian(&self, …) -> Scalar { … } }`",
    )
}

pub(crate) fn not_a_model(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "a model is a struct or an enum of this crate",
        "make the parameters the fields of a struct, and write `#[lagrangian] impl` of it",
    )
}

pub(crate) fn trait_impl(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "#[lagrangian] declares a model of its own; it cannot stand before the impl of a trait",
        "put it before an `impl` block of the model that has the method `lagrangian`",
    )
}

pub(crate) fn generic_model(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "a model cannot be generic",
        "make sizes fields of the struct: they are read when the model is bound",
    )
}

pub(crate) fn no_lagrangian(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "this model has no method `lagrangian`",
        "add `fn lagrangian(&self, …) -> Scalar`; its arguments are the coordinates",
    )
}

pub(crate) fn doubled_lagrangian(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "a model has one method `lagrangian`, and this is a second one",
        "add the terms of both in one method",
    )
}

pub(crate) fn doubled_method(tokens: impl ToTokens, name: &str) -> syn::Error {
    with_help(
        tokens,
        format!("another method of this model is called `{name}`"),
        "give this one a name of its own; constraints are reported by the names of their methods",
    )
}

pub(crate) fn needs_self(tokens: impl ToTokens, name: &str) -> syn::Error {
    with_help(
        tokens,
        "this method must take `&self`: the parameters of the model are its fields",
        format!("write `fn {name}(&self, …)`"),
    )
}

pub(crate) fn modified_function(tokens: impl ToTokens, what: &str) -> syn::Error {
    with_help(
        tokens,
        format!("a method of the declaration cannot be {what}"),
        "it is a formula that is differentiated before the program runs; sizes and tables are fields of the model",
    )
}

pub(crate) fn argument_name(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "an argument must be a plain name",
        "write an argument for each coordinate, such as `theta: Angle`",
    )
}

pub(crate) fn not_a_coordinate_type(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "this is not the type of a coordinate",
        "coordinates are `Scalar`, `Angle`, `Vec2`, `Vec3`, `Mat3` and arrays of them such as `[Vec2; self.links]`; parameters are fields of `self`",
    )
}

pub(crate) fn phase_without_frequency(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "this model has a phase, but no frequency",
        "add `#[frequency] fn frequency(&self) -> f64`, the rate of the phase in rad/s",
    )
}

pub(crate) fn frequency_without_phase(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "no method of this model takes the phase that this one describes",
        "add an argument such as `theta: Phase` to `lagrangian`",
    )
}

pub(crate) fn doubled_mark(tokens: impl ToTokens, first: &str, second: &str) -> syn::Error {
    with_help(
        tokens,
        format!("this method is marked #[{first}] already, and cannot be #[{second}] too"),
        "give each a method of its own; a helper that both call can hold their common part",
    )
}

pub(crate) fn mark_with_arguments(tokens: impl ToTokens, mark: &str) -> syn::Error {
    with_help(tokens, format!("#[{mark}] takes nothing"), format!("write `#[{mark}]`"))
}

pub(crate) fn doubled_role(tokens: impl ToTokens, role: &str) -> syn::Error {
    with_help(
        tokens,
        format!("a model has one #[{role}] method, and this is a second one"),
        "remove one of them",
    )
}

pub(crate) fn number_signature(tokens: impl ToTokens, role: &str, name: &str) -> syn::Error {
    with_help(
        tokens,
        format!("a #[{role}] method gives one number that depends on the parameters alone"),
        format!("write `fn {name}(&self) -> f64`"),
    )
}

pub(crate) fn lagrangian_output(tokens: impl ToTokens) -> syn::Error {
    with_help(tokens, "the Lagrangian is a number", "write `fn lagrangian(&self, …) -> Scalar`")
}

pub(crate) fn constraint_output(tokens: impl ToTokens, attribute: &str) -> syn::Error {
    with_help(
        tokens,
        format!("a #[{attribute}] method must return the number that must be zero"),
        "return `Scalar`, `Vec2`, `Vec3`, `Mat3` or an array of them, one equation for each component",
    )
}

pub(crate) fn no_coordinates(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "this Lagrangian has no coordinates",
        "its arguments after `&self` are the coordinates, such as `theta: Angle`",
    )
}

pub(crate) fn unknown_coordinate(tokens: impl ToTokens, name: &str, near: Option<&str>) -> syn::Error {
    let message = format!("`{name}` is not a coordinate of this model");
    match near {
        Some(near) => with_help(tokens, message, format!("did you mean `{near}`?")),
        None => with_help(
            tokens,
            message,
            "the arguments of `lagrangian` are the coordinates; other methods repeat those they use",
        ),
    }
}

pub(crate) fn redeclared_coordinate(
    tokens: impl ToTokens,
    name: &str,
    declared: &str,
    here: &str,
) -> syn::Error {
    with_help(
        tokens,
        format!("`{name}` is `{declared}` in `lagrangian`, but `{here}` here"),
        "repeat it with the same type",
    )
}

pub(crate) fn doubled_coordinate(tokens: impl ToTokens, name: &str) -> syn::Error {
    with_help(
        tokens,
        format!("the coordinate `{name}` is declared twice"),
        "give each coordinate a name of its own, or make them an array such as `[Angle; 2]`",
    )
}

pub(crate) fn no_kinetic_energy(tokens: impl ToTokens, name: &str) -> syn::Error {
    with_help(
        tokens,
        format!("the coordinate `{name}` has no kinetic energy, so its acceleration is undetermined"),
        format!("add a term that is quadratic in `der({name})`, or make it a parameter"),
    )
}

pub(crate) fn empty_constraint(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "this constraint mentions no coordinate",
        "return an expression of the coordinates that must be zero",
    )
}

pub(crate) fn too_deep(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        format!("this is nested more than {DEEPEST} deep"),
        "give parts of it names with `let`; write what repeats as a `sum` over an iterator",
    )
}

pub(crate) fn too_deep_formula(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        format!("more than {DEEPEST} operations stand one inside of another in the value of this expression"),
        "add or multiply parts that do not contain each other; write what repeats as a `sum` over an iterator",
    )
}

pub(crate) fn exhausted(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "with this expression, the declaration is too large to be compiled: products of sums and of choices are multiplied out, \
         and calls with other arguments are written out each time",
        "multiply fewer sums and choices with each other, give what comes up twice a name with `let`, or write what repeats as a \
         `sum` over an iterator",
    )
}

pub(crate) fn too_many_terms(tokens: impl ToTokens, what: impl Display, terms: usize) -> syn::Error {
    with_help(
        tokens,
        format!(
            "{what} has {terms} terms when its products of sums are multiplied out, and may have {MOST_TERMS} at most"
        ),
        "multiply fewer sums with each other, or put more of what is added under each `sum`",
    )
}

pub(crate) fn too_many_operations(tokens: impl ToTokens, kernels: usize, operations: usize) -> syn::Error {
    with_help(
        tokens,
        format!(
            "the derivatives of this model are too large to be compiled: its {kernels} families take {operations} operations, and \
             may take {MOST_OPERATIONS} at most, some 20 s of rustc"
        ),
        "write terms that differ in numbers alone as one `sum` over a table of these numbers, so that one family is compiled for all; ask \
         fewer `if`s whose answers are multiplied with each other; or split the model into several",
    )
}

pub(crate) fn too_large(tokens: impl ToTokens, method: impl Display, size: &Size) -> syn::Error {
    let Size { reads, operations } = size;
    with_help(
        tokens,
        format!(
            "a term of `{method}` is too large to be compiled: one element reads {reads} numbers and takes {operations} \
             operations; their product may be {MOST_SIZE} at most, and less where many factors or nested functions multiply in the derivatives"
        ),
        "write what repeats as a `sum` over an iterator, so that each element is small, or as terms that are added",
    )
}
