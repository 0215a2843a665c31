//! The items of files by their names: structs, enums, functions, constants, modules, imports.

use super::error::Error;
use super::places::near;
use super::source::{Source, is_declaration, place};
use super::tree::{Data, Program, known};
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
    Module(usize),
    /// Of another crate.
    Foreign(Vec<String>),
}

/// A module: its names, and the paths of `use …::*`.
#[derive(Debug, Default)]
pub(crate) struct Module<'s> {
    pub(crate) path: Vec<String>,
    pub(crate) file: u16,
    names: HashMap<String, Name<'s>>,
    globs: Vec<Vec<String>>,
}

#[derive(Debug, Clone)]
enum Name<'s> {
    Is(Found<'s>),
    Import(Vec<String>),
}

/// A function with its body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Body<'s> {
    pub(crate) function: u32,
    pub(crate) module: usize,
    pub(crate) this: Option<u32>,
    pub(crate) signature: &'s Signature,
    pub(crate) block: &'s syn::Block,
    /// A mistake in it counts when it is called: it is of another module, or of the declaration.
    pub(crate) waits: bool,
}

/// The items of a source.
#[derive(Debug, Default)]
pub(crate) struct Items<'s> {
    pub(crate) modules: Vec<Module<'s>>,
    pub(crate) bodies: Vec<Body<'s>>,
    pub(crate) globals: Vec<(usize, Option<u32>, &'s syn::Type, &'s Expr)>,
    /// Structs and enums, with their modules.
    pub(crate) data: Vec<(usize, u32, &'s Item)>,
    pub(crate) mistakes: Vec<Error>,
}

impl<'s> Items<'s> {
    /// Collects the items, and gives numbers to structs, functions and constants.
    pub(crate) fn of(source: &'s Source, program: &mut Program) -> Self {
        let mut items = Self::default();
        for (number, file) in source.files.iter().enumerate() {
            let module = items.module(&file.module, number as u16);
            items.names(module, &file.items, program);
        }
        for (number, file) in source.files.iter().enumerate() {
            let module = items.module(&file.module, number as u16);
            items.blocks(module, &file.items, program);
        }
        items
    }

    fn module(&mut self, path: &[String], file: u16) -> usize {
        if let Some(known) = self.modules.iter().position(|module| module.path == path) {
            return known;
        }
        self.modules.push(Module { path: path.to_vec(), file, ..Module::default() });
        self.modules.len() - 1
    }

    fn refuse(&mut self, module: usize, what: &str, at: &impl Spanned) {
        let file = self.modules[module].file;
        self.mistakes.push(Error::refused(what).at(place(at.span(), file)));
    }

    fn name(&mut self, module: usize, name: &syn::Ident, found: Found<'s>) {
        self.modules[module].names.insert(name.to_string(), Name::Is(found));
    }

    /// The names of all items.
    fn names(&mut self, module: usize, all: &'s [Item], program: &mut Program) {
        for item in all.iter().filter(|item| !is_of_tests(item)) {
            match item {
                Item::Struct(syn::ItemStruct { ident, .. }) | Item::Enum(syn::ItemEnum { ident, .. }) => {
                    let number = program.data.len() as u32;
                    let place = place(ident.span(), self.modules[module].file);
                    program.data.push(Data { name: ident.to_string(), place, ..Data::default() });
                    self.data.push((module, number, item));
                    self.name(module, ident, Found::Data(number));
                }
                Item::Fn(item) => {
                    let waits = self.modules[module].file > 0;
                    let function = self.body(program, (module, None), (&item.sig, &item.block), waits);
                    self.name(module, &item.sig.ident, Found::Function(function));
                }
                Item::Const(syn::ItemConst { ident, ty, expr, .. })
                | Item::Static(syn::ItemStatic { ident, ty, expr, .. }) => {
                    let global = self.global((module, None), ty, expr);
                    self.name(module, ident, Found::Global(global));
                }
                Item::Type(item) => self.name(module, &item.ident, Found::Alias(module, &item.ty)),
                Item::Mod(item) => {
                    let path = [&*self.modules[module].path, &[item.ident.to_string()]].concat();
                    let inner = self.module(&path, self.modules[module].file);
                    self.name(module, &item.ident, Found::Module(inner));
                    if let Some((_, inside)) = &item.content {
                        self.names(inner, inside, program);
                    }
                }
                Item::Use(item) => self.imports(module, &item.tree, Vec::new()),
                _ => {}
            }
        }
    }

