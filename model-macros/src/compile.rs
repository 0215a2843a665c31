//! The pipeline.

use crate::error::{self, Errors};
use crate::intent::{self, Intent};
use crate::{classify, emit, fallback, lower, parse, phase, symmetry};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::Item;

/// Tokens of a declaration → tokens of its kernels, or of its mistakes.
pub(crate) fn compile(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let item = match syn::parse2::<Item>(item) {
        Ok(Item::Impl(item)) => item,
        Ok(other) => return misplaced(&other),
        Err(error) => return error.into_compile_error(),
    };
    let mut errors = Errors::default();
    let intent = Intent::parse(arguments, &mut errors);
    let stub = fallback::stub(&item);
    let Some(mut declaration) = parse::parse(item, &mut errors) else {
        return with_stub(errors, stub);
    };
    declaration.intent = intent;
    let mut lowered = lower::lower(&declaration, &mut errors);
    let even_in_phase = phase::resolve(&mut lowered);
    let mut classified = classify::classify(&mut lowered, &declaration, &mut errors);
    classified.facts.even_in_phase = even_in_phase;
    if errors.is_empty() {
        intent::check(&declaration, &lowered, &classified, &mut errors);
    }
    // What a force adds or takes, no Lagrangian knows: with one, nothing is known to be conserved.
    if let (Some(word), Some(force)) = (declaration.intent.conserves.first(), declaration.forces.first()) {
        errors.push(error::force_breaks(&force.function.name, &word.to_string()));
    }
    if !errors.is_empty() {
        return with_stub(errors, stub);
    }
    let symmetries =
        if declaration.forces.is_empty() { symmetry::find(&lowered, &declaration) } else { Vec::new() };
    emit::emit(&declaration, &mut lowered, &classified, &symmetries)
}

/// What stands where an `impl` should: it stays what it is.
fn misplaced(item: &Item) -> TokenStream {
    let head = match item {
        Item::Struct(item) => {
            let (keyword, name) = (&item.struct_token, &item.ident);
            quote!(#keyword #name)
        }
        Item::Enum(item) => {
            let (keyword, name) = (&item.enum_token, &item.ident);
            quote!(#keyword #name)
        }
        Item::Fn(item) => item.sig.to_token_stream(),
        Item::Trait(item) => {
            let (keyword, name) = (&item.trait_token, &item.ident);
            quote!(#keyword #name)
        }
        other => other.to_token_stream(),
    };
    let error = error::not_an_impl(head).into_compile_error();
    quote!(#error #item)
}

fn with_stub(errors: Errors, stub: TokenStream) -> TokenStream {
    match errors.drain() {
        Ok(()) => stub,
        Err(all) => {
            let mut tokens = all.into_compile_error();
            tokens.extend(stub);
            tokens
        }
    }
}
