//! The messages of sensitive parameters.

use super::{at, with_help};
use quote::ToTokens;

pub(crate) fn doubled_parameter(tokens: impl ToTokens, name: &str) -> syn::Error {
    at(tokens, format!("`{name}` is already sensitive"))
}

pub(crate) fn unread_parameter(tokens: impl ToTokens, name: &str) -> syn::Error {
    with_help(
        tokens,
        format!("`{name}` enters neither L nor a constraint nor a force"),
        format!("remove `{name}` from `sensitive(…)`"),
    )
}

pub(crate) fn sensitive_course(tokens: impl ToTokens, name: &str) -> syn::Error {
    with_help(
        tokens,
        format!("`{name}` is sensitive, and enters more than a force"),
        format!("make it an `Input` of a #[force] alone, or remove `{name}` from `sensitive(…)`"),
    )
}

pub(crate) fn counting_parameter(tokens: impl ToTokens, name: &str) -> syn::Error {
    with_help(
        tokens,
        format!("`self.{name}` counts something; only numbers that enter smoothly can be sensitive"),
        format!("remove `{name}` from `sensitive(…)`"),
    )
}

pub(crate) fn counting_value(tokens: impl ToTokens, text: &str) -> syn::Error {
    with_help(
        tokens,
        format!("`{text}` counts something; only numbers that enter smoothly can be sensitive"),
        "remove its fields from `sensitive(…)`",
    )
}

pub(crate) fn hidden_parameter(tokens: impl ToTokens, name: &str, method: &str) -> syn::Error {
    with_help(
        tokens,
        format!("`{name}` is sensitive, but what `{method}` does with it is hidden"),
        format!("write it as a helper of this block, or leave `{name}` out"),
    )
}

pub(crate) fn parameter_in_tuple(tokens: impl ToTokens, name: &str) -> syn::Error {
    with_help(
        tokens,
        format!("`{name}` is sensitive, and its entries are tuples"),
        "put the numbers in a `Vec<f64>` of their own and write `self.k[b]`",
    )
}

pub(crate) fn parameter_used_both_ways(tokens: impl ToTokens, name: &str) -> syn::Error {
    with_help(
        tokens,
        format!("`self.{name}` is a number here, and an array elsewhere"),
        format!("write `self.{name}[k]` for a number of the array"),
    )
}

pub(crate) fn parameters_of_moving_pairs(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "a function of a sum of velocities over near pairs has no derivatives by parameters",
        "sum over `pairs(…)`, or remove `sensitive(…)`",
    )
}

pub(crate) fn parameters_of_dissipation(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "a dissipation that is a function of sums has no derivatives by parameters",
        "write it as a #[force], or remove `sensitive(…)`",
    )
}

/// A mistake that the declaration makes only with its sensitive fields as variables.
pub(crate) fn with_parameters(error: syn::Error) -> syn::Error {
    let message = error.to_string();
    if message.contains("sensitive") {
        return error;
    }
    syn::Error::new(error.span(), format!("with the sensitive fields as variables: {message}"))
}
