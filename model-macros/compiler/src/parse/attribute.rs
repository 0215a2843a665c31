//! The arguments of the attribute, `#[lagrangian(conserves(energy), mass = constant)]`.

use crate::ast::Intent;
use crate::error::{self, Errors};
use crate::spelling;
use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::parse::{ParseStream, Parser};
use syn::{Ident, Token};

/// Reads the arguments; what cannot be read is a mistake, and the rest is kept.
pub(super) fn intent(arguments: TokenStream, errors: &mut Errors) -> Intent {
    let mut intent = Intent::default();
    let mut inside: Vec<syn::Error> = Vec::new();
    let read = |input: ParseStream<'_>| {
        while !input.is_empty() {
            if let Err(error) = argument(&mut intent, input, &mut inside) {
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
    if let Err(error) = read.parse2(arguments) {
        errors.push(error);
    }
    inside.into_iter().for_each(|error| errors.push(error));
    intent
}

fn argument(intent: &mut Intent, input: ParseStream<'_>, errors: &mut Vec<syn::Error>) -> syn::Result<()> {
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
    Err(match (text.as_str(), spelling::nearest(&text, ["conserves", "mass"])) {
        ("conserves" | "mass", _) => error::attribute_argument(name),
        (_, Some(near)) => error::unknown_argument(name, &text, near),
        _ => error::attribute_argument(name),
    })
}
