//! The messages of `#[force]`.

use super::with_help;
use quote::ToTokens;

pub(crate) fn force_output(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "a #[force] method must return a force",
        "return it in the shape of the coordinate that it acts on, such as `Vec2` or `[Vec2; self.links]`",
    )
}

pub(crate) fn force_shape(tokens: impl ToTokens, here: &str, all: &[(String, String)]) -> syn::Error {
    let all: Vec<String> = all.iter().map(|(name, ty)| format!("`{name}` is `{ty}`")).collect();
    with_help(
        tokens,
        format!("a force has the shape of the coordinate that it acts on, and none is `{here}`"),
        all.join(", "),
    )
}

pub(crate) fn force_target(tokens: impl ToTokens, names: &[String]) -> syn::Error {
    let first = names.first().map_or("", String::as_str);
    with_help(
        tokens,
        format!("this force could act on {}", list(names)),
        format!("say on which: `#[force({first})]`"),
    )
}

pub(crate) fn force_attribute(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "#[force] takes the name of the coordinate that the force acts on, or nothing",
        "write `#[force]` or `#[force(bobs)]`",
    )
}

pub(crate) fn force_breaks(tokens: impl ToTokens, quantity: &str) -> syn::Error {
    with_help(
        tokens,
        format!("`{quantity}` cannot be shown to be conserved under a #[force]"),
        "make the force a part of the Lagrangian, or do not state what is conserved",
    )
}

pub(crate) fn stiff_in_force(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "`stiff(…)` marks a part of the potential, and this force comes from none",
        "remove it here, or make the force a term of the potential",
    )
}

/// `a`, `b` or `c`.
fn list(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}
