//! The files that are written from the cells.

use super::kinds::{Feature, Kind};
use std::path::Path;

/// Holds a file against its text, made from the one that is there, or writes it with `CELLS=overwrite`.
pub(crate) fn hold(path: &Path, text: impl Fn(&str) -> String) {
    let known = std::fs::read_to_string(path).unwrap_or_default();
    let found = text(&known);
    if std::env::var("CELLS").is_ok_and(|value| value == "overwrite") {
        std::fs::write(path, &found).expect("it can be written");
        return;
    }
    let same = known.lines().zip(found.lines()).take_while(|(known, found)| known == found).count();
    let line = found.lines().nth(same).unwrap_or_default();
    assert!(known == found, "{}: line {} should be, see CELLS=overwrite:\n{line}", path.display(), same + 1);
}

/// The first line of the table in the reference of the language.
const HEAD: &str = "| the model has | methods | through `Penalized` |";

/// The kinds that have a line there, in words.
const LINES: [(&[Feature], &str); 13] = [
    (&[], "a constant mass"),
    (&[Feature::Stiff], "a part in `stiff(…)`"),
    (&[Feature::MassOfPosition], "a mass that depends on the position"),
    (&[Feature::Gyroscopic], "terms linear in velocities"),
    (&[Feature::Time], "an explicit `Time`"),
    (&[Feature::Phase], "a fast `Phase`"),
    (&[Feature::ForceOfPosition], "a `#[force]` of position and time"),
    (&[Feature::ForceOfVelocity], "a `#[force]` of velocities"),
    (&[Feature::Dissipation], "a `#[dissipation]`"),
    (&[Feature::Input], "an `Input`"),
    (&[Feature::Holonomic], "`#[holonomic]` constraints"),
    (&[Feature::Nonholonomic], "`#[nonholonomic]` constraints"),
    (&[Feature::Holonomic, Feature::Dependent], "constraints that depend on each other"),
];

/// The lines of the table, from the types that run on each kind.
pub(crate) fn table(found: &[(Kind, [Vec<&str>; 2])]) -> Vec<String> {
    let names = |types: &[&str]| {
        let names = types.iter().map(|name| format!("`{}`", name.split('<').next().unwrap_or(name)));
        let mut names: Vec<String> = names.collect();
        names.dedup();
        names.join(", ")
    };
    LINES
        .into_iter()
        .map(|(features, words)| {
            let (_, [types, penalized]) =
                found.iter().find(|(kind, _)| kind.0 == features).expect("a kind of the table");
            format!("| {words} | {} | {} |", names(types), names(penalized))
        })
        .collect()
}

/// The document with this table in the place of its own.
pub(crate) fn with_table(document: &str, table: &[String]) -> String {
    let mut lines = document.lines();
    let mut text: Vec<&str> = lines.by_ref().take_while(|line| *line != HEAD).collect();
    text.extend([HEAD, lines.next().unwrap_or_default()]);
    text.extend(table.iter().map(String::as_str));
    text.extend(lines.skip_while(|line| line.starts_with('|')));
    text.join("\n") + "\n"
}
