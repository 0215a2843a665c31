//! The messages of inputs and tables.

use super::with_help;
use quote::ToTokens;

pub(crate) fn der_of_input(tokens: impl ToTokens, name: &str) -> syn::Error {
    with_help(
        tokens,
        format!("the input `{name}` has no rate: a force is told its averages over a step, and no more"),
        format!(
            "read it as a function of time, whose slope `der` knows: `table(t, &self.{name})` with `t: Time`"
        ),
    )
}

pub(crate) fn array_of_inputs(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "an input is one signal, the field of its name, and no array",
        "take an argument for each signal, such as `left: Input, right: Input`",
    )
}

pub(crate) fn table_of_other_than_time(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "a table is read at the time, and this is something else",
        "take an argument `t: Time` and write `table(t, &self.u)`; a table that begins at another time has other times",
    )
}

pub(crate) fn table_without_reference(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "`table` takes its signal by reference",
        "write `table(t, &self.u)`, where `u` is a field of type `Signal`",
    )
}

pub(crate) fn table_of_a_variable(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "the signal of a table is one for the whole model, and this one depends on a variable",
        "name a field: `table(t, &self.u)`",
    )
}
