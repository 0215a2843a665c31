//! `docs/language.md`: every example is compiled, those with a `main` are run, and every message is the one that rustc prints.
//! The examples of `docs/running.md` and `docs/viewing.md` are compiled and run beside them.
//!
//! An example is a block of Rust as it stands there, after `use least_action::prelude::*;`.  A mistake is named by its
//! fixture in `ui/fail`, and shown as its golden message says:
//!
//! ```text
//! <!-- mistake: caret_is_not_a_power -->
//! ```
//!
//! `LANGUAGE=overwrite cargo test -p least-action-tests --test the_whole` writes them anew.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The examples, each a module of its own that is called by its line in the document.
#[allow(
    dead_code,
    unreachable_pub,
    missing_docs,
    clippy::all,
    clippy::pedantic,
    reason = "examples show one thing each"
)]
mod examples {
    include!(concat!(env!("OUT_DIR"), "/language.rs"));

    mod running {
        include!(concat!(env!("OUT_DIR"), "/running.rs"));
    }

    mod viewing {
        include!(concat!(env!("OUT_DIR"), "/viewing.rs"));
    }
}

const OPENING: &str = "<!-- mistake: ";

fn path(relative: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(relative)
}

/// The messages of rustc for a fixture: each with the line that it points at, without file and number.
fn message(fixture: &str) -> String {
    let golden = std::fs::read_to_string(path(&format!("../integrator-core/tests/ui/fail/{fixture}.stderr")))
        .unwrap_or_else(|error| panic!("there is no golden message of `{fixture}`: {error}"));
    let mut shown = String::new();
    for line in golden.lines() {
        let bare = line.trim_start();
        // ` --> file:line:column` and the bars around what is quoted.
        if bare.starts_with("--> ") || bare == "|" {
            continue;
        }
        let line = match line.split_once('|') {
            // `12 |     code`: the number belongs to the fixture, not to the rule.
            Some((number, code)) if number.trim().parse::<u32>().is_ok() || number.trim().is_empty() => {
                format!("    |{code}")
            }
            _ => line.to_owned(),
        };
        shown.push_str(line.trim_end());
        shown.push('\n');
    }
    format!("```text\n{}\n```\n", shown.trim_end())
}

/// The document with every message as it is now.
fn up_to_date(document: &str) -> String {
    let mut text = String::new();
    let mut lines = document.lines().peekable();
    while let Some(line) = lines.next() {
        text.push_str(line);
        text.push('\n');
        let Some(fixture) = line.strip_prefix(OPENING).and_then(|rest| rest.strip_suffix(" -->")) else {
            continue;
        };
        if lines.peek() == Some(&"```text") {
            lines.by_ref().take_while(|line| *line != "```").for_each(drop);
        }
        text.push_str(&message(fixture));
    }
    text
}

#[test]
fn every_message_is_the_one_that_is_printed() {
    let file = path("../docs/language.md");
    let document = std::fs::read_to_string(&file).expect("the document");
    let current = up_to_date(&document);
    if std::env::var("LANGUAGE").is_ok_and(|value| value == "overwrite") {
        std::fs::write(&file, current).expect("the document can be written");
        return;
    }
    let difference = document.lines().zip(current.lines()).enumerate().find(|(_, (is, should))| is != should);
    assert!(
        difference.is_none() && document.len() == current.len(),
        "line {difference:?}: see LANGUAGE=overwrite"
    );
}

#[test]
fn every_mistake_is_in_the_document() {
    let document = std::fs::read_to_string(path("../docs/language.md")).expect("the document");
    let shown: Vec<&str> =
        document.lines().filter_map(|line| line.strip_prefix(OPENING)?.strip_suffix(" -->")).collect();
    let once: BTreeSet<&str> = shown.iter().copied().collect();
    assert_eq!(shown.len(), once.len(), "each is shown once");
    let mut missing = BTreeSet::new();
    for entry in std::fs::read_dir(path("../integrator-core/tests/ui/fail")).expect("the fixtures") {
        let file = entry.expect("a fixture").path();
        let name = file.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().to_owned();
        if file.extension().is_some_and(|extension| extension == "stderr") && !once.contains(name.as_str()) {
            missing.insert(name);
        }
    }
    assert!(missing.is_empty(), "not in docs/language.md: {missing:#?}");
}
