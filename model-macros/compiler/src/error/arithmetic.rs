//! The messages of numbers that Rust would take for integers.

use super::with_help;
use quote::ToTokens;

messages! {
    caret(): "`^` is not a power in Rust",
        help: "write `x.powi(2)` or `x.powf(1.5)`";
}

pub(crate) fn integer_division(tokens: impl ToTokens, left: &str, right: &str) -> syn::Error {
    with_help(
        tokens,
        format!("`{left} / {right}` of integers is {}", integer_quotient(left, right)),
        format!("write `{left}.0 / {right}.0`"),
    )
}

fn integer_quotient(left: &str, right: &str) -> String {
    match (left.parse::<i64>(), right.parse::<i64>()) {
        (Ok(left), Ok(right)) if right != 0 => (left / right).to_string(),
        _ => "an integer".to_owned(),
    }
}

messages! {
    integer_literal(literal: &str): "`{literal}` is an integer, but a number is needed here",
        help: "write `{literal}.0`";
    integer_power(): "`powi` needs an exponent that is an integer without coordinates",
        help: "write one such as `powi(2)`, or use `powf` for other exponents";
}
