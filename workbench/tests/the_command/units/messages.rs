//! Messages are one line, short and printable, and suggest a near word.

use least_action_command::internals::{Error, Names, one_line};

#[test]
fn messages_are_short_and_printable() {
    let long = "x".repeat(100_000);
    let error = Error::Mistake(format!("--set `\u{1b}[31m{long}\u{7}`: write name=value"));
    let line = error.line();
    assert!(
        line.starts_with("--set `\\u{1b}[31mxxx") && line.ends_with("xxx\\u{7}`: write name=value"),
        "{line}"
    );
    assert!(line.chars().count() < 400, "{line}");
    let many = Error::Mistake(format!("--set `{}`: write name=value", "word ".repeat(100_000)));
    assert!(many.line().chars().count() < 4100);
}

#[test]
fn a_far_word_gets_no_suggestion() {
    let names: Names = ["links", "gravity"].into_iter().collect();
    assert_eq!(names.near("gravty").to_string(), " (did you mean `gravity`?)");
    assert_eq!(names.near("lniks").to_string(), " (did you mean `links`?)");
    assert_eq!(names.near("temperature").to_string(), "");
}

#[test]
fn messages_are_one_line() {
    assert_eq!(one_line("a\n  b\n\nc "), "a b c");
}
