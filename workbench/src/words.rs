//! Messages of serde and of the standard library about unreadable values, in words of a user, who knows
//! no types of Rust.

use serde_json::Value;

/// The mistake in a value that the message shows already.
pub fn of_value(value: &Value, message: &str) -> String {
    match expectation(message) {
        Some((found, expected)) if value.is_array() || value.is_object() => {
            format!("expected {expected}, not {found}")
        }
        Some((_, expected)) => format!("expected {expected}"),
        None => message.replacen("unknown variant", "unknown word", 1),
    }
}

/// The mistake in a file, with its place behind.
pub fn of_file(message: &str) -> String {
    let (text, place) = match message.rfind(" at line ") {
        Some(place) => message.split_at(place),
        None => (message, ""),
    };
    match expectation(text) {
        Some((found, expected)) => format!("expected {expected}, not {found}{place}"),
        None => message.replacen("unknown variant", "unknown word", 1),
    }
}

/// The mistake in a number of the command line, told by a parser of the standard library at the end of a
/// text.
pub fn of_number(text: &str) -> String {
    const WORDS: [(&str, &str); 7] = [
        ("invalid float literal", "expected a number"),
        ("cannot parse float from empty string", "expected a number"),
        ("invalid digit found in string", "expected a whole number from 0 on"),
        ("cannot parse integer from empty string", "expected a whole number from 0 on"),
        ("number too large to fit in target type", "the number is too large"),
        ("number too small to fit in target type", "the number is too small"),
        ("number would be zero for non-zero type", "expected a whole number from 1 on"),
    ];
    let found = WORDS.iter().find_map(|(said, words)| Some(format!("{}{words}", text.strip_suffix(said)?)));
    found.unwrap_or_else(|| text.to_owned())
}

/// The found and the expected value of messages such as "invalid type: floating point `2.5`, expected
/// usize".
fn expectation(message: &str) -> Option<(String, String)> {
    let said = ["invalid type: ", "invalid value: ", "invalid "]
        .iter()
        .find_map(|begin| message.strip_prefix(begin));
    let (found, expected) = said?.rsplit_once(", expected ")?;
    Some((in_words(found), type_in_words(expected)))
}

/// A value without the name of its type.
fn in_words(found: &str) -> String {
    const TYPES: [&str; 5] = ["floating point ", "integer ", "boolean ", "string ", "character "];
    let bare = TYPES.iter().find_map(|of| found.strip_prefix(of));
    match (bare, found) {
        (Some(bare), _) => bare.trim_matches('`').to_owned(),
        (None, "sequence") => "a list".to_owned(),
        (None, "map") => "a table of names and values".to_owned(),
        (None, other) => other.replacen("length ", "one of length ", 1),
    }
}

fn type_in_words(expected: &str) -> String {
    match expected {
        "u8" | "u16" | "u64" | "u128" | "usize" => "a whole number from 0 on".to_owned(),
        "u32" => format!("a whole number from 0 to {}", u32::MAX),
        "i8" | "i16" | "i32" | "i64" | "i128" | "isize" => "a whole number".to_owned(),
        "f32" | "f64" => "a number".to_owned(),
        "a boolean" => "true or false".to_owned(),
        "a string" => "a text".to_owned(),
        "a sequence" => "a list".to_owned(),
        "a map" => "a table of names and values".to_owned(),
        "a matrix array" => "a list with as many numbers as it has by default".to_owned(),
        "fewer elements in array" => "a shorter list".to_owned(),
        other => match other.strip_prefix("an array of length ") {
            Some(length) => format!("a list of {length}"),
            None => other.to_owned(),
        },
    }
}

/// A word of a command line, quoted where a shell would read something else.
pub(crate) fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "_-+=.,:/@%".contains(letter);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}
