//! The reference numbers in `tests/data`.

use serde_json::Value;
use std::path::Path;

/// A file of `tests/data`.
///
/// # Panics
/// The file is missing or is not JSON: the clone is broken.
pub fn read(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data").join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The numbers of an array.
///
/// # Panics
/// The value is not an array of numbers.
pub fn numbers(value: &Value) -> Vec<f64> {
    let entries = value.as_array().unwrap_or_else(|| panic!("not an array: {value}"));
    entries.iter().map(|entry| entry.as_f64().unwrap_or_else(|| panic!("not a number: {entry}"))).collect()
}
