//! The items of files by their names: structs, enums, functions, constants, imports.
//!
//! A module inside of a file shares the names of its file.

use super::error::{Error, Place};
use super::places::near;
use super::source::{OWN, Source, is_declaration, place};
use super::tree::{Data, Program};
use quote::ToTokens;
use std::collections::HashMap;
use syn::spanned::Spanned;
use syn::{Expr, ImplItem, Item, Signature, UseTree};

/// Crates whose names the interpreter knows, or needs not know.
const CRATES: [&str; 9] = [
    "std",
    "core",
    "alloc",
    "least_action",
    "least_action_core",
    "nalgebra",
    "serde",
    "serde_json",
    "thiserror",
];
/// The most imports that lead to one another.
const MOST_IMPORTS: u32 = 16;

/// The meaning of a name.
#[derive(Debug, Clone)]
pub(crate) enum Found<'s> {
    Data(u32),
    Variant(u32, u32),
    Function(u32),
    Global(u32),
    Alias(usize, &'s syn::Type),
    /// Of another crate.
    Foreign(Vec<String>),
}

#[derive(Debug, Clone)]
enum Name<'s> {
    Is(Found<'s>),
    Import(Vec<String>),
    Module,
}

/// Where code stands: in a file, and in the block of a struct or an enum.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Around {
    pub(crate) file: usize,
    pub(crate) this: Option<u32>,
}

/// A function with its body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Body<'s> {
    pub(crate) function: u32,
    pub(crate) around: Around,
    pub(crate) signature: &'s Signature,
    pub(crate) block: &'s syn::Block,
    /// A mistake in it counts when it is called: it is of another file, or of the declaration.
    pub(crate) waits: bool,
}

/// The items of files: first the prelude, then the file itself, then those that it names.
#[derive(Debug, Default)]
pub(crate) struct Items<'s> {
    modules: Vec<&'s [String]>,
    names: Vec<HashMap<String, Name<'s>>>,
    pub(crate) bodies: Vec<Body<'s>>,
    pub(crate) globals: Vec<(Around, &'s syn::Type, &'s Expr)>,
    /// Structs and enums, with their files.
    pub(crate) data: Vec<(Around, &'s Item)>,
    pub(crate) mistakes: Vec<Error>,
}

impl<'s> Items<'s> {
    /// Collects the items, and gives numbers to structs, functions and constants.
    pub(crate) fn of(source: &'s Source, program: &mut Program) -> Self {
        let mut items = Self::default();
        for (number, file) in source.files.iter().enumerate() {
            items.modules.push(&file.module);
            items.names.push(HashMap::new());
            file.items.iter().for_each(|part| items.names(number, part, program));
        }
        for (number, file) in source.files.iter().enumerate() {
            file.items.iter().for_each(|part| items.blocks(number, part, program));
        }
        items
    }

    /// The place of code of a file; what the prelude does has the place of its call.
    pub(crate) fn place(file: usize, at: &impl Spanned) -> Place {
        if file < OWN { Place::default() } else { place(at.span(), file as u16) }
    }

    /// Refuses an item of the file itself: others may hold what it does not need.
    fn refuse(&mut self, file: usize, what: &str, at: &impl Spanned) {
        if file == OWN {
            self.mistakes.push(Error::refused(what).at(Self::place(file, at)));
        }
    }

    fn name(&mut self, file: usize, name: &syn::Ident, found: Found<'s>) {
        self.names[file].insert(name.to_string(), Name::Is(found));
    }

    /// The names of all items.
    fn names(&mut self, file: usize, all: &'s [Item], program: &mut Program) {
        let around = Around { file, this: None };
        for item in all.iter().filter(|item| !is_of_tests(item)) {
            match item {
                Item::Struct(syn::ItemStruct { ident, .. }) | Item::Enum(syn::ItemEnum { ident, .. }) => {
                    let number = program.data.len() as u32;
                    let place = Self::place(file, ident);
                    program.data.push(Data { name: ident.to_string(), place, ..Data::default() });
                    self.data.push((Around { file, this: Some(number) }, item));
                    self.name(file, ident, Found::Data(number));
                }
                Item::Fn(item) => {
                    let function = self.body(program, around, (&item.sig, &item.block), file != OWN);
                    self.name(file, &item.sig.ident, Found::Function(function));
                }
                Item::Const(syn::ItemConst { ident, ty, expr, .. })
                | Item::Static(syn::ItemStatic { ident, ty, expr, .. }) => {
                    self.globals.push((around, ty, expr));
                    self.name(file, ident, Found::Global(self.globals.len() as u32 - 1));
                }
                Item::Type(item) => self.name(file, &item.ident, Found::Alias(file, &item.ty)),
                Item::Mod(item) => {
                    self.names[file].insert(item.ident.to_string(), Name::Module);
                    if let Some((_, inside)) = &item.content {
                        self.names(file, inside, program);
                    }
                }
                Item::Use(item) => self.imports(file, &item.tree, Vec::new()),
                _ => {}
            }
        }
    }

