//! The messages of pairs within a distance.

use super::{at, with_help};
use quote::ToTokens;

pub(crate) fn distance_of_coordinates(tokens: impl ToTokens, name: &str) -> syn::Error {
    with_help(
        tokens,
        format!("a distance of `{name}` cannot depend on a coordinate"),
        "it is fixed when the model is bound; use only parameters and loop variables here, and an `if` inside of the sum for a range that varies",
    )
}

pub(crate) fn switch_out_of_order(tokens: impl ToTokens, on: f64, off: f64) -> syn::Error {
    with_help(
        tokens,
        format!("`switched` begins to fall at {on} and has to end behind it, not at {off}"),
        "its arguments are the distance, where it begins to fall from 1, and where it is 0: `switched(d.norm(), on, off)` with on < off",
    )
}

pub(crate) fn near_argument_of_coordinates(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "a cell, an exception or the number of a point cannot depend on a coordinate",
        "they are fixed when the model is bound; use only parameters and loop variables here",
    )
}

pub(crate) fn expected_points(tokens: impl ToTokens, name: &str, shape: &str) -> syn::Error {
    let message = match shape {
        "array" => {
            format!("the points of `{name}` are an array of `Vec2` or of `Vec3`, and this is another array")
        }
        "Scalar" => {
            format!("the points of `{name}` are an array of coordinates, and this does not depend on any")
        }
        other => format!("the points of `{name}` are an array of `Vec2` or of `Vec3`, not `{other}`"),
    };
    with_help(
        tokens,
        message,
        "pass a coordinate such as `atoms: [Vec3; self.atoms]`, or entries of one: `each(self.oxygens.iter(), |&k| atoms[k])`",
    )
}

pub(crate) fn points_that_choose(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "a point of these pairs is a sum or a choice, and not one place",
        "pass entries of a coordinate: `each(self.oxygens.iter(), |&k| atoms[k])`",
    )
}

pub(crate) fn points_of_two_dimensions(tokens: impl ToTokens) -> syn::Error {
    at(tokens, "the points of both arrays are of the plane, or both of space")
}

pub(crate) fn unknown_near_method(tokens: impl ToTokens, name: &str, of_one: bool) -> syn::Error {
    if of_one {
        return with_help(
            tokens,
            format!("the neighbours of a point have no method `{name}`"),
            "write `.periodic(cell)` and `.except(pairs)` before `.of(i)`, and sum over it: `sum(near.of(i), |(j, d)| …)`",
        );
    }
    with_help(
        tokens,
        format!("pairs that are near have no method `{name}`"),
        "there are `.periodic(self.cell)`, `.except(self.bonds.iter().copied())` and `.of(i)`; sum over them with `sum(near, |(i, j, d)| …)`",
    )
}

pub(crate) fn second_cell(tokens: impl ToTokens) -> syn::Error {
    at(tokens, "these pairs have a cell already")
}

pub(crate) fn near_pattern(tokens: impl ToTokens, of_one: bool) -> syn::Error {
    if of_one {
        return with_help(
            tokens,
            "the neighbours of a point are met as `(j, d)`",
            "write `sum(near.of(i), |(j, d)| …)`: j is the number of a neighbour, and d the vector from it to point i",
        );
    }
    with_help(
        tokens,
        "pairs that are near are met as `(i, j, d)`",
        "write `sum(near, |(i, j, d)| …)`: i and j are the numbers of the points, and d the vector from j to i",
    )
}

pub(crate) fn each_of_near(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "the pairs that are near change with the coordinates, and make no array",
        "write `sum` over them; a sum for each point is `each(0..n, |i| sum(near.of(i), |(j, d)| …))`",
    )
}

pub(crate) fn nested_near(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "a sum over near points stands inside of another",
        "write the inner sum as a value of each point, before: `let moments = each(0..n, |i| sum(near.of(i), |(j, d)| …))`; a three-body term with a \
         polynomial of the cosine is made of such moments: Σⱼₖ f f (u·u)² is the square of Σⱼ f u ⊗ u",
    )
}

pub(crate) fn expected_function(tokens: impl ToTokens, name: &str) -> syn::Error {
    with_help(
        tokens,
        format!("the third argument of `{name}` is a function of the distance"),
        format!("write a closure: `{name}(d.norm(), self.cutoff, |r| 1.0 / r)`"),
    )
}
