//! The messages of formulas: parts that must be free of coordinates, and functions without derivatives.

use super::with_help;
use crate::limits::MOST_WAYS_IN_FUNCTIONS;
use quote::ToTokens;

pub(crate) fn coordinate_in_index(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "an index cannot depend on a coordinate",
        "binding the model fixes the entries that an element reads; use only parameters and loop variables here",
    )
}

pub(crate) fn coordinate_in_range(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "a range cannot depend on a coordinate",
        "loops run over coordinate-free iterators such as `0..self.links`",
    )
}

pub(crate) fn pairs_of_an_array(tokens: impl ToTokens, length: &str) -> syn::Error {
    with_help(
        tokens,
        "`pairs` takes a number, of whose indices it makes pairs, and this is an array",
        format!("write `sum(pairs({length}), |(i, j)| …)`, and read the entries by `i` and `j`"),
    )
}

pub(crate) fn coordinate_in_length(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "the length of an array cannot depend on a coordinate",
        "use a parameter, such as `self.links`",
    )
}

pub(crate) fn coordinate_condition(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "a condition on coordinates compares two numbers",
        "write `a < b`, `a <= b`, `a > b`, `a >= b`, and these joined by `&&`, `||` and `!`",
    )
}

pub(crate) fn coordinate_match(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "`match` cannot look at a coordinate",
        "binding the model fixes the choice of a `match`; compare coordinates in an `if`",
    )
}

pub(crate) fn equality_condition(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "two numbers that depend on coordinates are equal at single points only, where no derivative can be taken",
        "compare with `<`, `<=`, `>` or `>=`",
    )
}

pub(crate) fn comparison_in_constraint(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "a constraint is a number that must be zero, and does not compare",
        "write `a - b` for `a == b`",
    )
}

pub(crate) fn coordinate_in_rust(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "this expression cannot be used with coordinates",
        "coordinates take part in arithmetic, elementary functions, vector operations, `sum`, `each`, `der` and `if` on parameters",
    )
}

pub(crate) fn piecewise(tokens: impl ToTokens, what: &str) -> syn::Error {
    with_help(
        tokens,
        format!("{what} of a coordinate jumps, and its derivative knows nothing of the jumps"),
        "write the term with `if`, `min`, `max`, `abs` or `clamp`, or with smooth functions",
    )
}

pub(crate) fn der_in_constraint(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "a #[holonomic] constraint depends on positions and time only, and `der` makes this one a constraint on velocities",
        "state it on positions, whose time derivative follows by itself; or, for a condition that binds velocities alone (rolling, skating), mark the \
         method #[nonholonomic]",
    )
}

pub(crate) fn nonholonomic_without_velocity(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "a #[nonholonomic] constraint binds velocities, and there is no `der` in this one",
        "mark the method #[holonomic]: then the position itself is kept",
    )
}

pub(crate) fn nonholonomic_without_velocity_where(tokens: impl ToTokens, case: &str) -> syn::Error {
    with_help(
        tokens,
        format!("a #[nonholonomic] constraint binds velocities, and {case} there is no `der` in this one"),
        "give each branch a `der`; a row that is not always there is an item of an array whose length says so, and a position that is to be kept \
         is a #[holonomic]",
    )
}

pub(crate) fn nonlinear_in_velocity(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "a constraint on velocities must be linear in them",
        "write it as A(q, t)·der(q) + b(q, t): its force acts along A, and for other dependences no such direction is known. A speed that is to \
         be kept, |v| = c, is the work of a motor: declare it as a #[force]",
    )
}

pub(crate) fn der_of_der(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "`der` is applied to a velocity, and there are no accelerations in a Lagrangian",
        "a Lagrangian depends on positions, their first derivatives and time",
    )
}

pub(crate) fn stiff_velocity(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "`stiff(…)` encloses a velocity",
        "it marks a part of the potential, which depends on positions only",
    )
}

pub(crate) fn stiff_in_constraint(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "`stiff(…)` marks a part of the potential, and a constraint has none",
        "remove it here; `Penalized` makes the constraints the stiff part",
    )
}

/// An obstacle to the application of a function that is not linear.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Obstacle {
    /// A sum over an iterator.
    Sum,
    /// A term marked as stiff.
    Stiff,
    /// A sum for each pair of near points.
    Pair,
    /// Choices that can come out in too many ways.
    Choices,
}

pub(crate) fn nonlinear_sum(tokens: impl ToTokens, obstacle: Obstacle) -> syn::Error {
    let coupled = |what: &str| {
        format!(
            "{what} stands inside a function that is not linear, so that every term would be coupled to every other"
        )
    };
    let (message, help) = match obstacle {
        Obstacle::Sum => (coupled("a sum"), "apply the function to the terms inside the sum"),
        Obstacle::Stiff => {
            (coupled("`stiff(…)`"), "enclose the whole term, with the function, in `stiff(…)`")
        }
        Obstacle::Pair => (
            "a sum that depends on a pair of near points stands inside a function that is not linear: there is no place for a number of each pair".into(),
            "write its terms out with `+`, let the sum depend on one of the two points alone, or sum over `pairs(n)` with an `if` that asks for the distance",
        ),
        Obstacle::Choices => (
            format!(
                "the choices inside a function that is not linear can come out in more than {MOST_WAYS_IN_FUNCTIONS} \
                 ways, each of which would be a term of its own"
            ),
            "apply the function to the value of each choice, or choose between numbers and multiply the coordinates by them",
        ),
    };
    with_help(tokens, message, help)
}

pub(crate) fn statement(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "only `let` statements and a final expression can stand here",
        "a declaration is a formula: write repetition as `sum` or `each`, and a new value as a new `let`",
    )
}

pub(crate) fn missing_else(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "this `if` has no `else`",
        "write the value of the term otherwise, for instance `else { 0.0 }`",
    )
}

pub(crate) fn missing_value(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "this block has no value: it must end in an expression",
        "write its value as its last line, without a semicolon",
    )
}

pub(crate) fn last_semicolon(tokens: impl ToTokens) -> syn::Error {
    with_help(tokens, "this semicolon discards the value of the block", "remove it")
}

pub(crate) fn recursion(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "this call is inlined without end: helper methods and closures cannot be recursive",
        "write the repetition as `sum` or `each`",
    )
}
