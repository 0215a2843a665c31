//! A source → a program: all its types and functions, resolved.

use super::error::Error;
use super::items::{Items, known_data};
use super::resolve::Resolver;
use super::source::Source;
use super::surroundings::Vocabulary;
use super::tree::{Field, Program, Variant};
use super::types::Around;
use quote::ToTokens;
use std::sync::Arc;
use syn::{Attribute, Block, Item};

impl Program {
    /// Resolves all names of a source.
    ///
    /// Mistakes in functions of other modules, and in the block of the declaration, count when such a
    /// function is called: the compiler judges the declaration.
    ///
    /// # Errors
    /// All mistakes in the file.
    pub fn resolve(source: &Source, vocabulary: &dyn Vocabulary) -> Result<Self, Vec<Error>> {
        let (program, mistakes) = Self::resolved(source, vocabulary);
        if mistakes.is_empty() { Ok(program) } else { Err(mistakes) }
    }

    fn resolved(source: &Source, vocabulary: &dyn Vocabulary) -> (Self, Vec<Error>) {
        let mut program = Self { files: source_names(source), ..Self::default() };
        known_data(&mut program);
        let mut items = Items::of(source, &mut program);
        program.declare(&items);
        let mut mistakes = std::mem::take(&mut items.mistakes);
        for body in &items.bodies {
            let mut resolver = Resolver::new(&mut program, &items, vocabulary, (body.module, body.this));
            let code = resolver
                .function(body.signature, body.block)
                .map_err(|error| error.of(&source_names(source)));
            if let (Err(error), false) = (&code, body.waits) {
                mistakes.push(error.clone());
            }
            if let Some(own) = program.functions.get_mut(body.function as usize) {
                *own = code.map(Arc::new);
            }
        }
        for (module, this, r#type, value) in &items.globals {
            let mut resolver = Resolver::new(&mut program, &items, vocabulary, (*module, *this));
            let code = resolver.global(r#type, value);
            let is_own = items.modules.get(*module).is_some_and(|module| module.file == 0);
            match code {
                Ok(code) => program.globals.push(Some(Arc::new(code))),
                Err(error) => {
                    program.globals.push(None);
                    if is_own {
                        mistakes.push(error);
                    }
                }
            }
        }
        let mistakes = mistakes.into_iter().map(|error| error.of(&program.files)).collect();
        (program, mistakes)
    }

    /// Adds a function with these parameters that runs a block in the file of a source, as a method of
    /// the model; gives its number.
    ///
    /// # Errors
    /// A mistake in the block.
    pub fn add(
        &mut self,
        source: &Source,
        (name, parameters): (&str, &[&str]),
        block: &Block,
        vocabulary: &dyn Vocabulary,
    ) -> Result<u32, Error> {
        // The numbers of the items are those of the first time.
        let mut scratch = Self::default();
        known_data(&mut scratch);
        let items = Items::of(source, &mut scratch);
        let this = self.model;
        let code = Resolver::new(self, &items, vocabulary, (0, this)).free(name, parameters, block);
        let code = code.map_err(|error| error.of(&self.files))?;
        self.functions.push(Ok(Arc::new(code)));
        Ok(self.functions.len() as u32 - 1)
    }

    /// The fields of structs and enums.
    fn declare(&mut self, items: &Items<'_>) {
        // First all variants by their names, then the types of fields, which may name any of them.
        for (_, number, item) in &items.data {
            let (attributes, variants) = match item {
                Item::Struct(item) => (&item.attrs, vec![(&item.ident, &item.fields, &item.attrs)]),
                Item::Enum(item) => (
                    &item.attrs,
                    item.variants
                        .iter()
                        .map(|variant| (&variant.ident, &variant.fields, &variant.attrs))
                        .collect(),
                ),
                _ => continue,
            };
            let is_enum = matches!(item, Item::Enum(_));
            let (rename_all, derives) = (serde(attributes, "rename_all"), derives_default(attributes));
            let mut known = Vec::new();
            let mut default = None;
            for (k, (ident, fields, own)) in variants.iter().enumerate() {
                let name = ident.to_string();
                let json = serde(own, "rename").unwrap_or_else(|| renamed(&name, rename_all.as_deref()));
                let marked = own.iter().any(|attribute| attribute.path().is_ident("default"));
                if derives && (marked || !is_enum) {
                    default = Some(k as u32);
                }
                let fields = fields.iter().enumerate().map(|(k, field)| self.field(k, field)).collect();
                let in_order = matches!(variants[k].1, syn::Fields::Unnamed(_));
                known.push(Variant { names: [name, json], fields, in_order });
            }
            if let Some(data) = self.data.get_mut(*number as usize) {
                (data.is_enum, data.variants, data.default) = (is_enum, known, default);
                data.documentation = documentation(attributes);
                data.is_transparent = serde_words(attributes).contains("transparent");
            }
        }
        for (module, number, item) in &items.data {
            let all: Vec<&syn::Fields> = match item {
                Item::Struct(item) => vec![&item.fields],
                Item::Enum(item) => item.variants.iter().map(|variant| &variant.fields).collect(),
                _ => continue,
            };
            for (variant, fields) in all.iter().enumerate() {
                let around = Around { items, program: self, module: *module, this: Some(*number) };
                let types: Vec<_> = fields.iter().map(|field| around.read(&field.ty)).collect();
                let known =
                    self.data.get_mut(*number as usize).and_then(|data| data.variants.get_mut(variant));
                for (field, found) in known.into_iter().flat_map(|known| &mut known.fields).zip(types) {
                    field.r#type = found;
                }
            }
        }
    }

    fn field(&mut self, position: usize, field: &syn::Field) -> Field {
        let name = field.ident.as_ref().map_or_else(|| position.to_string(), ToString::to_string);
        Field {
            symbol: self.symbol(&name),
            name: serde(&field.attrs, "rename").unwrap_or(name),
            r#type: super::tree::Type::Unknown,
            written: field.ty.to_token_stream().to_string().replace(' ', ""),
            documentation: documentation(&field.attrs),
        }
    }
}

fn source_names(source: &Source) -> Vec<Arc<str>> {
    source.files.iter().map(|file| Arc::clone(&file.name)).collect()
}

fn documentation(attributes: &[Attribute]) -> String {
    let lines = attributes.iter().filter_map(|attribute| match &attribute.meta {
        syn::Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => {
                Some(text.value().trim().to_owned())
            }
            _ => None,
        },
        _ => None,
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn derives_default(attributes: &[Attribute]) -> bool {
    attributes.iter().filter(|attribute| attribute.path().is_ident("derive")).any(|attribute| {
        attribute.meta.require_list().is_ok_and(|list| {
            list.tokens
                .clone()
                .into_iter()
                .any(|word| matches!(&word, proc_macro2::TokenTree::Ident(word) if word == "Default"))
        })
    })
}

/// The words of the attributes of serde.
fn serde_words(attributes: &[Attribute]) -> String {
    let lists = attributes.iter().filter(|attribute| attribute.path().is_ident("serde"));
    let words =
        lists.filter_map(|attribute| attribute.meta.require_list().ok()).map(|list| list.tokens.to_string());
    words.collect::<Vec<_>>().join(" , ")
}

/// The text of a word of serde, such as `rename = "…"`.
fn serde(attributes: &[Attribute], word: &str) -> Option<String> {
    let words = serde_words(attributes);
    let mut parts = words.split(',').filter_map(|part| part.split_once('='));
    let (_, text) = parts.find(|(name, _)| name.trim() == word)?;
    Some(text.trim().trim_matches('"').to_owned())
}

/// A name in the style of `rename_all`.
fn renamed(name: &str, style: Option<&str>) -> String {
    let split = |sign: char| {
        let mut text = String::new();
        for (k, letter) in name.chars().enumerate() {
            if letter.is_uppercase() && k > 0 {
                text.push(sign);
            }
            text.extend(letter.to_lowercase());
        }
        text
    };
    match style {
        Some("lowercase") => name.to_lowercase(),
        Some("UPPERCASE") => name.to_uppercase(),
        Some("kebab-case") => split('-'),
        Some("snake_case") => split('_'),
        _ => name.to_owned(),
    }
}
