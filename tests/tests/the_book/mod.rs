//! `docs/` is a book: its links lead somewhere, its summary has every page, and a command makes each of its
//! pictures.
//!
//! README and the guides beside it obey the rules for links, too.

#![expect(clippy::expect_used, reason = "a test file, where a failure is a panic")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Component, Path, PathBuf};

/// The most lines of a page.
const LINES: usize = 300;
/// The most characters of a line of prose.
const LINE: usize = 200;
/// Pages with limits of their own.
const SHORT: [(&str, usize); 5] = [
    ("README.md", 150),
    ("CHANGELOG.md", 100),
    ("CONTRIBUTING.md", 80),
    ("docs/architecture.md", 120),
    ("docs/SUMMARY.md", 120),
];
/// The pages that a test writes from comments of the ready models.
const GALLERY: &str = "docs/gallery";
/// The most words of the glossary.
const WORDS: usize = 25;
/// The endings of pictures.
const PICTURES: [&str; 4] = ["png", "svg", "jpg", "webp"];

/// A document: its place from the root of the repository, and its text.
struct Page {
    place: PathBuf,
    text: String,
}

impl Page {
    fn read(root: &Path, place: PathBuf) -> Self {
        let text = std::fs::read_to_string(root.join(&place)).expect("a page");
        Self { place, text }
    }

    fn name(&self) -> String {
        self.place.to_string_lossy().replace('\\', "/")
    }

    /// The lines outside of fenced code, with their numbers from one.
    fn prose(&self) -> Vec<(usize, &str)> {
        let mut fence = None;
        let mut prose = Vec::new();
        for (number, line) in self.text.lines().enumerate() {
            let start = line.trim_start();
            let ticks = start.chars().take_while(|sign| *sign == '`').count();
            match fence {
                None if ticks >= 3 => fence = Some(ticks),
                None => prose.push((number + 1, line)),
                Some(opened) if ticks >= opened && start.trim_end().len() == ticks => fence = None,
                Some(_) => {}
            }
        }
        prose
    }

    /// The fenced code.
    fn code(&self) -> String {
        let prose: BTreeSet<usize> = self.prose().into_iter().map(|(number, _)| number).collect();
        let lines = self.text.lines().enumerate().filter(|(number, _)| !prose.contains(&(number + 1)));
        lines.map(|(_, line)| line).collect::<Vec<_>>().join("\n")
    }

    /// The anchors of the headings.
    fn anchors(&self) -> BTreeSet<String> {
        let mut anchors = BTreeSet::new();
        let mut seen = BTreeMap::<String, usize>::new();
        for (_, line) in self.prose() {
            let Some(heading) = line.strip_prefix('#') else { continue };
            let anchor = slug(heading.trim_start_matches('#').trim());
            let count = seen.entry(anchor.clone()).or_default();
            anchors.insert(if *count == 0 { anchor } else { format!("{anchor}-{count}") });
            *count += 1;
        }
        anchors
    }

    /// The links: their line, their target, and whether they show a picture.
    fn links(&self) -> Vec<(usize, String, bool)> {
        let mut links = Vec::new();
        for (number, line) in self.prose() {
            let plain = without_code(line);
            let mut rest = plain.as_str();
            while let Some(middle) = rest.find("](") {
                let target = rest[middle + 2..].split([')', ' ']).next().unwrap_or_default();
                let picture = rest[..middle].rfind('[').is_some_and(|open| rest[..open].ends_with('!'));
                links.push((number, target.to_owned(), picture));
                rest = &rest[middle + 2..];
            }
        }
        links
    }
}

/// The anchor of a heading, as mdBook and the usual hosts make it.
pub(crate) fn slug(heading: &str) -> String {
    let kept = heading.to_lowercase();
    kept.chars()
        .filter(|sign| sign.is_alphanumeric() || " -_".contains(*sign))
        .map(|sign| if sign == ' ' { '-' } else { sign })
        .collect()
}

/// A line whose code spans are blank.
fn without_code(line: &str) -> String {
    line.split('`')
        .enumerate()
        .map(|(part, text)| if part % 2 == 0 { text.to_owned() } else { "_".repeat(text.len()) })
        .collect::<Vec<_>>()
        .join("`")
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests stand in a workspace").to_owned()
}

/// The files below a folder, from the root.
fn files(root: &Path, folder: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::from(folder)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(root.join(&folder)).expect("a folder") {
            let entry = entry.expect("an entry");
            let place = folder.join(entry.file_name());
            if entry.path().is_dir() {
                folders.push(place);
            } else {
                found.push(place);
            }
        }
    }
    found.sort();
    found
}

fn has_ending(place: &Path, endings: &[&str]) -> bool {
    place.extension().and_then(|ending| ending.to_str()).is_some_and(|ending| endings.contains(&ending))
}

/// The pages of the book.
fn book(root: &Path) -> Vec<Page> {
    let pages = files(root, "docs").into_iter().filter(|place| has_ending(place, &["md"]));
    pages.map(|place| Page::read(root, place)).collect()
}

/// The book and the documents at the root.
fn documents(root: &Path) -> Vec<Page> {
    let beside = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md"].map(|name| Page::read(root, name.into()));
    book(root).into_iter().chain(beside).collect()
}

/// A path without `.` and `..`.
fn resolved(place: &Path) -> PathBuf {
    let mut path = PathBuf::new();
    for part in place.components() {
        match part {
            Component::ParentDir => {
                path.pop();
            }
            Component::CurDir => {}
            other => path.push(other),
        }
    }
    path
}