    /// The blocks of `impl`, which need the names of structs, and refusals.
    fn blocks(&mut self, module: usize, all: &'s [Item], program: &mut Program) {
        for item in all.iter().filter(|item| !is_of_tests(item)) {
            match item {
                Item::Impl(item) => self.block(module, item, program),
                Item::Mod(syn::ItemMod { ident, content: Some((_, inside)), .. }) => {
                    let path = [&*self.modules[module].path, &[ident.to_string()]].concat();
                    let inner = self.module(&path, self.modules[module].file);
                    self.blocks(inner, inside, program);
                }
                Item::Mod(item) => {
                    let path = [&*self.modules[module].path, &[item.ident.to_string()]].concat();
                    let is_given = self.modules.iter().any(|known| known.path == path && known.file > 0);
                    if !is_given && self.modules[module].file == 0 {
                        self.refuse(module, &format!("the file of the module `{}`", item.ident), item);
                    }
                }
                // Other modules may hold what this one does not need.
                _ if self.modules[module].file > 0 => {}
                Item::Trait(item) => self.refuse(module, "a trait", item),
                Item::Macro(item) => self.refuse(module, "a macro", item),
                Item::ExternCrate(_)
                | Item::ForeignMod(_)
                | Item::Union(_)
                | Item::TraitAlias(_)
                | Item::Verbatim(_) => {
                    self.refuse(module, "this item", item);
                }
                _ => {}
            }
        }
    }

    fn block(&mut self, module: usize, item: &'s syn::ItemImpl, program: &mut Program) {
        let is_other = self.modules[module].file > 0;
        let this = match &*item.self_ty {
            syn::Type::Path(path) => match self.find(program, module, &segments(&path.path), 0) {
                Some(Found::Data(data)) => Some(data),
                _ => None,
            },
            _ => None,
        };
        let Some(this) = this else {
            let name = item.self_ty.to_token_stream().to_string();
            let Module { names, file, .. } = &self.modules[module];
            if !is_other && names.contains_key(&name) {
                self.refuse(module, "an `impl` block of a type that is not of this file", &item.self_ty);
            } else if !is_other {
                let error = Error::new(format!("cannot find type `{name}` in this scope"));
                let error = error.at(place(item.self_ty.span(), *file));
                self.mistakes.push(near(error, &name, names.keys().map(String::as_str)));
            }
            return;
        };
        let declares = is_declaration(item);
        if declares && !is_other {
            program.model = Some(this);
        }
        for inside in &item.items {
            match inside {
                ImplItem::Fn(method) => {
                    let waits = is_other || declares;
                    let function =
                        self.body(program, (module, Some(this)), (&method.sig, &method.block), waits);
                    let symbol = program.symbol(&method.sig.ident.to_string());
                    if changes_self(&method.sig) {
                        program.lending.insert(symbol);
                    }
                    if let Some(data) = program.data.get_mut(this as usize) {
                        data.methods.push((symbol, function));
                    }
                }
                ImplItem::Const(constant) => {
                    let global = self.global((module, Some(this)), &constant.ty, &constant.expr);
                    let name = format!("{}::{}", program.data[this as usize].name, constant.ident);
                    self.modules[module].names.insert(name, Name::Is(Found::Global(global)));
                }
                ImplItem::Type(_) => {}
                other if !is_other => self.refuse(module, "this item", other),
                _ => {}
            }
        }
    }

