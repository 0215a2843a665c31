//! The messages of habits from other languages and libraries; each shows the form of this language.

use super::with_help;
use crate::spelling;
use syn::ExprMethodCall;

messages! {
    double_star(): "`**` is not a power in Rust",
        help: "write `x.powi(2)` or `x.powf(1.5)`";
    vector_constructor(shape: &str, function: &str, arguments: &str): "a `{shape}` of a declaration is made by the function `{function}`",
        help: "write `{function}({arguments})`, or `{shape}::ZERO`";
    vector_parameter(shape: &str, parameter: &str, function: &str): "expected `{shape}`, and a parameter such as `{parameter}` is taken for a number",
        help: "if it is a vector, write `{function}({parameter})`";
}

pub(crate) fn vector_of_parameters(place: &syn::Expr, shape: &str) -> syn::Error {
    vector_parameter(place, shape, &crate::parse::text(place), &shape.to_lowercase())
}

/// An argument as the number before a dot.
pub(crate) fn receiver(argument: Option<&syn::Expr>) -> String {
    let argument = argument.map_or_else(|| "x".to_owned(), crate::parse::text);
    let single = argument.chars().all(|letter| letter.is_alphanumeric() || "._[]".contains(letter));
    if single { argument } else { format!("({argument})") }
}

messages! {
    bare_function(name: &str, receiver: &str, rest: &str): "`{name}` is a method of numbers",
        help: "write `{receiver}.{name}({rest})`";
    velocity_name(name: &str, coordinate: &str): "`{name}` is not declared; a velocity has no name of its own",
        help: "the velocity of `{coordinate}` is `der({coordinate})`";
    velocity_as_coordinate(name: &str, coordinate: &str): "the coordinate `{name}` has no kinetic energy; is it the velocity of `{coordinate}`?",
        help: "remove the argument, and write `der({coordinate})` for the velocity";
    time_as_coordinate(name: &str): "the coordinate `{name}` has no kinetic energy; is it the time?",
        help: "write `{name}: Time`";
    multiplier_as_coordinate(name: &str): "the coordinate `{name}` has no kinetic energy, and L is linear in it: is it a multiplier?",
        help: "a multiplier comes by itself: remove `{name}`, and return what it multiplies from a `#[holonomic]` method; otherwise add \
             a term that is quadratic in `der({name})`";
    first_order(name: &str): "L is only linear in the velocity of `{name}`, so that its acceleration is undetermined",
        help: "a model needs kinetic energy: add a term that is quadratic in `der({name})`; of a first-order system (p q̇ − H) eliminate \
             the momenta";
    iterator_chain(method: &str): "`.{method}(…)` of Rust's iterators cannot be used with coordinates",
        help: "write `sum(0..n, |i| …)` for a sum and `each(0..n, |i| …)` for one value each; they take arrays of coordinates and any \
         coordinate-free iterator";
}

pub(crate) fn number_method_of(call: &ExprMethodCall, shape: &str) -> syn::Error {
    let (method, [x, rest]) = (&call.method, super::operands(call));
    let help = spelling::elsewhere(shape, &method.to_string(), &x, &rest).unwrap_or_else(|| match shape {
        "Vec2" | "Vec3" => {
            format!("write `{x}.norm().{method}({rest})`, or take a component such as `{x}.x`")
        }
        "array" => format!("apply it to the entries: `each(0..n, |i| {x}[i].{method}({rest}))`"),
        _ => format!("take an entry such as `{x}[(0, 1)]`, or `{x}.norm()`"),
    });
    with_help(method, format!("`{method}` is a method of numbers, and this is `{shape}`"), help)
}

messages! {
    single_precision(digits: &str): "the numbers of a declaration are `f64`, and this one is `f32`",
        help: "write `{digits}`";
    integer_beside(literal: &str, other: &str): "`{literal}` is an integer, but a number is needed here",
        help: "write `{literal}.0`; if `{other}` is a whole number, `{other} as f64` too";
    callable_field(): "a field that is a function cannot be called with coordinates: it has no derivative",
        help: "make it a method of this impl on `Scalar`s, which is differentiated, or a free function that is generic over `Number`";
    returned(): "`return` has no meaning in a formula",
        help: "a method stands for its last expression: write that without `return` and semicolon, and cases as `if … {{ … }} else {{ … }}`";
    time_in_index(): "an index cannot depend on time: binding the model fixes the entries that an element reads",
        help: "write the dependence on time as a function of it, such as `(self.omega * t).cos()`; numbers given in time are a field of type \
         `Signal`, read by `table(t, &self.u)`";
    borrowing_model(): "a model owns its parameters; it cannot borrow them",
        help: "make the field a `Vec<…>`, or an `Arc<[…]>` that several models share, and remove the lifetime";
    unused_method(name: &str): "`{name}` takes coordinates, but it is neither a constraint nor a force, and nothing calls it",
        help: "put `#[holonomic]` before it for a constraint (`#[nonholonomic]` for one on velocities), `#[force]` for a force (`#[dissipation]` for \
             Rayleigh's function); or call it as `self.{name}(…)`, or remove it";
}
