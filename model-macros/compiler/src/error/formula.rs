//! The messages of formulas: parts that must be free of coordinates, and functions without derivatives.

use crate::limits::MOST_WAYS_IN_FUNCTIONS;
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::spanned::Spanned;

messages! {
    coordinate_in_index(): "an index cannot depend on a coordinate",
        help: "binding the model fixes the entries that an element reads; use only parameters and loop variables here";
    coordinate_in_range(): "a range cannot depend on a coordinate",
        help: "loops run over coordinate-free iterators such as `0..self.links`";
    pairs_of_an_array(length: &str): "`pairs` takes a number, of whose indices it makes pairs, and this is an array",
        help: "write `sum(pairs({length}), |(i, j)| …)`, and read the entries by `i` and `j`";
    coordinate_in_length(): "the length of an array cannot depend on a coordinate",
        help: "use a parameter, such as `self.links`";
    coordinate_condition(): "a condition on coordinates compares two numbers",
        help: "write `a < b`, `a <= b`, `a > b`, `a >= b`, and these joined by `&&`, `||` and `!`";
    coordinate_match(): "`match` cannot look at a coordinate",
        help: "binding the model fixes the choice of a `match`; compare coordinates in an `if`";
    equality_condition(): "two numbers that depend on coordinates are equal at single points only, where no derivative can be taken",
        help: "compare with `<`, `<=`, `>` or `>=`";
    comparison_in_constraint(): "a constraint is a number that must be zero, and does not compare",
        help: "write `a - b` for `a == b`";
    coordinate_in_rust(): "this expression cannot be used with coordinates",
        help: "coordinates take part in arithmetic, elementary functions, vector operations, `sum`, `each`, `der` and `if` on parameters";
    piecewise(what: &str): "{what} of a coordinate jumps, and its derivative knows nothing of the jumps",
        help: "write the term with `if`, `min`, `max`, `abs` or `clamp`, or with smooth functions";
    der_in_constraint(): "a #[holonomic] constraint depends on positions and time only, and `der` makes this one a constraint on velocities",
        help: "state it on positions, whose time derivative follows by itself; or, for a condition that binds velocities alone (rolling, skating), mark the \
         method #[nonholonomic]";
    der_in_gap(): "a gap depends on positions and time only, and `der` makes this one a condition on velocities",
        help: "state the gap itself, whose rate follows by itself; a moment that depends on velocities is an #[event]";
    nonholonomic_without_velocity(): "a #[nonholonomic] constraint binds velocities, and there is no `der` in this one",
        help: "mark the method #[holonomic]: then the position itself is kept";
    nonholonomic_without_velocity_where(case: &str): "a #[nonholonomic] constraint binds velocities, and {case} there is no `der` in this one",
        help: "give each branch a `der`; a row that is not always there is an item of an array whose length says so, and a position that is to be kept \
         is a #[holonomic]";
    nonlinear_in_velocity(): "a constraint on velocities must be linear in them",
        help: "write it as A(q, t)·der(q) + b(q, t): its force acts along A, and for other dependences no such direction is known. A speed that is to \
         be kept, |v| = c, is the work of a motor: declare it as a #[force]";
    der_of_der(): "`der` is applied to a velocity, and there are no accelerations in a Lagrangian",
        help: "a Lagrangian depends on positions, their first derivatives and time";
    stiff_velocity(): "`stiff(…)` encloses a velocity",
        help: "it marks a part of the potential, which depends on positions only";
    stiff_in_constraint(): "`stiff(…)` marks a part of the potential, and a constraint has none",
        help: "remove it here; `Penalized` makes the constraints the stiff part";
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
    match obstacle {
        Obstacle::Sum => coupled(tokens, "a sum", "apply the function to the terms inside the sum"),
        Obstacle::Stiff => {
            coupled(tokens, "`stiff(…)`", "enclose the whole term, with the function, in `stiff(…)`")
        }
        Obstacle::Pair => sum_of_a_pair(tokens),
        Obstacle::Choices => many_choices(tokens),
    }
}

messages! {
    coupled(what: &str, help: &str): "{what} stands inside a function that is not linear, so that every term would be coupled to every other",
        help: "{help}";
    sum_of_a_pair(): "a sum that depends on a pair of near points stands inside a function that is not linear: there is no place for a number of each pair",
        help: "write its terms out with `+`, let the sum depend on one of the two points alone, or sum over `pairs(n)` with an `if` that asks for the distance";
    many_choices(): "the choices inside a function that is not linear can come out in more than {MOST_WAYS_IN_FUNCTIONS} \
                 ways, each of which would be a term of its own",
        help: "apply the function to the value of each choice, or choose between numbers and multiply the coordinates by them";
    statement(): "only `let` statements and a final expression can stand here",
        help: "a declaration is a formula: write repetition as `sum` or `each`, and a new value as a new `let`";
    missing_else(): "this `if` has no `else`",
        help: "write the value of the term otherwise, for instance `else {{ 0.0 }}`";
    missing_value(): "this block has no value: it must end in an expression",
        help: "write its value as its last line, without a semicolon";
    last_semicolon(): "this semicolon discards the value of the block",
        help: "remove it";
    recursion(): "this call is inlined without end: helper methods and closures cannot be recursive",
        help: "write the repetition as `sum` or `each`";
}

/// The warning about a term of L without effect, and the place of its velocity.
pub(crate) fn idle_term(term: &syn::Expr) -> (Span, String) {
    let whole = crate::parse::text(term);
    let text =
        format!("`{whole}` is the derivative of a function of the positions, and does nothing to the motion");
    let help = "friction is a method of its own, as in `#[dissipation] fn friction(&self, x: Scalar) -> Scalar { 0.5 * self.c * der(x).powi(2) }`; \
                if the term stands here on purpose, put `#[allow(deprecated)]` before the `impl`";
    let place = velocity(term.to_token_stream()).unwrap_or_else(|| term.span());
    (place, format!("{text}\n\nhelp: {help}"))
}

/// The place of the first `der`.
fn velocity(tokens: TokenStream) -> Option<Span> {
    tokens.into_iter().find_map(|token| match token {
        TokenTree::Ident(name) => (name == "der").then(|| name.span()),
        TokenTree::Group(group) => velocity(group.stream()),
        _ => None,
    })
}