    fn body(
        &mut self,
        program: &mut Program,
        (module, this): (usize, Option<u32>),
        (signature, block): (&'s Signature, &'s syn::Block),
        waits: bool,
    ) -> u32 {
        let function = program.functions.len() as u32;
        program.functions.push(Err(Error::new(format!("`{}` is not resolved", signature.ident))));
        self.bodies.push(Body { function, module, this, signature, block, waits });
        function
    }

    fn global(
        &mut self,
        (module, this): (usize, Option<u32>),
        r#type: &'s syn::Type,
        value: &'s Expr,
    ) -> u32 {
        self.globals.push((module, this, r#type, value));
        self.globals.len() as u32 - 1
    }

    fn imports(&mut self, module: usize, tree: &UseTree, mut path: Vec<String>) {
        match tree {
            UseTree::Path(inner) => {
                path.push(inner.ident.to_string());
                self.imports(module, &inner.tree, path);
            }
            UseTree::Group(group) => {
                group.items.iter().for_each(|item| self.imports(module, item, path.clone()));
            }
            UseTree::Glob(glob) => self.import(module, path, None, glob),
            UseTree::Name(name) if name.ident == "self" => {
                let last = path.last().cloned();
                self.import(module, path, last, name);
            }
            UseTree::Name(name) => {
                path.push(name.ident.to_string());
                self.import(module, path, Some(name.ident.to_string()), name);
            }
            UseTree::Rename(renamed) => {
                path.push(renamed.ident.to_string());
                self.import(module, path, Some(renamed.rename.to_string()), renamed);
            }
        }
    }

    fn import(&mut self, module: usize, path: Vec<String>, name: Option<String>, at: &impl Spanned) {
        let first = path.first().map_or("", |first| first);
        let is_own =
            matches!(first, "crate" | "self" | "super") || self.modules[module].names.contains_key(first);
        if !is_own && !CRATES.contains(&first) && self.modules[module].file == 0 {
            self.refuse(module, &format!("the crate `{first}`"), at);
        }
        match name {
            Some(name) => {
                self.modules[module].names.entry(name).or_insert(Name::Import(path));
            }
            None if is_own => self.modules[module].globs.push(path),
            None => {}
        }
    }

    /// The meaning of a path.
    pub(crate) fn find(
        &self,
        program: &Program,
        module: usize,
        path: &[String],
        depth: u32,
    ) -> Option<Found<'s>> {
        if depth > MOST_IMPORTS {
            return None;
        }
        let (first, rest) = path.split_first()?;
        let own = &self.modules.get(module)?.path;
        let at =
            |path: &[String]| self.modules.iter().position(|module| module.path == path).map(Found::Module);
        let begin = match first.as_str() {
            "crate" => at(&[]),
            "self" => Some(Found::Module(module)),
            "super" => at(own.split_last()?.1),
            _ => self.named(program, module, first, depth),
        };
        let Some(mut found) = begin else { return Some(Found::Foreign(path.to_vec())) };
        for (k, name) in rest.iter().enumerate() {
            found = match found {
                Found::Module(inner) if name == "super" => at(self.modules.get(inner)?.path.split_last()?.1)?,
                Found::Module(inner) => match self.named(program, inner, name, depth) {
                    Some(next) => next,
                    None => at(&[&*self.modules.get(inner)?.path, std::slice::from_ref(name)].concat())?,
                },
                Found::Data(data) => self.associated(program, data, name)?,
                Found::Alias(inside, syn::Type::Path(alias)) => {
                    let path = [segments(&alias.path), rest[k..].to_vec()].concat();
                    return self.find(program, inside, &path, depth + 1);
                }
                Found::Foreign(mut path) => {
                    path.push(name.clone());
                    Found::Foreign(path)
                }
                _ => return None,
            };
        }
        Some(found)
    }

    /// A variant, a function or a constant of a struct or an enum.
    pub(crate) fn associated(&self, program: &Program, data: u32, name: &str) -> Option<Found<'s>> {
        let own = program.data.get(data as usize)?;
        if let Some(variant) = own.variants.iter().position(|variant| variant.names[0] == name && own.is_enum)
        {
            return Some(Found::Variant(data, variant as u32));
        }
        let symbol = program.symbols.get(name)?;
        if let Some(function) = program.method_of(data, *symbol) {
            return Some(Found::Function(function));
        }
        let qualified = format!("{}::{name}", own.name);
        self.modules.iter().find_map(|module| match module.names.get(&qualified) {
            Some(Name::Is(found)) => Some(found.clone()),
            _ => None,
        })
    }