/// Fails with the list, if it is not empty.
fn none(wrong: &str) {
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn every_link_leads_somewhere() {
    let root = root();
    let pages = documents(&root);
    let anchors: BTreeMap<PathBuf, BTreeSet<String>> =
        pages.iter().map(|page| (page.place.clone(), page.anchors())).collect();
    let mut wrong = String::new();
    let mut checked = 0;
    for page in &pages {
        for (number, target, _) in page.links() {
            if target.contains("://") {
                continue;
            }
            checked += 1;
            let (file, anchor) = target.split_once('#').unwrap_or((&target, ""));
            let folder = page.place.parent().unwrap_or(Path::new(""));
            let place = if file.is_empty() { page.place.clone() } else { resolved(&folder.join(file)) };
            let leaves = page.place.starts_with("docs") && !place.starts_with("docs");
            let known = anchors.get(&place).is_some_and(|anchors| anchors.contains(anchor));
            let reason = match () {
                () if leaves => "leaves the book",
                () if !root.join(&place).exists() => "leads to no file",
                () if !anchor.is_empty() && !known => "leads to no heading",
                () => continue,
            };
            writeln!(wrong, "{}:{number}: `{target}` {reason}", page.name()).expect("a line");
        }
    }
    assert!(checked > 100, "only {checked} links were found");
    none(&wrong);
}

#[test]
fn the_story_of_the_readme_opens_the_book() {
    let root = root();
    let readme = Page::read(&root, "README.md".into()).text.replace("](docs/", "](");
    let first = Page::read(&root, "docs/introduction.md".into()).text;
    let (story, _) = readme.split_once("## Install").expect("the section behind the story");
    assert!(first.starts_with(story), "docs/introduction.md does not begin with README's first part");
}

#[test]
fn the_summary_has_every_page_once() {
    let root = root();
    let summary = Page::read(&root, "docs/SUMMARY.md".into());
    let listed: Vec<PathBuf> =
        summary.links().into_iter().map(|(_, target, _)| Path::new("docs").join(target)).collect();
    let once: BTreeSet<PathBuf> = listed.iter().cloned().collect();
    assert_eq!(listed.len(), once.len(), "each page is listed once");
    let pages: BTreeSet<PathBuf> = book(&root).into_iter().map(|page| page.place).collect();
    let mut wrong = String::new();
    for place in pages.symmetric_difference(&once).filter(|place| !place.ends_with("SUMMARY.md")) {
        let reason = if once.contains(place) { "is listed and missing" } else { "is not listed" };
        writeln!(wrong, "{} {reason}", place.display()).expect("a line");
    }
    none(&wrong);
}

#[test]
fn pages_and_lines_are_short() {
    let mut wrong = String::new();
    for page in documents(&root()) {
        let name = page.name();
        let limit = SHORT.iter().find(|(short, _)| *short == name).map_or(LINES, |(_, limit)| *limit);
        let lines = page.text.lines().count();
        if lines > limit {
            writeln!(wrong, "{name} has {lines} lines, more than {limit}").expect("a line");
        }
        for (number, line) in page.prose() {
            // Rows of tables and lists of links have no sentences.
            let row = line.trim_start().starts_with('|') || line.starts_with("- [");
            if row || page.place.starts_with(GALLERY) {
                continue;
            }
            if line.chars().count() > LINE {
                writeln!(wrong, "{name}:{number}: more than {LINE} characters").expect("a line");
            }
            if two_sentences(line) {
                writeln!(wrong, "{name}:{number}: two sentences in a line").expect("a line");
            }
        }
        if name == "docs/glossary.md" {
            let words = page.text.lines().filter(|line| line.starts_with("| ")).count() - 1;
            assert!(words <= WORDS, "the glossary has {words} words, more than {WORDS}");
        }
    }
    none(&wrong);
}

/// A sentence ends within the line, and another one begins with a word of more than one letter.
fn two_sentences(line: &str) -> bool {
    let plain = without_code(line);
    let ends = plain.match_indices(". ").chain(plain.match_indices("? "));
    ends.into_iter().any(|(end, _)| {
        let (before, behind) = (&plain[..end], &plain[end + 2..]);
        let word = before.rsplit([' ', '(']).next().unwrap_or_default();
        let abbreviated =
            word.chars().count() < 2 || word.contains('.') || word.chars().all(|sign| sign.is_ascii_digit());
        let mut letters = behind.chars();
        let begins = letters.next().is_some_and(char::is_uppercase)
            && letters.next().is_some_and(|second| second.is_lowercase() || second == ' ');
        begins && !abbreviated
    })
}

#[test]
fn a_command_beside_each_picture_makes_it() {
    let root = root();
    let mut wrong = String::new();
    let mut shown = BTreeSet::new();
    for page in documents(&root) {
        let code = page.code();
        for (number, target, picture) in page.links() {
            if !picture || target.contains("://") {
                continue;
            }
            let place = resolved(&page.place.parent().unwrap_or(Path::new("")).join(&target));
            let name = place.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
            if !code.contains(&name) {
                writeln!(wrong, "{}:{number}: no command names {name}", page.name()).expect("a line");
            }
            shown.insert(place);
        }
    }
    for place in files(&root, "docs").into_iter().filter(|place| has_ending(place, &PICTURES)) {
        if !shown.contains(&place) {
            writeln!(wrong, "{} stands on no page", place.display()).expect("a line");
        }
    }
    none(&wrong);
}
