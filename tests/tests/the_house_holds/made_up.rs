//! The gate itself: a small house passes as it stands, and each change for the worse fails in words.

use super::{judge, rooms, tightened, written};
use crate::figures::{Tree, measure};
use crate::limits::Limit;
use crate::source::Source;

const ROOM: &str = "house/src/floor";

fn house() -> Tree {
    let mut tree = Tree { packages: vec!["house".to_owned()], ..Tree::default() };
    for (path, text) in [
        ("lib.rs", "//! A house.\npub mod roof;\nmod floor;\npub use floor::Floor as Ground;\n"),
        (
            "roof.rs",
            "//! The roof.\nuse crate::floor::{Floor, beam};\npub struct Roof(pub Floor, beam::Beam);\n",
        ),
        ("floor/mod.rs", "//! The floor.\npub mod beam;\nuse self::beam::Beam;\npub struct Floor(Beam);\n"),
        ("floor/beam.rs", "//! A beam.\npub struct Beam;\n"),
    ] {
        tree.files.insert(format!("house/src/{path}"), text.to_owned());
    }
    tree
}

/// The verdict on the house with more text in a file.
fn with(path: &str, more: &str) -> String {
    with_all(&[(path, more)])
}

fn with_all(changes: &[(&str, &str)]) -> String {
    let before = measure(&house(), &[ROOM]);
    let mut tree = house();
    for (path, more) in changes {
        tree.files.entry(format!("house/src/{path}")).or_default().push_str(more);
    }
    judge(&tightened(&[], &before), &measure(&tree, &[ROOM])).0
}

#[track_caller]
fn says(verdict: &str, line: &str) {
    assert!(verdict.lines().any(|said| said.trim() == line), "`{line}` is missing in:\n{verdict}");
}

#[test]
fn the_made_up_house_has_these_figures() {
    let figures: Vec<_> =
        measure(&house(), &[ROOM]).into_iter().map(|subject| (subject.name, subject.figures)).collect();
    let package = [13, 0, 0, 3, 2, 0, 0];
    let expected = [("house", package), (ROOM, [6, 0, 0, 2, 1, 0, 0]), ("the house", package)];
    assert_eq!(figures, expected.map(|(name, figures)| (name.to_owned(), figures)));
    assert_eq!(with("lib.rs", ""), "");
}

#[test]
fn a_line_fails() {
    let verdict = with("roof.rs", "fn tile() {}\n");
    says(
        &verdict,
        "house: product lines: 14, limit 13; most in house/src/floor/mod.rs (4), house/src/lib.rs (4)",
    );
    says(&verdict, "the house: product lines: 14, limit 13; as above");
}

#[test]
fn a_circle_fails() {
    let verdict = with("floor/beam.rs", "use crate::roof;\n");
    says(&verdict, "house: circles of `use`: 1, limit 0; these:");
    says(&verdict, "floor, floor::beam, roof (closed by roof → floor, roof → floor::beam)");
    says(&verdict, "house: files in circles of `use`: 3, limit 0; as above");
    // This circle leaves the room, the next stays in it.
    assert!(!verdict.contains("house/src/floor: circles"), "{verdict}");
    let verdict = with("floor/beam.rs", "use super::Floor;\n");
    says(&verdict, "house/src/floor: circles of `use`: 1, limit 0; as above");
    says(&verdict, "floor, floor::beam (closed by floor::beam → floor)");
}

#[test]
fn a_storey_fails() {
    let verdict = with("attic.rs", "use crate::{roof::Roof as Cover, floor};\n");
    says(
        &verdict,
        "house: files in the longest chain of `use`: 4, limit 3; attic > roof > floor > floor::beam",
    );
    says(&verdict, "the house: files in the longest chain of `use`: 4, limit 3; as above");
    let verdict = with("floor/joist.rs", "use super::super::floor;\n");
    says(
        &verdict,
        "house/src/floor: files in the longest chain of `use`: 3, limit 2; floor::joist > floor > floor::beam",
    );
    // A circle is as many storeys as it has files.
    let verdict = with("floor/beam.rs", "use crate::floor;\nuse crate::roof;\n");
    assert!(verdict.contains("circle") && !verdict.contains("chain"), "{verdict}");
    let verdict = with_all(&[("floor/beam.rs", "use crate::roof;\n"), ("lib.rs", "use crate::roof;\n")]);
    says(&verdict, "house: files in the longest chain of `use`: 4, limit 3; lib > {floor floor::beam roof}");
}