    fn named(&self, program: &Program, module: usize, name: &str, depth: u32) -> Option<Found<'s>> {
        let own = self.modules.get(module)?;
        match own.names.get(name) {
            Some(Name::Is(found)) => Some(found.clone()),
            Some(Name::Import(path))
                if path.first().is_some_and(|first| CRATES.contains(&first.as_str())) =>
            {
                Some(Found::Foreign(path.clone()))
            }
            Some(Name::Import(path)) => self.find(program, module, path, depth + 1),
            None => {
                let through = own.globs.iter().find_map(|glob| {
                    let path = [&**glob, &[name.to_owned()]].concat();
                    self.find(program, module, &path, depth + 1)
                });
                through.filter(|found| !matches!(found, Found::Foreign(_)))
            }
        }
    }

    /// The names of a module that a misspelt one may mean.
    pub(crate) fn names_of(&self, module: usize) -> impl Iterator<Item = &str> {
        self.modules.get(module).into_iter().flat_map(|module| module.names.keys().map(String::as_str))
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
        let is_conditional = |list: &syn::MetaList| list.tokens.to_string().contains("test");
        attribute.path().is_ident("test")
            || attribute.path().is_ident("cfg") && attribute.meta.require_list().is_ok_and(is_conditional)
    })
}

/// A number, a name, and the variants with their fields.
type Known<'k> = (u32, &'k str, &'k [(&'k str, &'k [(&'k str, super::tree::Type)])]);

/// The structs and enums that every file knows.
pub(crate) fn known_data(program: &mut Program) {
    use super::tree::{Field, Type, Variant};
    let numbers = || Type::List(Box::new(Type::Number), None);
    let unknown = Type::Unknown;
    let all: [Known<'_>; 7] = [
        (known::OPTION, "Option", &[("None", &[]), ("Some", &[("0", unknown.clone())])]),
        (known::RESULT, "Result", &[("Err", &[("0", unknown.clone())]), ("Ok", &[("0", unknown.clone())])]),
        (known::ORDERING, "Ordering", &[("Less", &[]), ("Equal", &[]), ("Greater", &[])]),
        (known::STATE, "State", &[("State", &[("t", Type::Number), ("q", numbers()), ("v", numbers())])]),
        (known::LOOK, "Look", &[("Look", &[("calls", unknown.clone())])]),
        (known::CELL, "Cell", &[("Cell", &[("rows", unknown.clone())])]),
        (known::QUATERNION, "Quaternion", &[("Quaternion", &[("coords", unknown)])]),
    ];
    for (number, name, variants) in all {
        debug_assert_eq!(number as usize, program.data.len(), "numbers of known structs are their order");
        let variants = variants.iter().map(|(variant, fields)| {
            let in_order = fields.first().is_some_and(|(name, _)| *name == "0");
            let field = |program: &mut Program, (name, r#type): &(&str, Type)| Field {
                symbol: program.symbol(name),
                name: (*name).to_owned(),
                r#type: r#type.clone(),
                written: String::new(),
                documentation: String::new(),
            };
            let fields = fields.iter().map(|known| field(program, known)).collect();
            let names = [(*variant).to_owned(), variant.to_lowercase()];
            Variant { names, fields, in_order }
        });
        let variants = variants.collect();
        let is_enum = number <= known::ORDERING;
        program.data.push(Data { name: name.to_owned(), is_enum, variants, ..Data::default() });
    }
}
