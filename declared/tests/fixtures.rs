//! The declarations that the attribute refuses are refused as files in its words, at the same places.
//!
//! The messages of rustc itself, and of the lints that it knows, are not ours: fixtures with an error
//! that has a number (`error[E0277]`) are left out, and so are warnings.

use least_action_declared::rust::Error;
use least_action_declared::{Declared, Refusal};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../integrator-core/tests/ui/fail");

/// Fixtures that are otherwise as files, with the reason.
const OTHERS: [(&str, &str); 6] = [
    ("attribute_stands_before_an_impl", "a file has an `impl` under the attribute, or no model"),
    ("crate_is_a_path", "a file has no crate"),
    ("declaration_of_another_model_is_not_called", "a file declares one model"),
    ("friction_is_no_term_of_the_lagrangian", "a file declares one model"),
    ("parenthesis_is_closed_for_rust", "the words of rustc's own parser"),
    ("words_of_other_languages_have_a_form", "a file declares one model"),
];

/// A mistake: its place, its words, and its remedy.
type Told = (u32, u16, String, Option<String>);

/// The errors in the output of rustc.
fn of_rustc(output: &str) -> Vec<Told> {
    let (mut all, mut words) = (Vec::new(), Vec::<&str>::new());
    let mut is_error = false;
    for line in output.lines() {
        if let Some(first) = line.strip_prefix("error: ") {
            // The attribute warns by the use of a deprecated constant.
            let (_, own) = first.split_once("WITHOUT_EFFECT`: ").unwrap_or(("", first));
            (words, is_error) = (vec![own], true);
        } else if line.starts_with("warning") {
            is_error = false;
        } else if let (Some((_, place)), true) = (line.split_once("--> "), is_error) {
            let mut numbers = place.rsplit(':');
            let mut number = || numbers.next().and_then(|number| number.parse().ok()).unwrap_or(0_u32);
            let (column, row) = (number() as u16, number());
            let text = words.join("\n");
            let (message, help) = match text.split_once("\n\nhelp: ") {
                Some((message, help)) => (message.to_owned(), Some(help.to_owned())),
                None => (text.trim_end().to_owned(), None),
            };
            all.push((row, column, message, help));
            is_error = false;
        } else if is_error {
            words.push(line.trim_start());
        }
    }
    all
}

/// The mistakes that the compiler of files tells, or its warnings.
fn of_files(name: &str, text: &str) -> Vec<Told> {
    let found = match Declared::new(name, text) {
        Err(Refusal::Mistakes(errors)) => errors,
        Ok(declared) => declared.warnings().to_vec(),
        Err(Refusal::Bind(_)) => Vec::new(),
    };
    let told = |error: &Error| {
        let place = error.place();
        (place.line, place.column, error.message().to_owned(), error.help().map(str::to_owned))
    };
    found.iter().map(told).collect()
}

#[test]
fn the_messages_are_those_of_the_attribute() {
    let mut names: Vec<String> = fs::read_dir(FOLDER)
        .expect("the fixtures")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter_map(|name| Some(name.strip_suffix(".stderr")?.to_owned()))
        .collect();
    names.sort();
    let (mut differences, mut equal) = (String::new(), 0);
    for name in names {
        let read = |end: &str| fs::read_to_string(format!("{FOLDER}/{name}.{end}")).expect("a fixture");
        let (text, output) = (read("rs"), read("stderr"));
        let is_other = OTHERS.iter().any(|(other, _)| *other == name);
        if output.contains("error[E") {
            continue;
        }
        let (expected, found): (BTreeSet<_>, BTreeSet<_>) =
            (of_rustc(&output).into_iter().collect(), of_files(&name, &text).into_iter().collect());
        if expected == found {
            assert!(!is_other, "{name} is as by the attribute");
            equal += 1;
        } else if !is_other {
            let (missing, others) = (expected.difference(&found), found.difference(&expected));
            writeln!(
                differences,
                "{name}:\n  missing {:#?}\n  others {:#?}",
                missing.collect::<Vec<_>>(),
                others.collect::<Vec<_>>()
            )
            .expect("text");
        }
    }
    assert!(differences.is_empty(), "{equal} are equal\n{differences}");
    assert!(equal >= 176, "{equal}");
}

/// rustc warns of a term without effect; so does a file, unless it says that the term stands on purpose.
#[test]
fn terms_without_effect_are_warned_of() {
    let name = "friction_is_no_term_of_the_lagrangian";
    let read = |end: &str| fs::read_to_string(format!("{FOLDER}/{name}.{end}")).expect("a fixture");
    let (text, expected) = (read("rs"), of_rustc(&read("stderr")));
    let (first, second) = text.split_once("/// As above, on purpose.").expect("two models");
    let (second, _) = second.split_once("/// A force").expect("three models");
    let of_all = |told: Vec<Told>| told.into_iter().collect::<BTreeSet<_>>();
    assert_eq!(of_all(of_files(name, first)), of_all(expected));
    assert!(of_files(name, second).is_empty());
    assert_eq!(of_files(name, &second.replace("#[allow(deprecated)]", "")).len(), 1);
    let refused = of_files(name, &text).into_iter().map(|(.., message, _)| message);
    assert_eq!(refused.collect::<Vec<_>>(), ["a file declares one model, and this is another"]);
}
