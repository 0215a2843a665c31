//! What the author states about a model, `#[lagrangian(conserves(energy), mass = constant)]`, and whether it holds.
//!
//! A statement that does not hold is a mistake of the terms that break it: they are underlined.

mod check;
#[cfg(test)]
mod tests;
mod written;

pub(crate) use check::check;
pub(crate) use written::Written;

use crate::error::{self, Errors};
use crate::spelling;
use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::parse::{ParseStream, Parser};
use syn::{Ident, Token};

/// The arguments of the attribute.
#[derive(Debug, Default)]
pub(crate) struct Intent {
    /// What is to be conserved, as written.
    pub(crate) conserves: Vec<Ident>,
    /// The word `mass`, where the mass matrix is to be constant.
    pub(crate) constant_mass: Option<Ident>,
}

/// The words of `conserves(…)` that are no momentum of a named coordinate.
const WORDS: [&str; 3] = ["energy", "linear_momentum", "angular_momentum"];

impl Intent {
    /// Whether anything is stated.
    pub(crate) fn any(&self) -> bool {
        !self.conserves.is_empty() || self.constant_mass.is_some()
    }

    /// Reads the arguments; what cannot be read is a mistake, and the rest is kept.
    pub(crate) fn parse(arguments: TokenStream, errors: &mut Errors) -> Self {
        let mut intent = Self::default();
        let mut inside: Vec<syn::Error> = Vec::new();
        let read = |input: ParseStream<'_>| {
            while !input.is_empty() {
                if let Err(error) = intent.argument(input, &mut inside) {
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

    fn argument(&mut self, input: ParseStream<'_>, errors: &mut Vec<syn::Error>) -> syn::Result<()> {
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
            self.conserves.extend(words);
            return Ok(());
        }
        if name == "mass" && input.peek(Token![=]) {
            input.parse::<Token![=]>()?;
            let value: syn::Expr = input.parse()?;
            if value.to_token_stream().to_string() == "constant" {
                self.constant_mass = Some(name);
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
}
