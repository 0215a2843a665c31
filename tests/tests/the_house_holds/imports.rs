//! The graph of `use` of a crate: its circles, and its longest chain.
//!
//! Nodes are modules that have a file.
//! An edge leads from A to B where a `use` of A names `crate::…`, `super::…` or `self::…`,
//! and the longest prefix of the path that is a module is B ≠ A.

use std::collections::{BTreeMap, BTreeSet};

use crate::source::Token;

/// The names from the root of a crate to a module.
pub(crate) type Path<'a> = Vec<&'a str>;

/// One name of an import: `None` where it stands for all.
pub(crate) struct Use<'a> {
    pub(crate) path: Path<'a>,
    pub(crate) name: Option<&'a str>,
}

/// The names of an import, from the token behind `use` on.
pub(crate) fn names<'a>(tokens: &[Token<'a>]) -> Vec<Use<'a>> {
    let mut names = Vec::new();
    expand(tokens, &mut 0, &[], &mut names);
    names
}

fn expand<'a>(tokens: &[Token<'a>], at: &mut usize, prefix: &[&'a str], names: &mut Vec<Use<'a>>) {
    let mut path = prefix.to_vec();
    let mut name = None;
    while let Some(token) = tokens.get(*at) {
        match token.text {
            ";" | "," | "}" => break,
            ":" => {}
            "{" => {
                while tokens.get(*at).is_some_and(|token| token.text != "}") {
                    *at += 1;
                    expand(tokens, at, &path, names);
                }
                *at += 1;
                return;
            }
            "as" => {
                *at += 1;
                name = tokens.get(*at).map(|token| token.text);
            }
            "*" => name = Some("*"),
            "self" if !path.is_empty() => name = path.last().copied(),
            word => {
                path.push(word);
                name = Some(word);
            }
        }
        *at += 1;
    }
    if let Some(name) = name {
        names.push(Use { path, name: (name != "*").then_some(name) });
    }
}

/// Modules of a crate, and which of them use which.
#[derive(Clone)]
pub(crate) struct Graph<'a> {
    modules: Vec<Path<'a>>,
    edges: Vec<BTreeSet<usize>>,
    /// Which modules are reached by one step or more.
    reached: Vec<BTreeSet<usize>>,
}