    /// The blocks of `impl`, which need the names of structs, and refusals.
    fn blocks(&mut self, file: usize, all: &'s [Item], program: &mut Program) {
        for item in all.iter().filter(|item| !is_of_tests(item)) {
            match item {
                Item::Impl(item) => self.block(file, item, program),
                Item::Mod(syn::ItemMod { content: Some((_, inside)), .. }) => {
                    self.blocks(file, inside, program);
                }
                Item::Mod(item) => {
                    let is_given =
                        self.modules.iter().any(|path| path.last() == Some(&item.ident.to_string()));
                    if !is_given {
                        self.refuse(file, &format!("the file of the module `{}`", item.ident), item);
                    }
                }
                Item::Trait(item) => self.refuse(file, "a trait", item),
                Item::Macro(item) => self.refuse(file, "a macro", item),
                Item::ExternCrate(_) | Item::ForeignMod(_) | Item::Union(_) | Item::Verbatim(_) => {
                    self.refuse(file, "this item", item);
                }
                _ => {}
            }
        }
    }

    fn block(&mut self, file: usize, item: &'s syn::ItemImpl, program: &mut Program) {
        let path = if let syn::Type::Path(path) = &*item.self_ty { segments(&path.path) } else { Vec::new() };
        let Some(Found::Data(this)) = self.find(program, Around { file, this: None }, &path) else {
            let name = item.self_ty.to_token_stream().to_string();
            if file != OWN || self.names[file].contains_key(&name) {
                self.refuse(file, "an `impl` block of a type that is not of this file", &item.self_ty);
            } else {
                let error = Error::new(format!("cannot find type `{name}` in this scope"));
                let error = near(error.at(Self::place(file, &item.self_ty)), &name, self.names_of(file));
                self.mistakes.push(error);
            }
            return;
        };
        let declares = is_declaration(item) && file == OWN;
        if declares {
            program.model = Some(this);
        }
        let around = Around { file, this: Some(this) };
        for inside in &item.items {
            match inside {
                ImplItem::Fn(method) => {
                    let waits = file != OWN || declares;
                    let function = self.body(program, around, (&method.sig, &method.block), waits);
                    let symbol = program.symbol(&method.sig.ident.to_string());
                    if changes_self(&method.sig) {
                        program.lending.insert(symbol);
                    }
                    if let Some(data) = program.data.get_mut(this as usize) {
                        data.methods.push((symbol, function));
                    }
                }
                ImplItem::Const(constant) => {
                    self.globals.push((around, &constant.ty, &constant.expr));
                    let name = format!("{}::{}", program.data[this as usize].name, constant.ident);
                    let global = Found::Global(self.globals.len() as u32 - 1);
                    self.names[file].insert(name, Name::Is(global));
                }
                ImplItem::Type(_) => {}
                other => self.refuse(file, "this item", other),
            }
        }
    }

    fn body(
        &mut self,
        program: &mut Program,
        around: Around,
        (signature, block): (&'s Signature, &'s syn::Block),
        waits: bool,
    ) -> u32 {
        let function = program.functions.len() as u32;
        program.functions.push(Err(Error::new(format!("`{}` is not resolved", signature.ident))));
        self.bodies.push(Body { function, around, signature, block, waits });
        function
    }

    fn imports(&mut self, file: usize, tree: &UseTree, mut path: Vec<String>) {
        let (name, last) = match tree {
            UseTree::Path(inner) => {
                path.push(inner.ident.to_string());
                return self.imports(file, &inner.tree, path);
            }
            UseTree::Group(group) => {
                return group.items.iter().for_each(|item| self.imports(file, item, path.clone()));
            }
            UseTree::Glob(_) => (None, None),
            UseTree::Name(name) => (Some(&name.ident), Some(&name.ident)),
            UseTree::Rename(renamed) => (Some(&renamed.ident), Some(&renamed.rename)),
        };
        path.extend(name.filter(|name| *name != "self").map(ToString::to_string));
        let first = path.first().map_or("", |first| first);
        let is_own = matches!(first, "crate" | "self" | "super") || self.names[file].contains_key(first);
        if !is_own && !CRATES.contains(&first) {
            let what = format!("the crate `{first}`");
            self.refuse(file, &what, tree);
        }
        let Some(last) = last else {
            if is_own {
                self.refuse(file, "an import of all names of the file", tree);
            }
            return;
        };
        let last = if last == "self" { path.last().cloned() } else { Some(last.to_string()) };
        let Some(last) = last else { return self.refuse(file, "an import of `self` alone", tree) };
        self.names[file].entry(last).or_insert(Name::Import(path));
    }

