//! The gate itself: a small house passes as it stands, and each change for the worse fails in words.

use std::collections::BTreeMap;

use super::{judge, risen, tightened, written};
use crate::figures::{Subject, files, measure};
use crate::limits::Limit;

const ROOM: &str = "house/src/floor";

/// The figures of the house with more text in some files.
fn house(more: &[(&str, &str)]) -> Result<Vec<Subject>, String> {
    let mut texts: BTreeMap<String, String> = [
        ("lib.rs", "pub mod roof;\nmod floor;\n"),
        ("roof.rs", "use crate::floor::{Floor, beam};\npub struct Roof(pub Floor, beam::Beam);\n"),
        ("floor/mod.rs", "pub mod beam;\nuse self::beam::Beam;\npub(crate) struct Floor(Beam);\n"),
        ("floor/beam.rs", "//! A beam.\npub struct Beam;\n"),
    ]
    .map(|(path, text)| (format!("house/src/{path}"), text.to_owned()))
    .into();
    for (path, more) in more {
        texts.entry(format!("house/src/{path}")).or_default().push_str(more);
    }
    Ok(measure(&[("house".to_owned(), files(&texts, "house")?)], &[ROOM, "house: struct Wide"]))
}

#[test]
fn each_change_for_the_worse_fails() -> Result<(), String> {
    let before = house(&[])?;
    let limits = tightened(&[], &before);
    let figures: Vec<_> = before.iter().map(|subject| (subject.name.as_str(), subject.figures)).collect();
    let package = [9, 0, 0, 0, 0, 0, 0, 3, 2, 2, 2, 0];
    let room = [5, 0, 0, 0, 0, 0, 0, 2, 2, 1, 1, 0];
    assert_eq!(figures, [("house", package), (ROOM, room), ("the house", package)]);
    let impls = "impl crate::Hall { fn door(&self) { self.stairs() } }\n";
    let back = "impl crate::Hall { fn stairs(&self) { if self.a { Self::door(self) } } }\n";
    let long = format!("// {}\n", "é".repeat(103));
    for (more, line) in [
        (
            vec![("roof.rs", "fn tile() {}\n")],
            "house: product lines: 10, limit 9; most in house/src/roof.rs (3)",
        ),
        (
            vec![("floor/beam.rs", "use crate::roof;\n")],
            "house: circles of `use`: 1, limit 0; floor, floor::beam, roof",
        ),
        (
            vec![("floor/beam.rs", "use super::Floor;\n")],
            "house/src/floor: files in circles of `use`: 2, limit 0; floor, floor::beam",
        ),
        (
            vec![("floor/beam.rs", "fn up() { println!(\"{}\", crate::roof::HEIGHT) }\n")],
            "house: circles of `use` and of paths in the code: 1, limit 0; floor, floor::beam, roof",
        ),
        (
            vec![("roof.rs", impls), ("floor/mod.rs", back)],
            "house: circles of calls on `self` over the files of a type: 1, limit 0; house/src/floor/mod.rs, house/src/roof.rs",
        ),
        (
            vec![("attic.rs", "use crate::{roof::Roof as Cover, floor};\n")],
            "house: files in the longest chain of `use`: 4, limit 3; attic > roof > floor > floor::beam",
        ),
        (
            vec![("attic.rs", "use crate::roof::*;\n")],
            "house: rooms in the longest chain of `use`: 3, limit 2; attic > roof > floor",
        ),
        (
            vec![("lib.rs", "struct Hall(u8, u8, u8);\n")],
            "house: fields of the widest struct: 3, limit 2; Hall",
        ),
        (
            vec![("lib.rs", "pub enum Door {}\n")],
            "house: public types: 3, limit 2; most in house/src/roof.rs (1)",
        ),
        (
            vec![("lib.rs", &long)],
            "house: comment lines over 105 characters: 1, limit 0; most in house/src/lib.rs (1)",
        ),
    ] {
        let (passed, _) = judge(&limits, &house(&more)?);
        assert!(passed.lines().any(|said| said == line), "`{line}` is missing in:\n{passed}");
    }
    // A struct with a row of its own is not counted in its package.
    let with_row = house(&[("lib.rs", "struct Wide(u8, u8, u8);\n")])?;
    assert_eq!(with_row.iter().map(|subject| subject.figures[9]).collect::<Vec<_>>(), [2, 1, 3, 2]);
    Ok(())
}

#[test]
fn limits_fall_and_rise_only_for_a_fall() -> Result<(), Box<dyn std::error::Error>> {
    let row = |lines| [lines, 0, 0, 0, 0, 0, 0, 3, 2, 2, 2, 0];
    let limits =
        [Limit("cellar", row(5), ""), Limit("house", row(20), "Tiles."), Limit("the house", row(9), "")];
    let subjects = house(&[])?;
    let (passed, slack) = judge(&limits, &subjects);
    assert_eq!(passed, "house/src/floor has no row in limits.rs; HOUSE=tighten adds it\n");
    assert!(
        slack.contains("house: product lines: 9, limit 20;") && slack.contains("cellar is gone;"),
        "{slack}"
    );
    let text = "//! The limits.\nconst LIMITS: &[Limit<'_>] = &[\n];\n";
    let table = written(text, &tightened(&limits, &subjects))?;
    assert!(
        table.contains("    Limit(\"house\", [9, 0, 0, 0, 0, 0, 0, 3, 2, 2, 2, 0], \"Tiles.\"),\n"),
        "{table}"
    );
    // From here on a package that rises needs another one that falls.
    let before = written(text, &limits)?;
    let now = |cellar, house| {
        risen(
            &[
                Limit("cellar", row(cellar), ""),
                Limit("house", row(house), ""),
                Limit("the house", row(9), ""),
            ],
            &before,
        )
    };
    assert_eq!((now(5, 20), now(4, 21), now(0, 19)), Default::default());
    assert_eq!(now(7, 19), "product lines: the limits of cellar rose by 1 more than others fell\n");
    let apart = [Limit("attic", row(5), ""), Limit("house", row(20), ""), Limit("the house", row(9), "")];
    assert_eq!(risen(&apart, &before), "");
    let wide = [Limit("the house", [200_000, 0, 0, 0, 0, 0, 0, 0, 0, 30, 0, 0], &"why ".repeat(21))];
    let (passed, _) = judge(&wide, &[]);
    assert_eq!(passed.lines().count(), 3, "{passed}");
    Ok(())
}
