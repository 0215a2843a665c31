//! The figures of a package, of a room in it, and of the house.

use std::collections::{BTreeMap, BTreeSet};

use crate::graph::Graph;
use crate::source::{Path, Source};

/// The figures in the order of the table, each as it reads behind a number.
pub(crate) const FIGURES: [&str; 12] = [
    "product lines",
    "circles of `use`",
    "files in circles of `use`",
    "circles of `use` and of paths in the code",
    "files in circles of `use` and of paths in the code",
    "circles of calls on `self` over the files of a type",
    "files in circles of calls on `self`",
    "files in the longest chain of `use`",
    "rooms in the longest chain of `use`",
    "fields of the widest struct",
    "public types",
    "comment lines over 105 characters",
];

/// The subject that is all packages together: sums, the longest chain and the widest struct.
pub(crate) const HOUSE: &str = "the house";

/// A row of this name has the fields of one struct, which its package leaves out.
pub(crate) const STRUCT: &str = ": struct ";

const LONGEST_COMMENT: usize = 105;

/// A file of a package.
pub(crate) struct File {
    pub(crate) path: String,
    module: Path,
    /// A program beside a library is not one of its modules.
    in_crate: bool,
    lines: usize,
    long: usize,
    source: Source,
}

/// A subject, its figures, and where each is worst.
pub(crate) struct Subject {
    pub(crate) name: String,
    pub(crate) figures: [usize; 12],
    pub(crate) worst: [String; 12],
}

/// The files of a package from the texts of all files by their paths, of which its own begin with its name.
pub(crate) fn files(texts: &BTreeMap<String, String>, package: &str) -> Result<Vec<File>, String> {
    let folder = format!("{package}/src/");
    let is_library = texts.contains_key(&format!("{folder}lib.rs"));
    let mut files = Vec::new();
    for (path, text) in texts.iter().filter(|(path, _)| path.starts_with(&folder)) {
        let mut module: Path =
            path[folder.len()..].trim_end_matches(".rs").split('/').map(str::to_owned).collect();
        let is_program = module == ["main"];
        if is_program || module == ["lib"] || module.last().is_some_and(|name| name == "mod") {
            module.pop();
        }
        let is_long =
            |line: &&str| line.trim_start().starts_with("//") && line.chars().count() > LONGEST_COMMENT;
        files.push(File {
            path: path.clone(),
            module,
            in_crate: !(is_program && is_library),
            lines: text.lines().count(),
            long: text.lines().filter(is_long).count(),
            source: Source::read(text).map_err(|error| format!("{path}: {error}"))?,
        });
    }
    Ok(files)
}

/// Measures packages, the rooms and structs that are asked for, and the house.
pub(crate) fn measure(packages: &[(String, Vec<File>)], asked: &[&str]) -> Vec<Subject> {
    let mut subjects = Vec::new();
    for (package, files) in packages {
        let all: Vec<&File> = files.iter().collect();
        subjects.push(subject(package, &all, &[], asked));
        for name in asked {
            if let Some(room) = name.strip_prefix(&format!("{package}/src/")) {
                let room: Path = room.split('/').map(str::to_owned).collect();
                let inside: Vec<&File> =
                    files.iter().filter(|file| file.in_crate && file.module.starts_with(&room)).collect();
                subjects.extend((!inside.is_empty()).then(|| subject(name, &inside, &room, asked)));
            } else if let Some(wide) = name.strip_prefix(&format!("{package}{STRUCT}")) {
                let mut row =
                    Subject { name: (*name).to_owned(), figures: [0; 12], worst: Default::default() };
                let fields =
                    files.iter().flat_map(|file| &file.source.structs).filter(|(name, _)| name == wide);
                row.figures[9] = fields.map(|(_, fields)| *fields).max().unwrap_or(0);
                subjects.extend((row.figures[9] > 0).then_some(row));
            }
        }
    }
    let mut house = Subject { name: HOUSE.to_owned(), figures: [0; 12], worst: Default::default() };
    for subject in subjects.iter().filter(|subject| packages.iter().any(|(name, _)| *name == subject.name)) {
        for (at, (whole, figure)) in house.figures.iter_mut().zip(subject.figures).enumerate() {
            let sum = if (7..10).contains(&at) { (*whole).max(figure) } else { *whole + figure };
            if sum > *whole {
                (*whole, house.worst[at]) = (sum, "see its packages".to_owned());
            }
        }
    }
    subjects.push(house);
    subjects
}