    /// The meaning of a path.
    pub(crate) fn find(&self, program: &Program, around: Around, path: &[String]) -> Option<Found<'s>> {
        self.within(program, around, path, MOST_IMPORTS)
    }

    fn within(&self, program: &Program, around: Around, path: &[String], depth: u32) -> Option<Found<'s>> {
        let depth = depth.checked_sub(1)?;
        let first = path.first()?;
        if CRATES.contains(&first.as_str()) {
            return Some(Found::Foreign(path.to_vec()));
        }
        let mut file = around.file;
        for (k, word) in path.iter().enumerate() {
            let is_last = k + 1 == path.len();
            let found = match self.names[file].get(word) {
                Some(Name::Is(found)) => Some(found.clone()),
                Some(Name::Import(path)) => self.within(program, Around { file, this: None }, path, depth),
                _ if word == "Self" => around.this.map(Found::Data),
                Some(Name::Module) | None => None,
            };
            match (found, &path[k + 1..]) {
                (Some(Found::Data(data)), [name]) => return self.associated(program, data, name),
                (Some(Found::Alias(file, syn::Type::Path(alias))), rest @ [_, ..]) => {
                    let path = [&segments(&alias.path), rest].concat();
                    return self.within(program, Around { file, this: None }, &path, depth);
                }
                (Some(Found::Foreign(path)), rest) => {
                    return Some(Found::Foreign([&path, rest].concat()));
                }
                (Some(found), []) => return Some(found),
                (Some(_), _) => return None,
                (None, _) => {}
            }
            let module = self.modules.iter().position(|path| path.last() == Some(word));
            match module.filter(|_| !is_last) {
                Some(module) => file = module,
                None if word == "self" => {}
                None if matches!(word.as_str(), "crate" | "super") => file = OWN,
                None if matches!(self.names[file].get(word), Some(Name::Module)) => {}
                None => return (k == 0).then(|| Found::Foreign(path.to_vec())),
            }
        }
        None
    }

    /// A variant, a function or a constant of a struct or an enum.
    fn associated(&self, program: &Program, data: u32, name: &str) -> Option<Found<'s>> {
        let own = program.data.get(data as usize)?;
        let variant = own.variants.iter().position(|variant| variant.names[0] == name && own.is_enum);
        if let Some(variant) = variant {
            return Some(Found::Variant(data, variant as u32));
        }
        if let Some(function) = program.method_named(data, name) {
            return Some(Found::Function(function));
        }
        let qualified = format!("{}::{name}", own.name);
        self.names.iter().find_map(|names| match names.get(&qualified) {
            Some(Name::Is(found)) => Some(found.clone()),
            _ => None,
        })
    }

    /// A name of the prelude, or of one of its structs and enums.
    pub(crate) fn of_prelude(&self, program: &Program, path: &[&str]) -> Option<Found<'s>> {
        let path: Vec<String> = path.iter().map(|&word| word.to_owned()).collect();
        let found = self.find(program, Around { file: 0, this: None }, &path)?;
        Some(found).filter(|found| !matches!(found, Found::Foreign(_)))
    }

    /// The names of a file that a misspelt one may mean.
    pub(crate) fn names_of(&self, file: usize) -> impl Iterator<Item = &str> {
        self.names.get(file).into_iter().flat_map(|names| names.keys().map(String::as_str))
    }
}

/// The words of a path, without generic arguments.
pub(crate) fn segments(path: &syn::Path) -> Vec<String> {
    path.segments.iter().map(|segment| segment.ident.to_string()).collect()
}

/// If a method takes `&mut self`.
pub(crate) fn changes_self(signature: &Signature) -> bool {
    let receiver = signature.receiver();
    receiver.is_some_and(|own| matches!(&own.kind, syn::ReceiverKind::Reference(_, _, Some(_))))
}

fn is_of_tests(item: &Item) -> bool {
    let attributes = match item {
        Item::Mod(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        _ => return false,
    };
    attributes.iter().any(|attribute| {
        let is_cfg = attribute.path().is_ident("cfg");
        is_cfg && attribute.meta.require_list().is_ok_and(|list| list.tokens.to_string().contains("test"))
    })
}