impl<'a> Graph<'a> {
    pub(crate) fn new(files: &[(&Path<'a>, &[Token<'a>])]) -> Self {
        let numbers: BTreeMap<&[&str], usize> =
            files.iter().enumerate().map(|(number, (module, _))| (module.as_slice(), number)).collect();
        let edges = files
            .iter()
            .enumerate()
            .map(|(number, (module, tokens))| {
                let uses = (0..tokens.len()).filter(|at| {
                    // Behind a type, `use<'a>` says which lifetimes it holds.
                    tokens[*at].text == "use" && tokens.get(at + 1).is_some_and(|next| next.text != "<")
                });
                uses.flat_map(|at| names(&tokens[at + 1..]))
                    .filter_map(|name| target(&numbers, module, &name.path))
                    .filter(|target| *target != number)
                    .collect()
            })
            .collect();
        Self::of(files.iter().map(|(module, _)| (*module).clone()).collect(), edges)
    }

    fn of(modules: Vec<Path<'a>>, edges: Vec<BTreeSet<usize>>) -> Self {
        let reached = (0..modules.len())
            .map(|start| {
                let mut reached = BTreeSet::new();
                let mut open: Vec<usize> = edges[start].iter().copied().collect();
                while let Some(next) = open.pop() {
                    if reached.insert(next) {
                        open.extend(&edges[next]);
                    }
                }
                reached
            })
            .collect();
        Self { modules, edges, reached }
    }

    /// The modules within one of them, and the edges between these.
    pub(crate) fn room(&self, room: &[&str]) -> Self {
        let inside: Vec<usize> =
            (0..self.modules.len()).filter(|number| self.modules[*number].starts_with(room)).collect();
        let edges = inside
            .iter()
            .map(|from| {
                (0..inside.len()).filter(|number| self.edges[*from].contains(&inside[*number])).collect()
            })
            .collect();
        Self::of(inside.iter().map(|number| self.modules[*number].clone()).collect(), edges)
    }

    /// The circle of a module, or the module alone.
    fn circle_of(&self, module: usize) -> BTreeSet<usize> {
        let back = self.reached[module].iter().filter(|other| self.reached[**other].contains(&module));
        back.copied().chain([module]).collect()
    }

    /// Sets of modules of which each reaches each other, the largest first.
    pub(crate) fn circles(&self) -> Vec<BTreeSet<usize>> {
        let all: BTreeSet<_> = (0..self.modules.len()).map(|module| self.circle_of(module)).collect();
        let mut circles: Vec<_> = all.into_iter().filter(|circle| circle.len() > 1).collect();
        circles.sort_by_key(|circle| std::cmp::Reverse(circle.len()));
        circles
    }

    /// The longest chain, a circle counted with all its files.
    pub(crate) fn chain(&self) -> Vec<BTreeSet<usize>> {
        let mut known = BTreeMap::new();
        (0..self.modules.len())
            .map(|module| self.chain_from(module, &mut known))
            .max_by_key(|chain| length(chain))
            .unwrap_or_default()
    }

    fn chain_from(
        &self,
        module: usize,
        known: &mut BTreeMap<usize, Vec<BTreeSet<usize>>>,
    ) -> Vec<BTreeSet<usize>> {
        if let Some(chain) = known.get(&module) {
            return chain.clone();
        }
        let circle = self.circle_of(module);
        let below = circle.iter().flat_map(|from| &self.edges[*from]).filter(|to| !circle.contains(to));
        let longest =
            below.map(|to| self.chain_from(*to, known)).max_by_key(|chain| length(chain)).unwrap_or_default();
        let chain: Vec<_> = [circle.clone()].into_iter().chain(longest).collect();
        known.extend(circle.into_iter().map(|member| (member, chain.clone())));
        chain
    }

    /// A circle in words: its modules, and the edges without which it is none.
    pub(crate) fn circle_in_words(&self, circle: &BTreeSet<usize>) -> String {
        let mut closing = Vec::new();
        if let Some(first) = circle.first() {
            self.walk(*first, circle, &mut Vec::new(), &mut BTreeSet::new(), &mut closing);
        }
        let closing: Vec<String> =
            closing.iter().map(|(from, to)| format!("{} → {}", self.name(*from), self.name(*to))).collect();
        format!("{} (closed by {})", self.list(circle, ", "), closing.join(", "))
    }

    /// Goes down from a module, and notes the edges that lead back onto the way.
    fn walk(
        &self,
        module: usize,
        circle: &BTreeSet<usize>,
        way: &mut Vec<usize>,
        seen: &mut BTreeSet<usize>,
        closing: &mut Vec<(usize, usize)>,
    ) {
        seen.insert(module);
        way.push(module);
        for next in self.edges[module].intersection(circle) {
            if way.contains(next) {
                closing.push((module, *next));
            } else if !seen.contains(next) {
                self.walk(*next, circle, way, seen, closing);
            }
        }
        way.pop();
    }

    /// A chain in words, with circles in braces.
    pub(crate) fn chain_in_words(&self, chain: &[BTreeSet<usize>]) -> String {
        let links = chain.iter().map(|link| match link.len() {
            1 => self.list(link, " "),
            _ => format!("{{{}}}", self.list(link, " ")),
        });
        links.collect::<Vec<_>>().join(" > ")
    }

    fn list(&self, modules: &BTreeSet<usize>, between: &str) -> String {
        modules.iter().map(|module| self.name(*module)).collect::<Vec<_>>().join(between)
    }

    fn name(&self, module: usize) -> String {
        if self.modules[module].is_empty() { "lib".to_owned() } else { self.modules[module].join("::") }
    }
}

/// The number of files of a chain.
pub(crate) fn length(chain: &[BTreeSet<usize>]) -> usize {
    chain.iter().map(BTreeSet::len).sum()
}

/// The module that a path from another names.
fn target(numbers: &BTreeMap<&[&str], usize>, from: &[&str], path: &[&str]) -> Option<usize> {
    let mut absolute = match *path.first()? {
        "crate" => Vec::new(),
        "self" | "super" => from.to_vec(),
        _ => return None,
    };
    for name in path {
        match *name {
            "crate" | "self" => {}
            "super" => {
                absolute.pop();
            }
            name => absolute.push(name),
        }
    }
    (0..=absolute.len()).rev().find_map(|length| numbers.get(&absolute[..length]).copied())
}
