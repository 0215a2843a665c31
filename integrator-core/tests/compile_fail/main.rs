//! Every mistake of a declaration with the exact message, and every method on every kind of model.
//!
//! One fixture states one rule, and is called by it; beside it stands the message of rustc, word for
//! word. The messages belong to the toolchain that `rust-toolchain.toml` pins;
//! `MESSAGES=overwrite cargo test -p least-action --test compile_fail` writes them anew.
//!
//! The fixtures are compiled against the library that this test run has built already, by rustc alone:
//! cargo (and so `trybuild`) would check all dependencies once more for them, which takes longer than
//! all fixtures.
//! A call of rustc takes many fixtures ([`together`]), so that a few calls judge all.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test may end at what is not there")]

mod engines;
mod message;
mod rustc;
mod together;

use rustc::Rustc;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

#[test]
fn every_mistake_has_its_message() {
    let fixtures = [files("rs", "tests/ui/fail"), files("rs", "tests/ui/fail/engine")].concat();
    let rustc = Rustc::with_the_library_of_this_test();
    let left = together::without_their_messages(&rustc, &fixtures);
    let wrong: Vec<String> = on_all_processors(&left, |fixture| check(&rustc, fixture));
    assert!(
        wrong.is_empty(),
        "{}\n{} of {} fixtures; see MESSAGES=overwrite",
        wrong.join("\n"),
        wrong.len(),
        fixtures.len()
    );
}

#[test]
fn every_message_has_its_mistake() {
    for golden in [files("stderr", "tests/ui/fail"), files("stderr", "tests/ui/fail/engine")].concat() {
        assert!(golden.with_extension("rs").exists(), "{} belongs to no fixture", golden.display());
    }
}

#[test]
fn every_method_fits_the_kinds_of_models_that_it_is_said_to_fit() {
    let rustc = Rustc::with_the_library_of_this_test();
    let judge = |(number, kinds): &(usize, &[(String, String)])| {
        let (program, firsts) = engines::program(kinds);
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("kinds_{number}.rs"));
        fs::write(&path, program).expect("the program can be written");
        let errors = rustc.errors(&path);
        let verdicts = firsts.iter().map(|first| engines::verdicts(&errors, *first, &firsts));
        Some(kinds.iter().map(|(name, _)| name.clone()).zip(verdicts).collect::<Vec<_>>())
    };
    let kinds = engines::kinds();
    let programs: Vec<_> = kinds.chunks(8).enumerate().collect();
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    for (kind, verdict) in on_all_processors(&programs, judge).into_iter().flatten() {
        match groups.iter_mut().find(|(known, _)| *known == verdict) {
            Some((_, kinds)) => kinds.push(kind),
            None => groups.push((verdict, vec![kind])),
        }
    }
    let mut found = String::new();
    for (verdict, kinds) in groups {
        kinds.iter().for_each(|kind| found += &format!("# {kind}\n"));
        found += &format!("\n{verdict}\n");
    }
    if let Some(wrong) = differs(&found, Path::new("tests/ui/engines.txt")) {
        panic!("{wrong}");
    }
}

/// Every type that makes claims is one of the methods of the table.
#[test]
fn no_method_is_missing_from_the_table_of_engines() {
    fn sources(directory: &Path) -> Vec<String> {
        let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
        entries
            .flat_map(
                |path| {
                    if path.is_dir() { sources(&path) } else { vec![fs::read_to_string(&path).unwrap()] }
                },
            )
            .collect()
    }
    let table: String = engines::METHODS.iter().flat_map(|(name, fits)| [*name, " ", fits, " "]).collect();
    for line in sources(Path::new("core/src/method")).iter().flat_map(|text| text.lines()) {
        let Some((_, name)) = line.split_once("Claims for ") else { continue };
        let name = name.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        // A macro names the variational integrators itself.
        assert!(table.contains(name), "{name} is in no row");
    }
}

/// The files of a directory with this extension, in the order of their names.
fn files(extension: &str, directory: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|found| found == extension)).collect();
    files.sort();
    assert!(!files.is_empty(), "{directory} has fixtures");
    files
}

/// Compiles a fixture alone, and returns the fault of its message, if it has one.
fn check(rustc: &Rustc, fixture: &Path) -> Option<String> {
    let printed = match rustc.refuses(fixture) {
        Ok(printed) => message::of_the_fixture(&printed),
        Err(accepted) => return Some(format!("{}: {accepted}", fixture.display())),
    };
    differs(&printed, &fixture.with_extension("stderr"))
}

/// Says where a text differs from the file in which it is kept, or writes it there when told to.
fn differs(printed: &str, golden: &Path) -> Option<String> {
    let known = fs::read_to_string(golden).unwrap_or_default();
    if printed == known {
        return None;
    }
    if std::env::var("MESSAGES").is_ok_and(|value| value == "overwrite") {
        fs::write(golden, printed).expect("the message can be written");
        return None;
    }
    let lines = known.lines().zip(printed.lines());
    let same = lines.take_while(|(known, printed)| known == printed).count();
    Some(format!("{}: line {} is another\n{printed}", golden.display(), same + 1))
}

/// The results of `work`, in the order of the items.
fn on_all_processors<Item: Sync, Found: Send>(
    items: &[Item],
    work: impl Fn(&Item) -> Option<Found> + Sync,
) -> Vec<Found> {
    let next = AtomicUsize::new(0);
    let take = || {
        let taken = std::iter::from_fn(|| {
            let index = next.fetch_add(1, Ordering::Relaxed);
            items.get(index).map(|item| (index, item))
        });
        taken.filter_map(|(index, item)| work(item).map(|found| (index, found))).collect::<Vec<_>>()
    };
    let mut found = thread::scope(|scope| {
        let processors = thread::available_parallelism().map_or(1, usize::from);
        let workers: Vec<_> = (0..processors).map(|_| scope.spawn(take)).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect::<Vec<_>>()
    });
    found.sort_by_key(|(index, _)| *index);
    found.into_iter().map(|(_, found)| found).collect()
}
