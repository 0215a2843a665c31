//! The pipeline.

use crate::error::{self, Errors};
use crate::{classify, emit, fallback, lower, parse};
use proc_macro2::{Span, TokenStream};

/// Tokens of a declaration → tokens of its kernels, or of its mistakes.
pub(crate) fn compile(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let Ok(item) = syn::parse2::<syn::ItemImpl>(item) else {
        return error::not_an_impl(Span::call_site()).into_compile_error();
    };
    let mut errors = Errors::default();
    if !arguments.is_empty() {
        errors.push(error::attribute_arguments(arguments));
    }
    let stub = fallback::stub(&item);
    let Some(declaration) = parse::parse(item, &mut errors) else {
        return with_stub(errors, stub);
    };
    let mut lowered = lower::lower(&declaration, &mut errors);
    let classified = classify::classify(&mut lowered, &declaration, &mut errors);
    if !errors.is_empty() {
        return with_stub(errors, stub);
    }
    emit::emit(&declaration, &mut lowered, &classified)
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
