//! Values that cannot be read are asked for in words of a user.

use least_action_command::internals::{of_file, of_number, of_value};
use serde_json::Value;
use serde_json::{from_value, json};

#[test]
fn types_of_rust_are_not_named() {
    let said = |value: Value, message: String| of_value(&value, &message);
    let usize_of = |value: Value| said(value.clone(), from_value::<usize>(value).unwrap_err().to_string());
    assert_eq!(usize_of(json!(2.5)), "expected a whole number from 0 on");
    assert_eq!(usize_of(json!(-1)), "expected a whole number from 0 on");
    assert_eq!(usize_of(json!("two")), "expected a whole number from 0 on");
    let pair_of = |value: Value| said(value.clone(), from_value::<[f64; 2]>(value).unwrap_err().to_string());
    assert_eq!(pair_of(json!([1.0, "b"])), "expected a number, not \"b\"");
    assert_eq!(pair_of(json!([1.0, true])), "expected a number, not true");
    assert_eq!(pair_of(json!([1.0, [2.0]])), "expected a number, not a list");
    assert_eq!(pair_of(json!([1.0])), "expected a list of 2, not one of length 1");
    assert_eq!(pair_of(json!(1.0)), "expected a list of 2");
    let file = |text: &str| of_file(&serde_json::from_str::<bool>(text).unwrap_err().to_string());
    assert_eq!(file("3"), "expected true or false, not 3 at line 1 column 1");
    assert_eq!(file("{}"), "expected true or false, not a table of names and values at line 1 column 0");
}

#[test]
fn numbers_of_the_command_line_are_asked_for_in_words() {
    let said = |text: &str| of_number(&format!("'{text}': {}", text.parse::<u64>().unwrap_err()));
    assert_eq!(said("many"), "'many': expected a whole number from 0 on");
    assert_eq!(said("-1"), "'-1': expected a whole number from 0 on");
    assert_eq!(said("18446744073709551616"), "'18446744073709551616': the number is too large");
    assert_eq!(of_number(&"fast".parse::<f64>().unwrap_err().to_string()), "expected a number");
}
