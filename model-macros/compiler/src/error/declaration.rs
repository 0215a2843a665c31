//! The messages of a declaration as a whole: its items, its coordinates, and the roles of its methods.

use super::with_help;
use crate::ast::Argument;
use crate::limits::{DEEPEST, MOST_OPERATIONS, MOST_SIZE, MOST_TERMS};
use crate::spelling;
use quote::ToTokens;
use std::fmt::Display;

messages! {
    not_an_impl(): "#[lagrangian] stands before the `impl` block of a model",
        help: "write `#[lagrangian] impl Pendulum {{ fn lagrangian(&self, …) -> Scalar {{ … }} }}`";
    not_a_model(): "a model is a struct or an enum of this crate",
        help: "make the parameters the fields of a struct, and write `#[lagrangian] impl` of it";
    trait_impl(): "#[lagrangian] declares a model of its own; it cannot stand before the impl of a trait",
        help: "put it before an `impl` block of the model that has the method `lagrangian`";
    generic_model(): "a model cannot be generic",
        help: "make sizes fields of the struct: they are read when the model is bound";
    no_lagrangian(): "this model has no method `lagrangian`",
        help: "add `fn lagrangian(&self, …) -> Scalar`; its arguments are the coordinates";
    doubled_lagrangian(): "a model has one method `lagrangian`, and this is a second one",
        help: "add the terms of both in one method";
    doubled_method(name: &str): "another method of this model is called `{name}`",
        help: "give this one a name of its own; constraints are reported by the names of their methods";
    needs_self(name: &str): "this method must take `&self`: the parameters of the model are its fields",
        help: "write `fn {name}(&self, …)`";
    modified_function(what: &str): "a method of the declaration cannot be {what}",
        help: "it is a formula that is differentiated before the program runs; sizes and tables are fields of the model";
    argument_name(): "an argument must be a plain name",
        help: "write an argument for each coordinate, such as `theta: Angle`";
}

pub(crate) fn not_a_coordinate_type(argument: &Argument) -> syn::Error {
    let (name, ty) = (argument.name.to_string(), argument.ty.to_token_stream());
    let words = ty.to_string();
    let mut words = words.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    let help = match spelling::elsewhere("coordinate", &name, &name, "") {
        Some(help) if words.clone().eq(["f64"]) => Some(help),
        _ => words.find_map(|word| spelling::elsewhere("type", word, "", "")),
    };
    let all = "coordinates are `Scalar`, `Angle`, `Vec2`, `Vec3`, `Mat3` and arrays of them such as `[Vec2; self.links]`; parameters are fields of `self`";
    with_help(ty, "this is not the type of a coordinate", help.as_deref().unwrap_or(all))
}

messages! {
    phase_without_frequency(): "this model has a phase, but no frequency",
        help: "add `#[frequency] fn frequency(&self) -> f64`, the rate of the phase in rad/s";
    frequency_without_phase(): "no method of this model takes the phase that this one describes",
        help: "add an argument such as `theta: Phase` to `lagrangian`";
    doubled_mark(first: &str, second: &str): "this method is marked #[{first}] already, and cannot be #[{second}] too",
        help: "give each a method of its own; a helper that both call can hold their common part";
    mark_with_arguments(mark: &str): "#[{mark}] takes nothing",
        help: "write `#[{mark}]`";
    doubled_role(role: &str): "a model has one #[{role}] method, and this is a second one",
        help: "remove one of them";
    number_signature(role: &str, name: &str): "a #[{role}] method gives one number that depends on the parameters alone",
        help: "write `fn {name}(&self) -> f64`";
    lagrangian_output(): "the Lagrangian is a number",
        help: "write `fn lagrangian(&self, …) -> Scalar`";
    constraint_output(attribute: &str): "a #[{attribute}] method must return the number that must be zero",
        help: "return `Scalar`, `Vec2`, `Vec3`, `Mat3` or an array of them, one equation for each component";
    no_coordinates(): "this Lagrangian has no coordinates",
        help: "its arguments after `&self` are the coordinates, such as `theta: Angle`";
}

messages! {
    unknown_coordinate(name: &str, near: Option<&str>): "`{name}` is not a coordinate of this model",
        meant(near): "the arguments of `lagrangian` are the coordinates; other methods repeat those they use";
    redeclared_coordinate(name: &str, declared: &str, here: &str): "`{name}` is `{declared}` in `lagrangian`, but `{here}` here",
        help: "repeat it with the same type";
    doubled_coordinate(name: &str): "the coordinate `{name}` is declared twice",
        help: "give each coordinate a name of its own, or make them an array such as `[Angle; 2]`";
    no_kinetic_energy(name: &str): "the coordinate `{name}` has no kinetic energy, so its acceleration is undetermined",
        help: "add a term that is quadratic in `der({name})`, a constraint that holds it or a #[dissipation] that damps it; or make it a parameter";
    empty_constraint(): "this constraint mentions no coordinate",
        help: "return an expression of the coordinates that must be zero";
    too_deep(): "this is nested more than {DEEPEST} deep",
        help: "give parts of it names with `let`; write what repeats as a `sum` over an iterator";
    too_deep_formula(): "more than {DEEPEST} operations stand one inside of another in the value of this expression",
        help: "add or multiply parts that do not contain each other; write what repeats as a `sum` over an iterator";
    exhausted(): "with this expression, the declaration is too large to be compiled: products of sums and of choices are multiplied out, \
         and calls with other arguments are written out each time",
        help: "multiply fewer sums and choices with each other, give what comes up twice a name with `let`, or write what repeats as a \
         `sum` over an iterator";
    too_many_terms(what: impl Display, terms: usize): "{what} has {terms} terms when its products of sums are multiplied out, and may have {MOST_TERMS} at most",
        help: "multiply fewer sums with each other, or put more of what is added under each `sum`";
    too_many_operations(kernels: usize, operations: usize): "the derivatives of this model are too large to be compiled: its {kernels} families take {operations} operations, and \
             may take {MOST_OPERATIONS} at most, some 20 s of rustc",
        help: "write terms that differ in numbers alone as one `sum` over a table of these numbers, so that one family is compiled for all; ask \
         fewer `if`s whose answers are multiplied with each other; or split the model into several";
    too_large(method: impl Display, reads: usize, operations: usize): "a term of `{method}` is too large to be compiled: one element reads {reads} numbers and takes {operations} \
             operations; their product may be {MOST_SIZE} at most, and less where many factors or nested functions multiply in the derivatives",
        help: "write what repeats as a `sum` over an iterator, so that each element is small, or as terms that are added";
}
