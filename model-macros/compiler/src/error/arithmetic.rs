//! The messages of numbers that Rust would take for integers.

messages! {
    caret(): "`^` is not a power in Rust",
        help: "write `x.powi(2)` or `x.powf(1.5)`";
    integer_division(left: &str, right: &str, quotient: &str): "`{left} / {right}` of integers is {quotient}",
        help: "write `{left}.0 / {right}.0`";
    integer_literal(literal: &str): "`{literal}` is an integer, but a number is needed here",
        help: "write `{literal}.0`";
    integer_power(): "`powi` needs an exponent that is an integer without coordinates",
        help: "write one such as `powi(2)`, or use `powf` for other exponents";
}

/// The value of a quotient of integers, as Rust cuts it off.
pub(crate) fn integer_quotient(left: &str, right: &str) -> String {
    match (left.parse::<i64>(), right.parse::<i64>()) {
        (Ok(left), Ok(right)) if right != 0 => (left / right).to_string(),
        _ => "an integer".to_owned(),
    }
}
