//! Many fixtures in one call of rustc: modules of a program, with the messages first placed in their
//! files.
//!
//! rustc ends after the first of its phases that finds mistakes (macros, names, types, patterns,
//! constants …), and so hides the mistakes of other fixtures for later phases. A round compiles all
//! fixtures whose messages have not shown, until a round shows none: fixtures of one phase show in one
//! round.
//! A fixture that prints its golden message beside others is right: rustc has found exactly that in its
//! file. A fixture that does not is judged alone, by the caller.

use crate::message;
use crate::on_all_processors;
use crate::rustc::Rustc;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// The fixtures that do not print their golden message together with others.
pub(crate) fn without_their_messages(rustc: &Rustc, fixtures: &[PathBuf]) -> Vec<PathBuf> {
    let mut left = fixtures.to_vec();
    for round in 0.. {
        let programs: Vec<(usize, &[PathBuf])> =
            left.chunks(left.len().div_ceil(2).max(1)).enumerate().collect();
        let silent = on_all_processors(&programs, |(number, fixtures)| {
            let program =
                Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("mistakes_{round}_{number}.rs"));
            fs::write(&program, modules(fixtures)).expect("the program can be written");
            let printed = rustc.refuses(&program).unwrap_or_default();
            let found = message::of_each_fixture(&printed);
            let is_right = |fixture: &PathBuf| {
                let golden = fs::read_to_string(fixture.with_extension("stderr")).ok();
                golden.is_some() && found.get(&fixture.display().to_string()) == golden.as_ref()
            };
            Some(fixtures.iter().filter(|fixture| !is_right(fixture)).cloned().collect::<Vec<_>>())
        });
        let silent = silent.concat();
        if silent.is_empty() || silent.len() == left.len() {
            return silent;
        }
        left = silent;
    }
    left
}

/// A program with a module for each fixture.
fn modules(fixtures: &[PathBuf]) -> String {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut text = String::new();
    for fixture in fixtures {
        let module = fixture.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        let path = package.join(fixture).display().to_string();
        let _ = writeln!(text, "#[path = {path:?}]\nmod {module};");
    }
    text + "fn main() {}\n"
}
