//! The figures of a package, of a room in it, and of the house.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::face;
use crate::imports::{Graph, Path, length};
use crate::source::{Source, Token};

/// The figures in the order of the table, each as it reads behind a number.
pub(crate) const FIGURES: [&str; 7] = [
    "product lines",
    "circles of `use`",
    "files in circles of `use`",
    "files in the longest chain of `use`",
    "public types",
    "comment lines over 105 characters",
    "uses of `what`, `those` and `that of` per thousand comment lines",
];

/// The subject that is all packages together: sums, the longest chain, and the pronouns of all comments.
pub(crate) const HOUSE: &str = "the house";

const LONGEST_COMMENT: usize = 105;

/// The sources of packages: the text of each file of Rust under `src` by its path from the root.
#[derive(Default, Clone)]
pub(crate) struct Tree {
    pub(crate) packages: Vec<String>,
    pub(crate) files: BTreeMap<String, String>,
}

/// A subject, its figures, and where each is worst.
pub(crate) struct Subject {
    pub(crate) name: String,
    pub(crate) figures: [usize; 7],
    pub(crate) worst: [String; 7],
}

struct File<'a> {
    path: &'a str,
    module: Path<'a>,
    /// A program beside a library is not one of its modules.
    in_crate: bool,
    tokens: Vec<Token<'a>>,
    lines: usize,
    types: usize,
    comments: usize,
    pronouns: usize,
    long: Vec<usize>,
}

/// Measures all packages, the rooms that are asked for, and the house.
pub(crate) fn measure(tree: &Tree, rooms: &[&str]) -> Vec<Subject> {
    let mut subjects = Vec::new();
    let packages: Vec<_> = tree.packages.iter().map(|package| (package, files(tree, package))).collect();
    let mut graphs = Vec::new();
    for (package, files) in &packages {
        let modules: Vec<_> = files.iter().filter(|file| file.in_crate).map(File::module).collect();
        let graph = Graph::new(&modules);
        subjects.push(subject(package, files.iter(), std::slice::from_ref(&graph)));
        for name in rooms {
            let Some(room) = name.strip_prefix(&format!("{package}/src/")) else { continue };
            let room: Path<'_> = room.split('/').collect();
            let inside = || files.iter().filter(|file| file.module.starts_with(&room));
            if inside().next().is_some() {
                subjects.push(subject(name, inside(), &[graph.room(&room)]));
            }
        }
        graphs.push(graph);
    }
    subjects.push(subject(HOUSE, packages.iter().flat_map(|(_, files)| files), &graphs));
    subjects
}

/// The files of a package, without tests, with the number of public types in each.
fn files<'a>(tree: &'a Tree, package: &str) -> Vec<File<'a>> {
    let folder = format!("{package}/src/");
    let within = || tree.files.iter().filter(|(path, _)| path.starts_with(&folder));
    let library = tree.files.contains_key(&format!("{folder}lib.rs"));
    let mut tests = BTreeSet::new();
    let mut files = Vec::new();
    for (path, text) in within() {
        let mut module: Path<'a> = path[folder.len()..].trim_end_matches(".rs").split('/').collect();
        let program = module == ["main"];
        if program || module == ["lib"] || module.last() == Some(&"mod") {
            module.pop();
        }
        let source = Source::read(text);
        tests.extend(source.tests.iter().map(|name| [module.as_slice(), &[*name]].concat()));
        files.push(File {
            path,
            module,
            in_crate: !(program && library),
            lines: source.lines,
            types: 0,
            comments: source.comments.len(),
            pronouns: source.comments.iter().map(|(_, line)| pronouns(line)).sum(),
            long: source
                .comments
                .iter()
                .filter(|(_, line)| line.chars().count() > LONGEST_COMMENT)
                .map(|(number, _)| *number)
                .collect(),
            tokens: source.tokens,
        });
    }
    files.retain(|file| !(0..=file.module.len()).any(|length| tests.contains(&file.module[..length])));
    files.sort_by(|one, other| one.module.cmp(&other.module));
    let face = if library {
        let modules: Vec<_> = files.iter().filter(|file| file.in_crate).map(File::module).collect();
        face::types(&modules)
    } else {
        BTreeSet::new()
    };
    for (number, file) in files.iter_mut().filter(|file| file.in_crate).enumerate() {
        file.types = face.iter().filter(|(at, _)| *at == number).count();
    }
    files
}

impl<'a> File<'a> {
    fn module(&self) -> (&Path<'a>, &[Token<'a>]) {
        (&self.module, &self.tokens)
    }
}

fn subject<'f, 'a: 'f>(
    name: &str,
    files: impl Iterator<Item = &'f File<'a>>,
    graphs: &[Graph<'_>],
) -> Subject {
    let files: Vec<_> = files.collect();
    let sum = |figure: fn(&File<'_>) -> usize| files.iter().map(|file| figure(file)).sum::<usize>();
    let circles: Vec<_> = graphs
        .iter()
        .flat_map(|graph| graph.circles().into_iter().map(move |circle| (graph, circle)))
        .collect();
    let (chain, chain_in_words) = graphs
        .iter()
        .map(|graph| (graph, graph.chain()))
        .max_by_key(|(_, chain)| length(chain))
        .map_or_else(Default::default, |(graph, chain)| (length(&chain), graph.chain_in_words(&chain)));
    let circles_in_words = circles.iter().map(|(graph, circle)| graph.circle_in_words(circle));
    let circles_in_words =
        ["these:".to_owned()].into_iter().chain(circles_in_words).collect::<Vec<_>>().join("\n        ");
    Subject {
        name: name.to_owned(),
        figures: [
            sum(|file| file.lines),
            circles.len(),
            circles.iter().map(|(_, circle)| circle.len()).sum(),
            chain,
            sum(|file| file.types),
            sum(|file| file.long.len()),
            1000 * sum(|file| file.pronouns) / sum(|file| file.comments).max(1),
        ],
        worst: [
            worst(&files, |file| file.lines),
            circles_in_words.clone(),
            circles_in_words,
            chain_in_words,
            worst(&files, |file| file.types),
            worst(&files, |file| file.long.len()),
            worst(&files, |file| file.pronouns),
        ],
    }
}

/// The two files in which a figure is largest.
fn worst(files: &[&File<'_>], figure: fn(&File<'_>) -> usize) -> String {
    let mut files: Vec<_> = files.iter().map(|file| (figure(file), file.path)).collect();
    files.sort_by_key(|(figure, path)| (Reverse(*figure), *path));
    let worst = files.iter().take(2).map(|(figure, path)| format!("{path} ({figure})"));
    format!("most in {}", worst.collect::<Vec<_>>().join(", "))
}

/// Words that stand for a noun.
fn pronouns(line: &str) -> usize {
    let line = line.to_lowercase();
    let part_of_word = |sign: char| sign.is_alphanumeric() || sign == '_';
    let uses = |pronoun: &str| {
        line.match_indices(pronoun)
            .filter(|(at, _)| {
                !line[..*at].ends_with(part_of_word) && !line[at + pronoun.len()..].starts_with(part_of_word)
            })
            .count()
    };
    ["what", "those", "that of"].into_iter().map(uses).sum()
}