#[test]
fn a_public_type_fails() {
    let most = "most in house/src/floor/mod.rs (1), house/src/lib.rs (1)";
    for (file, more) in [
        ("lib.rs", "pub enum Door {}\n"),
        ("lib.rs", "pub mod hall { pub unsafe trait Door {} }\n"),
        (
            "lib.rs",
            "mod hall { pub(crate) mod stairs { pub union Door { a: u8 } } pub use self::stairs::*; }\npub use hall::*;\n",
        ),
        (
            "lib.rs",
            "macro_rules! door { ($name:ident) => { pub struct $name; } }\ndoor!(/* The door. */ Door);\n",
        ),
    ] {
        says(&with(file, more), &format!("house: public types: 3, limit 2; {most}"));
    }
    says(
        &with("lib.rs", "pub use floor::beam::Beam as Timber;\npub use floor::beam::{self, *};\n"),
        "house: public types: 3, limit 2; most in house/src/floor/beam.rs (1), house/src/floor/mod.rs (1)",
    );
    for hidden in [
        "pub(crate) enum Door {}\n",
        "mod hall { pub enum Door {} }\n",
        "#[doc(hidden)]\npub mod hall { pub enum Door {} }\n",
        "#[cfg(test)]\nmod hall { pub enum Door {} }\n",
        "fn hall() { pub enum Door {} }\n",
        "pub use hall::hall;\npub use std::fmt::*;\n",
    ] {
        let verdict = with("lib.rs", hidden);
        assert!(!verdict.contains("public types"), "{verdict}");
    }
}

#[test]
fn a_long_comment_fails() {
    let comment = |length: usize| format!("    /// {}\n", "é".repeat(length - 8));
    says(
        &with("roof.rs", &comment(106)),
        "house: comment lines over 105 characters: 1, limit 0; \
         most in house/src/roof.rs (1), house/src/floor/beam.rs (0)",
    );
    assert!(!with("roof.rs", &comment(105)).contains("characters"));
}

#[test]
fn pronouns_fail() {
    let figure = "uses of `what`, `those` and `that of` per thousand comment lines";
    let verdict =
        with("roof.rs", "/* What it is,\nthat of those. */\n// Somewhat so; whatever. That, of it.\n");
    // Three in four comment lines and three of these.
    says(
        &verdict,
        &format!("house: {figure}: 428, limit 0; most in house/src/roof.rs (3), house/src/floor/beam.rs (0)"),
    );
}

#[test]
fn tests_texts_and_code_are_no_comments() {
    let long = "what ".repeat(30);
    let tests =
        format!("#[cfg(test)]\n#[allow(unused)]\nmod more {{\n    // {long}\n    use crate::roof;\n}}\n");
    assert_eq!(with("floor/beam.rs", &tests), "");
    let mut tree = house();
    tree.files.insert("house/src/floor/trial.rs".to_owned(), format!("// {long}\nuse crate::roof;\n"));
    tree.files.entry("house/src/floor/mod.rs".to_owned()).or_default().push_str("#[cfg(test)] mod trial;");
    let verdict = judge(&tightened(&[], &measure(&house(), &[ROOM])), &measure(&tree, &[ROOM])).0;
    assert_eq!(verdict, "");

    let text = r##"let a = "\"// what"; let b = r#"
// what "#; let c = ['"', '\'', '\\']; // what
fn d<'a>(e: &'a str) {} /* what
 /* what */ // */
b"// what""##;
    let source = Source::read(text);
    assert_eq!(source.comments, [(4, " /* what */ // */")]);
    assert_eq!(source.lines, 5);
    assert_eq!(source.tokens.last().map(|token| (token.text, token.line)), Some(("\"// what\"", 5)));
}

#[test]
fn limits_fall_with_their_figures_and_never_rise() -> Result<(), Box<dyn std::error::Error>> {
    let limits = [
        Limit("cellar", [1; 7], ""),
        Limit("house", [20, 0, 0, 2, 5, 0, 0], "The roof got tiles."),
        Limit("cellar/src/wine", [1; 7], ""),
        Limit(ROOM, [6, 0, 0, 2, 1, 0, 0], ""),
    ];
    assert_eq!(rooms(&limits), ["cellar/src/wine", ROOM]);
    let subjects = measure(&house(), &rooms(&limits));
    let (passed, slack) = judge(&limits, &subjects);
    says(&passed, "house: files in the longest chain of `use`: 3, limit 2; roof > floor > floor::beam");
    says(&passed, "the house has no row in limits.rs; HOUSE=tighten adds it");
    says(&slack, "house: product lines: 13, limit 20; HOUSE=tighten lowers it");
    says(&slack, "cellar is gone; HOUSE=tighten takes out its row");
    says(&slack, "cellar/src/wine is gone; HOUSE=tighten takes out its row");

    let limits = tightened(&limits, &subjects);
    let text = written(
        "//! The limits.\n\nconst LIMITS: &[Limit<'_>] = &[\n    Limit(\"cellar\", [], \"\"),\n];\n",
        &limits,
    )?;
    let expected = r#"//! The limits.

const LIMITS: &[Limit<'_>] = &[
    Limit("house", [13, 0, 0, 2, 2, 0, 0], "The roof got tiles."),
    Limit("house/src/floor", [6, 0, 0, 2, 1, 0, 0], ""),
    Limit("the house", [13, 0, 0, 3, 2, 0, 0], ""),
];
"#;
    assert_eq!(text, expected);
    let (passed, slack) = judge(&limits, &subjects);
    assert_eq!(
        (passed.as_str(), slack.as_str()),
        ("house: files in the longest chain of `use`: 3, limit 2; roof > floor > floor::beam\n", "")
    );
    Ok(())
}
