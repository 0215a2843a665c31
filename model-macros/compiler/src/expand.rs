//! The generated code of a declaration, for people.

use crate::compile::compiled;
use crate::emit::emit;
use crate::error::Errors;
use crate::parse::attribute;
use crate::shallow::{readable, shallow};
use proc_macro2::TokenStream;
use syn::{File, ItemImpl, Meta};

/// The Rust that a declaration becomes, to be laid out by `prettyplease`.
///
/// `declaration` is an `impl` block with its attribute, `#[lagrangian] impl Chain { … }`.
///
/// # Errors
/// The text is no `impl` block, or the declaration has mistakes.
pub fn expand(declaration: &str) -> syn::Result<File> {
    let mut errors = Errors::default();
    let tokens = readable(declaration.parse()?, &mut errors);
    let mut item: ItemImpl = syn::parse2(tokens)?;
    let mut arguments = TokenStream::new();
    item.attrs.retain(|attribute| {
        let ours = attribute.path().segments.last().is_some_and(|last| last.ident == "lagrangian");
        if let (true, Meta::List(list)) = (ours, &attribute.meta) {
            arguments = list.tokens.clone();
        }
        !ours
    });
    shallow(&mut item, &mut errors);
    let root = attribute::arguments(arguments.clone(), &mut Errors::default()).root;
    match compiled(arguments, item, &mut errors) {
        Some(compiled) => syn::parse2(root.write(emit(&compiled))),
        None => errors.drain().and_then(|()| syn::parse2(TokenStream::new())),
    }
}
