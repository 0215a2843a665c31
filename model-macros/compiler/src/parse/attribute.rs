//! The arguments of the attribute, `#[lagrangian(conserves(energy), sensitive(mass), crate = physics)]`.

use crate::ast::Intent;
use crate::error::{self, Errors};
use crate::root::Root;
use crate::spelling;
use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::parse::{ParseStream, Parser};
use syn::{Ident, Path, Token};

/// The arguments.
#[derive(Default)]
pub(crate) struct Arguments {
    pub(crate) intent: Intent,
    pub(crate) sensitive: Option<Vec<Ident>>,
    pub(crate) root: Root,
}

/// Reads the arguments; an unreadable one is a mistake, and the rest is kept.
pub(crate) fn arguments(tokens: TokenStream, errors: &mut Errors) -> Arguments {
    let mut arguments = Arguments::default();
    let mut inside: Vec<syn::Error> = Vec::new();
    let read = |input: ParseStream<'_>| {
        while !input.is_empty() {
            if let Err(error) = argument(&mut arguments, input, &mut inside) {
                inside.push(error);
                while !input.is_empty() && !input.peek(Token![,]) {
                    input.parse::<proc_macro2::TokenTree>()?;
                }
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(())
    };
    if let Err(error) = read.parse2(tokens) {
        errors.push(error);
    }
    inside.into_iter().for_each(|error| errors.push(error));
    arguments
}

fn argument(
    Arguments { intent, sensitive, root }: &mut Arguments,
    input: ParseStream<'_>,
    errors: &mut Vec<syn::Error>,
) -> syn::Result<()> {
    if input.peek(Token![crate]) {
        root.0 = Some(root_path(input)?);
        return Ok(());
    }
    if !input.peek(Ident) {
        let token: proc_macro2::TokenTree = input.parse()?;
        return Err(error::attribute_argument(token));
    }
    let name: Ident = input.parse()?;
    if name == "conserves" && input.peek(syn::token::Paren) {
        let content;
        syn::parenthesized!(content in input);
        let words = content.parse_terminated(<Ident as syn::parse::Parse>::parse, Token![,])?;
        if words.is_empty() {
            errors.push(error::conserves_nothing(name));
        }
        intent.conserves.extend(words);
        return Ok(());
    }
    if name == "sensitive" && input.peek(syn::token::Paren) {
        let content;
        syn::parenthesized!(content in input);
        let all = sensitive.get_or_insert_default();
        for field in content.parse_terminated(<Ident as syn::parse::Parse>::parse, Token![,])? {
            if all.contains(&field) {
                errors.push(error::doubled_parameter(&field, &field.to_string()));
            } else {
                all.push(field);
            }
        }
        return Ok(());
    }
    if name == "mass" && input.peek(Token![=]) {
        input.parse::<Token![=]>()?;
        let value: syn::Expr = input.parse()?;
        if value.to_token_stream().to_string() == "constant" {
            intent.constant_mass = Some(name);
        } else {
            errors.push(error::mass_is(value));
        }
        return Ok(());
    }
    let text = name.to_string();
    Err(match (text.as_str(), spelling::nearest(&text, ["conserves", "mass", "sensitive", "crate"])) {
        ("conserves" | "mass" | "sensitive", _) => error::attribute_argument(name),
        (_, Some(near)) => error::unknown_argument(name, &text, near),
        _ => error::attribute_argument(name),
    })
}

/// The path in `crate = path`.
/// Emitted code stands in modules of its own, so no path may begin with `self` or `super`.
fn root_path(input: ParseStream<'_>) -> syn::Result<Path> {
    let word: Token![crate] = input.parse()?;
    if !input.peek(Token![=]) {
        return Err(error::crate_is_a_path(word));
    }
    let equals: Token![=] = input.parse()?;
    if input.is_empty() || input.peek(Token![,]) {
        return Err(error::crate_is_a_path(quote::quote!(#word #equals)));
    }
    let next: proc_macro2::TokenTree = input.fork().parse()?;
    let path = input.call(Path::parse_mod_style).map_err(|_| error::crate_is_a_path(next))?;
    match path.segments.first() {
        Some(first) if ["self", "super", "Self"].iter().any(|word| first.ident == word) => {
            Err(error::relative_crate(path))
        }
        _ => Ok(path),
    }
}
