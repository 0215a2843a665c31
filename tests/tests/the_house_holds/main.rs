//! No package grows in lines, circles, storeys, fields, public types or long comments.
//!
//! The gate compares the figures of every package of the workspace with the table in `limits.rs`.
//! A limit falls; it rises only if another row of its kind falls as much in the same commit.
//! Packages in a folder `tests` and files outside of `src` are no product.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::io::{Write as _, stderr};
use std::path::Path;
use std::process::Command;

use crate::figures::{FIGURES, HOUSE, STRUCT, Subject, files, measure};
use crate::limits::{LIMITS, Limit};

mod figures;
mod graph;
mod limits;
mod made_up;
mod source;

/// The product lines of the house, 14 453 above their bar of 136 299; tests have at most a part of them.
const MOST_LINES: usize = 152_201;
const MOST_TESTS: f64 = 0.55;
/// The fields of a struct without a row of its own.
const MOST_FIELDS: usize = 24;
const LONGEST_REASON: usize = 80;

const TABLE: &str = "tests/tests/the_house_holds/limits.rs";

/// Texts of files by their paths from the root.
type Texts = BTreeMap<String, String>;

#[test]
fn the_house_holds() -> Result<(), Box<dyn Error>> {
    let (root, texts) = house()?;
    let names = packages_of(root)?.into_iter();
    let packages = names.map(|package| Ok((package.clone(), files(&texts, &package)?)));
    let packages = packages.collect::<Result<Vec<_>, String>>()?;
    let asked: Vec<_> = LIMITS.iter().map(|Limit(name, ..)| *name).collect();
    let subjects = measure(&packages, &asked);
    let text = fs::read_to_string(root.join(TABLE))?;
    let (mut passed, slack) = if std::env::var("HOUSE").is_ok_and(|wish| wish == "tighten") {
        let limits = tightened(LIMITS, &subjects);
        fs::write(root.join(TABLE), written(&text, &limits)?)?;
        judge(&limits, &subjects)
    } else {
        judge(LIMITS, &subjects)
    };
    let product = subjects.last().map_or(0, |house| house.figures[0]);
    let tests = texts.iter().filter(|(path, _)| is_test(path));
    let tests = tests.map(|(_, text)| text.lines().count()).sum::<usize>();
    if tests as f64 > MOST_TESTS * product as f64 {
        writeln!(passed, "tests have {tests} lines, more than {MOST_TESTS} of the product's {product}")?;
    }
    let before = before(root, &text);
    passed += &before.as_ref().map_or_else(String::new, |before| risen(LIMITS, before));
    if before.is_none() {
        writeln!(stderr(), "rises are not checked: the commit before is missing, or has another table")?;
    }
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
    let (_, texts) = house()?;
    let (mut inside, mut around) = (0, Vec::new());
    for (path, text) in texts.iter().filter(|(path, _)| path.contains("/src/") && !is_test(path)) {
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

/// The root of the workspace, and its files of Rust.
fn house() -> Result<(&'static Path, Texts), Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("the tests stand in no workspace")?;
    let mut texts = Texts::new();
    read(root, root, &mut texts)?;
    Ok((root, texts))
}

/// The folders of the packages of the workspace that are product.
fn packages_of(root: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    let metadata = Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned()))
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(root)
        .output()?;
    let metadata: serde_json::Value = serde_json::from_slice(&metadata.stdout)?;
    let mut folders = Vec::new();
    for package in metadata["packages"].as_array().ok_or("cargo metadata names no packages")? {
        let manifest = Path::new(package["manifest_path"].as_str().ok_or("a package has no manifest")?);
        let folder = manifest.parent().and_then(|folder| folder.strip_prefix(root).ok());
        let folder = folder.and_then(Path::to_str).ok_or("a package is outside of the workspace")?;
        folders.extend((!is_test(folder)).then(|| folder.to_owned()));
    }
    folders.sort();
    Ok(folders)
}

