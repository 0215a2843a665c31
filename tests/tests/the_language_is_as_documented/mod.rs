//! The examples of `docs/` compile, the examples with a `main` run, and `docs/mistakes/` shows the messages
//! of rustc.
//!
//! An example is a block of Rust, after `use least_action::prelude::*;`.
//! A section of a page in `docs/mistakes/` shows the golden message of a fixture.
//! Its heading is the name of the fixture in `ui/fail`, with spaces:
//!
//! ```text
//! ## Caret is not a power
//! ```
//!
//! `docs/mistakes/index.md` lists the messages in alphabetical order.
//! `LANGUAGE=overwrite cargo test -p least-action-tests --test the_whole` writes the messages and the list
//! anew.

#![expect(clippy::expect_used, reason = "a test file, where a failure is a panic")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::the_book::slug;

/// The examples, each a module with the name of its page and its line.
#[allow(
    dead_code,
    unreachable_pub,
    missing_docs,
    unused_imports,
    clippy::all,
    clippy::pedantic,
    reason = "examples show one thing each"
)]
mod examples {
    include!(concat!(env!("OUT_DIR"), "/examples.rs"));
}

/// The first lines of the list.
const LIST: &str = "# All messages\n\nThe messages of the compiler in alphabetical order, each with a link to its place.\nA message with several places names the others behind it.\n\n";

/// The folder of the pages, from the folder of this package.
const PAGES: &str = "../docs/mistakes";

fn path(relative: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(relative)
}

/// The pages with messages: file and text, without the list.
fn pages() -> BTreeMap<PathBuf, String> {
    let files = std::fs::read_dir(path(PAGES)).expect("the pages").map(|entry| entry.expect("a page").path());
    let text = |file: PathBuf| {
        let text = std::fs::read_to_string(&file).expect("a page");
        (file, text)
    };
    files.filter(|file| !file.ends_with("index.md")).map(text).collect()
}

/// The fixture of a heading.
fn fixture(heading: &str, file: &Path) -> String {
    let folder = if file.ends_with("engines.md") { "engine/" } else { "" };
    format!("{folder}{}", heading.to_lowercase().replace(' ', "_"))
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

/// The page with every message as it is now.
fn up_to_date(file: &Path, page: &str) -> String {
    let mut text = String::new();
    let mut lines = page.lines().peekable();
    while let Some(line) = lines.next() {
        text.push_str(line);
        text.push('\n');
        let Some(heading) = line.strip_prefix("## ") else { continue };
        while lines.next_if(|line| line.is_empty()).is_some() {}
        if lines.peek() == Some(&"```text") {
            lines.by_ref().take_while(|line| *line != "```").for_each(drop);
        }
        text.push('\n');
        text.push_str(&message(&fixture(heading, file)));
    }
    text
}

/// The list of all messages: each is a link to its section, further sections follow by their headings.
fn list(pages: &BTreeMap<PathBuf, String>) -> String {
    let mut entries = BTreeMap::<(String, String), Vec<(String, String)>>::new();
    for (file, page) in pages {
        let name = file.file_name().and_then(|name| name.to_str()).expect("a name");
        let mut heading = "";
        for line in page.lines() {
            heading = line.strip_prefix("## ").unwrap_or(heading);
            let Some((_, message)) = line.strip_prefix("error").and_then(|rest| rest.split_once(": ")) else {
                continue;
            };
            let key: String = message.chars().filter(|c| c.is_alphanumeric() || *c == ' ').collect();
            let key = (key.trim_start().to_lowercase(), escaped(message));
            let place = (heading.to_owned(), format!("{name}#{}", slug(heading)));
            let places = entries.entry(key).or_default();
            if !places.contains(&place) {
                places.push(place);
            }
        }
    }
    let mut text = LIST.to_owned();
    for ((_, message), places) in entries {
        let (first, further) = places.split_first().expect("a place");
        write!(text, "- [{message}]({})", first.1).expect("a line");
        for (heading, place) in further {
            write!(text, ", [{heading}]({place})").expect("a line");
        }
        text.push('\n');
    }
    text
}

/// A message as Markdown: the signs of Markdown outside of code are escaped.
fn escaped(message: &str) -> String {
    let mut text = String::new();
    for (number, part) in message.split('`').enumerate() {
        if number > 0 {
            text.push('`');
        }
        for sign in part.chars() {
            if number % 2 == 0 && "*_<>[]".contains(sign) {
                text.push('\\');
            }
            text.push(sign);
        }
    }
    text
}

#[test]
fn every_message_is_the_one_that_is_printed_and_is_listed() {
    let known = pages();
    let current: BTreeMap<PathBuf, String> =
        known.iter().map(|(file, page)| (file.clone(), up_to_date(file, page))).collect();
    let (index, listed) = (path(PAGES).join("index.md"), list(&current));
    let overwrite = std::env::var("LANGUAGE").is_ok_and(|value| value == "overwrite");
    let mut wrong = String::new();
    for (file, text) in current.iter().chain([(&index, &listed)]) {
        if overwrite {
            std::fs::write(file, text).expect("the page can be written");
            continue;
        }
        let page = std::fs::read_to_string(file).unwrap_or_default();
        if page != *text {
            let line = page.lines().zip(text.lines()).take_while(|(is, should)| is == should).count();
            writeln!(wrong, "{}: line {}", file.display(), line + 1).expect("a line");
        }
    }
    assert!(wrong.is_empty(), "{wrong}see LANGUAGE=overwrite");
}

#[test]
fn every_mistake_has_a_section() {
    let shown: Vec<String> = pages()
        .iter()
        .flat_map(|(file, page)| {
            page.lines().filter_map(|line| Some(fixture(line.strip_prefix("## ")?, file))).collect::<Vec<_>>()
        })
        .collect();
    let once: BTreeSet<&str> = shown.iter().map(String::as_str).collect();
    assert_eq!(shown.len(), once.len(), "each is shown once");
    let mut missing = BTreeSet::new();
    for entry in std::fs::read_dir(path("../integrator-core/tests/ui/fail")).expect("the fixtures") {
        let file = entry.expect("a fixture").path();
        let name = file.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().to_owned();
        if file.extension().is_some_and(|extension| extension == "stderr") && !once.contains(name.as_str()) {
            missing.insert(name);
        }
    }
    assert!(missing.is_empty(), "not in docs/mistakes: {missing:#?}");
}
