//! The generated code of a declaration, for people.

use crate::compile::compiled;
use crate::emit::emit;
use crate::error::Errors;
use crate::shallow::{readable, shallow};
use proc_macro2::TokenStream;
use syn::{ItemImpl, Meta};

/// The Rust that a declaration becomes, laid out to be read.
///
/// `declaration` is an `impl` block with its attribute, `#[lagrangian] impl Chain { … }`.
///
/// # Errors
/// The text is no `impl` block, or the declaration has mistakes.
pub fn expand(declaration: &str) -> syn::Result<String> {
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
    match compiled(arguments, item, &mut errors) {
        Some(compiled) => Ok(prettyplease::unparse(&syn::parse2(emit(&compiled))?)),
        None => errors.drain().map(|()| String::new()),
    }
}
