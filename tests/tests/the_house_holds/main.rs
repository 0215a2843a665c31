//! No package grows in lines, circles, storeys, public types, long comments or words that hide a noun.
//!
//! The gate compares the figures of every package of the workspace with the table in `limits.rs`.
//! `imports.rs` defines circles and chains, `face.rs` public types, `figures.rs` the other figures.
//! Packages in a folder `tests`, modules under `#[cfg(test)]` and files outside of `src` are no product.

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::io::{Write as _, stderr};
use std::path::Path;

use crate::figures::{FIGURES, Subject, Tree, measure};
use crate::limits::{LIMITS, Limit};

mod face;
mod figures;
mod imports;
mod limits;
mod made_up;
mod source;

#[test]
fn the_house_holds() -> Result<(), Box<dyn Error>> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let tree = read(here.parent().ok_or("the tests stand in no workspace")?)?;
    let subjects = measure(&tree, &rooms(LIMITS));
    let (passed, slack) = if std::env::var("HOUSE").is_ok_and(|wish| wish == "tighten") {
        let limits = tightened(LIMITS, &subjects);
        let file = here.join("tests/the_house_holds/limits.rs");
        fs::write(&file, written(&fs::read_to_string(&file)?, &limits)?)?;
        judge(&limits, &subjects)
    } else {
        judge(LIMITS, &subjects)
    };
    // A macro's output would stay with the test harness, which shows it only if the test fails.
    stderr().write_all(slack.as_bytes())?;
    assert!(passed.is_empty(), "{passed}");
    Ok(())
}

/// The compiler reads the source that rustc reads.
const SOURCES: &str = "model-macros/compiler/src/documented.rs";

/// Pipes and devices are refused by the function that opens inputs: nothing else goes around it.
#[test]
fn inputs_are_opened_in_one_place() -> Result<(), Box<dyn Error>> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let tree = read(here.parent().ok_or("the tests stand in no workspace")?)?;
    let (mut inside, mut around) = (0, Vec::new());
    for (path, text) in &tree.files {
        let ways = ["File::open(", "fs::read(", "fs::read_to_string(", "from_path("];
        // Of whole names alone: `ParquetFile::open` is another function.
        let is_whole = |at: usize| !text[..at].ends_with(char::is_alphanumeric);
        let found =
            ways.iter().flat_map(|way| text.match_indices(way)).filter(|(at, _)| is_whole(*at)).count();
        if path.starts_with("integrator-core/core/src/files/") {
            inside += found;
        } else if found > 0 && path != SOURCES {
            around.push(path);
        }
    }
    assert!(
        inside > 0 && around.is_empty(),
        "{around:?} open files by themselves: take `least_action::files`"
    );
    Ok(())
}

/// All product sources of the workspace.
fn read(root: &Path) -> Result<Tree, Box<dyn Error>> {
    let manifest = fs::read_to_string(root.join("Cargo.toml"))?;
    let (_, members) = manifest.split_once("\nmembers = [").ok_or("the workspace names no members")?;
    let (members, _) = members.split_once(']').ok_or("the list of members has no end")?;
    let mut tree = Tree::default();
    for package in members.split('"').skip(1).step_by(2) {
        if !package.split('/').any(|folder| folder == "tests") {
            tree.packages.push(package.to_owned());
            read_folder(root, &format!("{package}/src"), &mut tree)?;
        }
    }
    Ok(tree)
}

fn read_folder(root: &Path, folder: &str, tree: &mut Tree) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(root.join(folder)).map_err(|error| format!("{folder}: {error}"))? {
        let entry = entry?;
        let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            read_folder(root, &path, tree)?;
        } else if entry.path().extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(entry.path())?;
            tree.files.insert(path, text);
        }
    }
    Ok(())
}

/// The subjects of a table that are no packages.
fn rooms<'a>(limits: &[Limit<'a>]) -> Vec<&'a str> {
    limits.iter().map(|Limit(name, ..)| *name).filter(|name| name.contains("/src/")).collect()
}

/// Which figures have passed their limits, and which limits can be lowered.
fn judge(limits: &[Limit<'_>], subjects: &[Subject]) -> (String, String) {
    let (mut passed, mut slack) = (String::new(), String::new());
    for subject in subjects {
        let name = &subject.name;
        let Some(Limit(_, row, _)) = limits.iter().find(|Limit(of, ..)| of == name) else {
            let _ = writeln!(passed, "{name} has no row in limits.rs; HOUSE=tighten adds it");
            continue;
        };
        for (number, unit) in FIGURES.iter().enumerate() {
            let (figure, limit, worst) = (subject.figures[number], row[number], &subject.worst[number]);
            if figure > limit {
                let worst = if passed.contains(worst.as_str()) { "as above" } else { worst };
                let _ = writeln!(passed, "{name}: {unit}: {figure}, limit {limit}; {worst}");
            } else if figure < limit {
                let _ = writeln!(slack, "{name}: {unit}: {figure}, limit {limit}; HOUSE=tighten lowers it");
            }
        }
    }
    for Limit(name, ..) in
        limits.iter().filter(|limit| !subjects.iter().any(|subject| subject.name == limit.0))
    {
        let _ = writeln!(slack, "{name} is gone; HOUSE=tighten takes out its row");
    }
    (passed, slack)
}

/// The table with every limit at its figure, but for figures that have passed theirs.
fn tightened<'a>(limits: &[Limit<'a>], subjects: &'a [Subject]) -> Vec<Limit<'a>> {
    let row = |Subject { name, figures, .. }: &'a Subject| {
        let Some(Limit(_, row, why)) = limits.iter().find(|Limit(of, ..)| of == name) else {
            return Limit(name, *figures, "");
        };
        Limit(name, std::array::from_fn(|at| row[at].min(figures[at])), why)
    };
    subjects.iter().map(row).collect()
}

/// The text of the table's file with other limits.
fn written(text: &str, limits: &[Limit<'_>]) -> Result<String, Box<dyn Error>> {
    let (head, _) = text.split_once("&[\n").ok_or("the table has no start")?;
    let mut text = format!("{head}&[\n");
    for Limit(name, row, why) in limits {
        writeln!(text, "    Limit({name:?}, {row:?}, {why:?}),")?;
    }
    Ok(text + "];\n")
}
