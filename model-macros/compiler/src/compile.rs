//! The pipeline.

use crate::classify::classify;
use crate::compiled::Compiled;
use crate::emit::emit;
use crate::error::{self, Errors};
use crate::fallback;
use crate::kernels::differentiate;
#[cfg(feature = "formulas")]
use crate::latex::formulas;
use crate::lower::lower;
use crate::parametric::parametric;
use crate::parse::{attribute, parse};
use crate::prove::prove;
use crate::shallow::{readable, shallow};
use crate::this::with_one_self;
use crate::torque::as_forces;
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::{Item, ItemEnum, ItemImpl, ItemStruct, ItemTrait};

/// Tokens of a declaration → tokens of its kernels, or of its mistakes.
///
/// `arguments` stand in the attribute, and `item` is the `impl` block below it.
pub fn compile(arguments: TokenStream, item: TokenStream) -> TokenStream {
    // The stage `parse` reports mistakes in the arguments.
    let root = attribute::arguments(arguments.clone(), &mut Errors::default()).root;
    root.write(code(arguments, with_one_self(item)))
}

/// The code, in which the crate is `::least_action`.
fn code(arguments: TokenStream, item: TokenStream) -> TokenStream {
    match read(arguments, item) {
        Ok((compiled, text)) => {
            let (code, model) = (emit(&compiled), &compiled.declaration.item.self_ty);
            quote! {
                #code

                impl ::least_action::emitted::v1::Declared for #model {
                    const DECLARATION: &'static str = #text;
                }
            }
        }
        Err((error, stub)) => {
            let mistakes = error.into_compile_error();
            quote!(#mistakes #stub)
        }
    }
}

/// All stages but the last, with the text of the declaration; or its mistakes, with the code that stands
/// in for the model, so that no others follow from them.
pub(crate) fn read(
    arguments: TokenStream,
    item: TokenStream,
) -> Result<(Compiled, String), (syn::Error, TokenStream)> {
    let mut errors = Errors::default();
    let refused = |errors: Errors, stub: TokenStream| match errors.drain() {
        Err(error) => (error, stub),
        Ok(()) => (syn::Error::new(Span::call_site(), "the declaration has a mistake"), stub),
    };
    let item = readable(item, &mut errors);
    let text = quote!(#[lagrangian(#arguments)] #item).to_string();
    let mut item = match syn::parse2::<Item>(item) {
        // Without its deep parts the item may be no Rust.
        Err(_) if !errors.is_empty() => return Err(refused(errors, TokenStream::new())),
        Ok(Item::Impl(item)) => item,
        Ok(other) => return Err(misplaced(&other)),
        Err(error) => return Err((error, TokenStream::new())),
    };
    // Without its deep parts the item may have mistakes that its author did not make.
    let mut ignored = Errors::default();
    shallow(&mut item, if errors.is_empty() { &mut errors } else { &mut ignored });
    let stub = fallback::stub(&item);
    if !errors.is_empty() {
        return Err(refused(errors, stub));
    }
    match compiled(arguments, item, &mut errors) {
        Some(compiled) => Ok((compiled, text)),
        None => Err(refused(errors, stub)),
    }
}

/// All stages but the last; `None` if there are mistakes, which join `errors`.
pub fn compiled(arguments: TokenStream, mut item: ItemImpl, errors: &mut Errors) -> Option<Compiled> {
    as_forces(&mut item, errors);
    let declaration = parse(arguments, item, errors)?;
    let mut lowered = lower(&declaration, errors);
    let classified = classify(&mut lowered, &declaration, errors);
    let proven = prove(&declaration, &lowered, &classified, errors);
    if !errors.is_empty() {
        return None;
    }
    let kernels = differentiate(&declaration, &lowered, &classified, errors)?;
    #[cfg(feature = "formulas")]
    let formulas = formulas(&declaration, &lowered);
    #[cfg(not(feature = "formulas"))]
    let formulas = crate::latex::Formulas::default();
    let parametric = match &declaration.sensitive {
        Some(_) => Some(Box::new(parametric(&declaration, errors)?)),
        None => None,
    };
    Some(Compiled { declaration, lowered, classified, proven, kernels, formulas, parametric })
}

/// The error for an item that is no `impl`, with the unchanged item behind it.
fn misplaced(item: &Item) -> (syn::Error, TokenStream) {
    let head = match item {
        Item::Struct(ItemStruct { struct_token, ident, .. }) => quote!(#struct_token #ident),
        Item::Enum(ItemEnum { enum_token, ident, .. }) => quote!(#enum_token #ident),
        Item::Fn(item) => item.sig.to_token_stream(),
        Item::Trait(ItemTrait { trait_token, ident, .. }) => quote!(#trait_token #ident),
        other => other.to_token_stream(),
    };
    (error::not_an_impl(head), item.to_token_stream())
}
