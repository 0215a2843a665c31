//! A source → a program: all its types and functions, resolved.

use super::error::{Error, Result};
use super::items::{Around, Items};
use super::resolve::Resolver;
use super::source::{OWN, Source};
use super::surroundings::Vocabulary;
use super::tree::{Field, Program, Type, Variant};
use super::types::Reader;
use least_action_compiler::documentation;
use quote::ToTokens;
use std::sync::Arc;
use syn::{Attribute, Block, Fields, Item};

impl Program {
    /// Resolves all names of a source.
    ///
    /// Mistakes in functions of other modules, and in the block of the declaration, count when such a
    /// function is called: the compiler judges the declaration.
    ///
    /// # Errors
    /// All mistakes in the file.
    pub fn resolve(source: &Source, vocabulary: &dyn Vocabulary) -> Result<Self, Vec<Error>> {
        let files = source.files.iter().map(|file| Arc::clone(&file.name)).collect();
        let mut program = Self { files, ..Self::default() };
        let items = Items::of(source, &mut program);
        program.declare(&items);
        let mut mistakes = items.mistakes.clone();
        for (around, written, value) in &items.globals {
            let mut resolver = Resolver::new(&mut program, &items, vocabulary, *around);
            let code = resolver.global(written, value).map(Arc::new);
            let code = code.map_err(|error| error.of(&program.files));
            mistakes.extend(code.as_ref().err().filter(|_| around.file == OWN).cloned());
            program.globals.push(code);
        }
        for body in &items.bodies {
            let mut resolver = Resolver::new(&mut program, &items, vocabulary, body.around);
            let code = resolver.function(body.signature, body.block).map(Arc::new);
            let code = code.map_err(|error| error.of(&program.files));
            mistakes.extend(code.as_ref().err().filter(|_| !body.waits).cloned());
            program.functions[body.function as usize] = code;
        }
        let mistakes: Vec<Error> = mistakes.into_iter().map(|error| error.of(&program.files)).collect();
        if mistakes.is_empty() { Ok(program) } else { Err(mistakes) }
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
    ) -> Result<u32> {
        // The numbers of the items are those of the first time.
        let items = Items::of(source, &mut Self::default());
        let around = Around { file: OWN, this: self.model };
        let code = Resolver::new(self, &items, vocabulary, around).free(name, parameters, block);
        let code = code.map_err(|error| error.of(&self.files))?;
        self.functions.push(Ok(Arc::new(code)));
        Ok(self.functions.len() as u32 - 1)
    }

    /// The fields of structs and enums.
    fn declare(&mut self, items: &Items<'_>) {
        // First all variants by their names, then the types of fields, which may name any of them.
        for (around, item) in &items.data {
            let Some(number) = around.this else { continue };
            let (attributes, is_enum) = match item {
                Item::Struct(item) => (&item.attrs, false),
                Item::Enum(item) => (&item.attrs, true),
                _ => continue,
            };
            let (style, derives) = (serde(attributes, "rename_all"), derives_default(attributes));
            let mut default = None;
            let mut known = Vec::new();
            for (k, (name, fields, own)) in variants(item).into_iter().enumerate() {
                let json = serde(own, "rename").unwrap_or_else(|| renamed(&name, style.as_deref()));
                if derives && (!is_enum || own.iter().any(|attribute| attribute.path().is_ident("default"))) {
                    default = Some(k as u32);
                }
                let in_order = matches!(fields, Fields::Unnamed(_));
                let fields = fields.iter().enumerate().map(|(k, field)| self.field(k, field)).collect();
                known.push(Variant { names: [name, json], fields, in_order });
            }
            let data = &mut self.data[number as usize];
            (data.is_enum, data.variants, data.default) = (is_enum, known, default);
            data.documentation = documentation(attributes);
        }
        for (around, item) in &items.data {
            let reader = Reader { items, program: self, around: *around };
            let types: Vec<Vec<Type>> = variants(item)
                .iter()
                .map(|(_, fields, _)| fields.iter().map(|field| reader.read(&field.ty)).collect())
                .collect();
            let data = around.this.and_then(|number| self.data.get_mut(number as usize));
            let known = data.into_iter().flat_map(|data| &mut data.variants);
            for (variant, types) in known.zip(types) {
                variant.fields.iter_mut().zip(types).for_each(|(field, found)| field.r#type = found);
            }
        }
    }

    fn field(&mut self, position: usize, field: &syn::Field) -> Field {
        let name = field.ident.as_ref().map_or_else(|| position.to_string(), ToString::to_string);
        Field {
            symbol: self.symbol(&name),
            name: serde(&field.attrs, "rename").unwrap_or(name),
            r#type: Type::Unknown,
            written: field.ty.to_token_stream().to_string().replace(' ', ""),
            documentation: documentation(&field.attrs),
        }
    }
}

/// The name, the fields and the attributes of each variant; a struct is one.
fn variants(item: &Item) -> Vec<(String, &Fields, &[Attribute])> {
    match item {
        Item::Struct(item) => vec![(item.ident.to_string(), &item.fields, &item.attrs)],
        Item::Enum(item) => {
            let all = item.variants.iter();
            all.map(|one| (one.ident.to_string(), &one.fields, &one.attrs[..])).collect()
        }
        _ => Vec::new(),
    }
}

/// The words of the attributes of a name, such as `derive(…)`.
fn words(attributes: &[Attribute], name: &str) -> String {
    let lists = attributes.iter().filter(|attribute| attribute.path().is_ident(name));
    let words =
        lists.filter_map(|attribute| attribute.meta.require_list().ok()).map(|list| list.tokens.to_string());
    words.collect::<Vec<_>>().join(" , ")
}

fn derives_default(attributes: &[Attribute]) -> bool {
    words(attributes, "derive").split(',').any(|word| word.trim() == "Default")
}

/// The text of a word of serde, such as `rename = "…"`.
fn serde(attributes: &[Attribute], word: &str) -> Option<String> {
    let words = words(attributes, "serde");
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
