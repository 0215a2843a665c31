//! The public face of a crate: the types that paths from its root reach, each counted once.

use std::collections::{BTreeMap, BTreeSet};

use crate::imports::{Path, Use, names};
use crate::source::{Token, group_length, item_length, keyword};

/// The items of a module, each marked if it is public and not hidden.
#[derive(Default)]
struct Module<'a> {
    file: usize,
    types: BTreeMap<&'a str, bool>,
    modules: BTreeMap<&'a str, bool>,
    imports: Vec<(Use<'a>, bool)>,
}

/// The modules of a crate.
#[derive(Default)]
struct Crate<'a> {
    modules: BTreeMap<Path<'a>, Module<'a>>,
}

/// The public types of a crate as pairs of a file's number and a name.
pub(crate) fn types<'a>(files: &[(&Path<'a>, &[Token<'a>])]) -> BTreeSet<(usize, &'a str)> {
    let mut all = Crate::default();
    for (file, (path, tokens)) in files.iter().enumerate() {
        all.read(file, (*path).clone(), tokens);
    }
    let mut found = BTreeSet::new();
    all.see(&[], &mut BTreeSet::new(), &mut found);
    found
}

const TYPES: [&str; 5] = ["struct", "enum", "trait", "type", "union"];

/// Where a path ends.
enum Place<'a> {
    Module(Path<'a>),
    Type(usize, &'a str),
}

/// Circles of imports end here; no way to a type is as long.
const LONGEST: usize = 12;

impl<'a> Crate<'a> {
    fn read(&mut self, file: usize, path: Path<'a>, tokens: &[Token<'a>]) {
        let mut module = Module { file, ..Module::default() };
        // Macros of the module that make a public type, named by the first word of a call.
        let mut makers = BTreeSet::new();
        let mut rest = tokens;
        while !rest.is_empty() {
            let (at, public, hidden) = keyword(rest);
            let item = &rest[at.min(rest.len())..];
            let seen = public && !hidden;
            let text = |at: usize| item.get(at).map_or("", |token| token.text);
            let named = if text(0) == "unsafe" { 2 } else { 1 };
            match text(named - 1) {
                kind if TYPES.contains(&kind) => {
                    module.types.insert(text(named), seen);
                }
                "mod" => {
                    module.modules.insert(text(1), seen);
                    if text(2) == "{" {
                        let inside = [path.as_slice(), &[text(1)]].concat();
                        self.read(file, inside, &item[3..=group_length(&item[2..])]);
                    }
                }
                "use" => module.imports.extend(names(&item[1..]).into_iter().map(|name| (name, seen))),
                "macro_rules" if makes_type(item) => {
                    makers.insert(text(2));
                }
                name if text(1) == "!" && makers.contains(name) => {
                    module.types.insert(text(3 + keyword(&item[3..]).0), true);
                }
                _ => {}
            }
            rest = &item[item_length(item)..];
        }
        self.modules.insert(path, module);
    }

    /// Notes all types that are seen from a module.
    fn see(&self, at: &[&'a str], seen: &mut BTreeSet<Path<'a>>, found: &mut BTreeSet<(usize, &'a str)>) {
        let Some(module) = self.modules.get(at) else { return };
        if !seen.insert(at.to_vec()) {
            return;
        }
        found
            .extend(module.types.iter().filter(|(_, public)| **public).map(|(name, _)| (module.file, *name)));
        for (name, _) in module.modules.iter().filter(|(_, public)| **public) {
            self.see(&[at, &[name]].concat(), seen, found);
        }
        for (import, _) in module.imports.iter().filter(|(_, public)| *public) {
            match self.find(at, &import.path, 0) {
                Some(Place::Module(path)) => self.see(&path, seen, found),
                Some(Place::Type(file, name)) => {
                    found.insert((file, name));
                }
                None => {}
            }
        }
    }

    fn find(&self, at: &[&'a str], path: &[&'a str], depth: usize) -> Option<Place<'a>> {
        let Some((first, rest)) = path.split_first() else { return Some(Place::Module(at.to_vec())) };
        let module = self.modules.get(at).filter(|_| depth < LONGEST)?;
        match *first {
            "crate" => return self.find(&[], rest, depth),
            "self" => return self.find(at, rest, depth),
            "super" => return self.find(&at[..at.len().saturating_sub(1)], rest, depth),
            name if rest.is_empty() && module.types.contains_key(name) => {
                return Some(Place::Type(module.file, name));
            }
            name if module.modules.contains_key(name) => {
                return self.find(&[at, &[name]].concat(), rest, depth);
            }
            _ => {}
        }
        module.imports.iter().find_map(|(import, _)| match import.name {
            // A crate that is imported by its own name.
            _ if import.path.first() == Some(first) => None,
            Some(name) if name == *first => match self.find(at, &import.path, depth + 1)? {
                Place::Module(path) => self.find(&path, rest, depth + 1),
                place @ Place::Type(..) => rest.is_empty().then_some(place),
            },
            Some(_) => None,
            None => match self.find(at, &import.path, depth + 1)? {
                Place::Module(inside) => self.find(&inside, path, depth + 1),
                Place::Type(..) => None,
            },
        })
    }
}

/// If a macro's body has `pub struct $name`, or another type.
fn makes_type(item: &[Token<'_>]) -> bool {
    item.windows(3)
        .any(|three| three[0].text == "pub" && TYPES.contains(&three[1].text) && three[2].text == "$")
}