fn subject(name: &str, files: &[&File], room: &[String], asked: &[&str]) -> Subject {
    let by_use = imports(files, |source| &source.uses);
    let mut with_paths = imports(files, |source| &source.inline);
    for (from, to) in by_use.0.iter().flat_map(|(from, all)| all.iter().map(move |to| (from, to))) {
        with_paths.edge(from, to);
    }
    let mut rooms = Graph::default();
    let group = |module: &str| module.split("::").nth(room.len()).unwrap_or("mod").to_owned();
    for (from, all) in &by_use.0 {
        all.iter().for_each(|to| rooms.edge(&group(from), &group(to)));
    }
    let mut on_self = Vec::new();
    for graph in calls(files).values() {
        on_self.extend(graph.circles());
    }
    let has_row = |of: &str| asked.iter().any(|name| name.ends_with(&format!("{STRUCT}{of}")));
    let structs = files.iter().flat_map(|file| &file.source.structs).filter(|(of, _)| !has_row(of));
    let widest = structs.max_by_key(|(_, fields)| *fields);
    let (chain, storeys) = (by_use.chain(), rooms.chain());
    let mut figures = [0; 12];
    let mut worst: [String; 12] = Default::default();
    for (at, circles) in [(1, by_use.circles()), (3, with_paths.circles()), (5, on_self)] {
        (figures[at], figures[at + 1]) = (circles.len(), circles.iter().map(Vec::len).sum());
        let words = circles.iter().map(|circle| circle.join(", ")).collect::<Vec<_>>().join("; ");
        (worst[at], worst[at + 1]) = (words.clone(), words);
    }
    (figures[7], worst[7]) = (chain.len(), chain.join(" > "));
    (figures[8], worst[8]) = (storeys.len(), storeys.join(" > "));
    (figures[9], worst[9]) = widest.map_or_else(Default::default, |(name, fields)| (*fields, name.clone()));
    let sums: [fn(&File) -> usize; 3] = [|file| file.lines, |file| file.source.types, |file| file.long];
    for (at, of) in [0, 10, 11].into_iter().zip(sums) {
        figures[at] = files.iter().map(|file| of(file)).sum();
        let most = files.iter().max_by_key(|file| of(file));
        worst[at] = most.map_or_else(String::new, |file| format!("most in {} ({})", file.path, of(file)));
    }
    Subject { name: name.to_owned(), figures, worst }
}

/// The graph of the files of a crate: an edge leads to the longest prefix of a path that is another file.
fn imports(files: &[&File], paths: impl Fn(&Source) -> &Vec<Path>) -> Graph {
    let modules: BTreeSet<&Path> =
        files.iter().filter(|file| file.in_crate).map(|file| &file.module).collect();
    let mut graph = Graph::default();
    let name = |module: &[String]| if module.is_empty() { "lib".to_owned() } else { module.join("::") };
    for file in files.iter().filter(|file| file.in_crate) {
        graph.node(&name(&file.module));
        for path in paths(&file.source) {
            let mut absolute = match path.first().map_or("", |first| first) {
                "crate" => Path::new(),
                "self" | "super" => file.module.clone(),
                _ => continue,
            };
            for part in path {
                match part.as_str() {
                    "crate" | "self" => {}
                    "super" => drop(absolute.pop()),
                    _ => absolute.push(part.clone()),
                }
            }
            while !modules.contains(&absolute) && absolute.pop().is_some() {}
            if modules.contains(&absolute) {
                graph.edge(&name(&file.module), &name(&absolute));
            }
        }
    }
    graph
}

/// For each type, the graph of the files that its `impl` blocks call on `self`.
fn calls(files: &[&File]) -> BTreeMap<String, Graph> {
    let functions = || files.iter().flat_map(|file| file.source.functions.iter().map(move |all| (file, all)));
    let mut homes: BTreeMap<(&str, &str), BTreeSet<&str>> = BTreeMap::new();
    for (file, (of, name, _)) in functions() {
        homes.entry((of, name)).or_default().insert(&file.path);
    }
    let mut graphs: BTreeMap<String, Graph> = BTreeMap::new();
    for (file, (of, _, calls)) in functions() {
        for home in calls.iter().filter_map(|call| homes.get(&(of.as_str(), call.as_str()))) {
            // Types of one name in several files have their functions at home.
            if let (false, Some(to)) = (home.contains(file.path.as_str()), home.first()) {
                graphs.entry(of.clone()).or_default().edge(&file.path, to);
            }
        }
    }
    graphs
}