/// All files of Rust by their paths, but for output of builds.
fn read(root: &Path, folder: &Path, texts: &mut Texts) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_string_lossy();
        if entry.file_type()?.is_dir() && name != "target" && !name.starts_with('.') {
            read(root, &path, texts)?;
        } else if name.ends_with(".rs") {
            let text = fs::read_to_string(&path)?;
            texts.insert(path.strip_prefix(root)?.to_string_lossy().into_owned(), text);
        }
    }
    Ok(())
}

/// If a file is in a folder of tests.
fn is_test(path: &str) -> bool {
    path.split('/').any(|folder| folder == "tests" || folder == "benches")
}

/// Which figures and limits are too large, and which limits can be lowered.
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
                let _ = writeln!(passed, "{name}: {unit}: {figure}, limit {limit}; {worst}");
            } else if figure < limit {
                let _ = writeln!(slack, "{name}: {unit}: {figure}, limit {limit}; HOUSE=tighten lowers it");
            }
        }
    }
    for Limit(name, row, why) in limits {
        if !subjects.iter().any(|subject| subject.name == *name) {
            let _ = writeln!(slack, "{name} is gone; HOUSE=tighten takes out its row");
        }
        if why.chars().count() > LONGEST_REASON {
            let _ = writeln!(passed, "{name}: the reason has more than {LONGEST_REASON} characters");
        }
        if *name == HOUSE && row[0] > MOST_LINES {
            let _ = writeln!(passed, "{name}: a limit of {} product lines; {MOST_LINES} is the most", row[0]);
        }
        if row[9] > MOST_FIELDS && !name.contains(STRUCT) {
            let _ = writeln!(passed, "{name}: a limit of {} fields; {MOST_FIELDS} is the most", row[9]);
        }
    }
    (passed, slack)
}

/// The text of the table in the commit before: the last one, or the one below where nothing has changed.
fn before(root: &Path, text: &str) -> Option<String> {
    let show = |commit: &str| {
        let show =
            Command::new("git").args(["show", &format!("{commit}:{TABLE}")]).current_dir(root).output();
        show.ok()
            .filter(|output| output.status.success())
            .and_then(|output| String::from_utf8(output.stdout).ok())
    };
    let before = show("HEAD").filter(|last| last != text).or_else(|| show("HEAD~"))?;
    let is_alike = rows(&before).next().is_some();
    is_alike.then_some(before)
}

/// The names and limits in the text of a table; none if it has other columns.
fn rows(table: &str) -> impl Iterator<Item = (&str, [usize; FIGURES.len()])> {
    table.lines().filter_map(|line| {
        let (name, rest) = line.trim().strip_prefix("Limit(\"")?.split_once("\", [")?;
        let numbers = rest.split_once(']')?.0.split(", ").map(|number| number.parse().ok());
        Some((name, numbers.collect::<Option<Vec<_>>>()?.try_into().ok()?))
    })
}

/// The rows are of four kinds: the house, structs, rooms and packages.
const ROOM: usize = 2;

fn kind(name: &str) -> usize {
    [name == HOUSE, name.contains(STRUCT), name.contains("/src/")].iter().position(|is| *is).unwrap_or(3)
}

/// Which limits have risen without a fall as large in a row of the same kind. A new room is free.
fn risen(limits: &[Limit<'_>], before: &str) -> String {
    let mut said = String::new();
    for (column, unit) in FIGURES.iter().enumerate() {
        for of in 0..4 {
            let old: BTreeMap<_, _> = rows(before).filter(|(name, _)| kind(name) == of).collect();
            let (mut rise, mut names) = (0, Vec::new());
            for Limit(name, row, _) in limits.iter().filter(|limit| kind(limit.0) == of) {
                let was = old.get(name).map(|row| row[column]);
                let was = was.unwrap_or(if of == ROOM { row[column] } else { 0 });
                rise += row[column] as i64 - was as i64;
                names.extend((row[column] > was).then_some(*name));
            }
            let gone =
                old.iter().filter(|(name, _)| of != ROOM && !limits.iter().any(|limit| limit.0 == **name));
            rise -= gone.map(|(_, row)| row[column] as i64).sum::<i64>();
            if rise > 0 && !names.is_empty() {
                let _ = writeln!(
                    said,
                    "{unit}: the limits of {} rose by {rise} more than others fell",
                    names.join(", ")
                );
            }
        }
    }
    said
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
