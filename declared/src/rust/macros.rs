//! The macros of std that stand for expressions.

use super::error::Error;
use proc_macro2::TokenStream;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Expr, Pat, Token};

/// What a macro stands for.
pub(crate) enum Written {
    List(Vec<Expr>),
    Repeat(Box<[Expr; 2]>),
    Fails(String),
    Asserts(Box<Expr>, String),
    Matches(Box<Expr>, Box<Pat>),
}

/// Reads the tokens of a macro.
pub(crate) fn written(name: &str, tokens: &TokenStream) -> Result<Written, Error> {
    let mistaken = |error: syn::Error| Error::new(error.to_string());
    let all = |input: ParseStream<'_>| Punctuated::<Expr, Token![,]>::parse_terminated(input);
    let listed = || Parser::parse2(all, tokens.clone()).map_err(mistaken);
    let text = |list: &Punctuated<Expr, Token![,]>, at: usize| match list.iter().nth(at) {
        Some(Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. })) => text.value(),
        _ => String::new(),
    };
    Ok(match name {
        "vec" => {
            let repeat = |input: ParseStream<'_>| {
                let value = Expr::parse(input)?;
                input.parse::<Token![;]>()?;
                Ok(Box::new([value, Expr::parse(input)?]))
            };
            match Parser::parse2(repeat, tokens.clone()) {
                Ok(both) => Written::Repeat(both),
                Err(_) => Written::List(listed()?.into_iter().collect()),
            }
        }
        "panic" | "unreachable" | "todo" | "unimplemented" => {
            let words = text(&listed()?, 0);
            Written::Fails(if words.is_empty() { format!("`{name}!`") } else { words })
        }
        "assert" | "debug_assert" => {
            let list = listed()?;
            let words = text(&list, 1);
            let condition =
                list.into_iter().next().ok_or_else(|| Error::new("`assert!` needs a condition"))?;
            Written::Asserts(
                Box::new(condition),
                if words.is_empty() { "assertion failed".to_owned() } else { words },
            )
        }
        "assert_eq" | "debug_assert_eq" => {
            let mut list = listed()?.into_iter();
            let (Some(left), Some(right)) = (list.next(), list.next()) else {
                return Err(Error::new("`assert_eq!` needs two values"));
            };
            let both = Expr::Binary(syn::ExprBinary {
                attrs: Vec::new(),
                left: Box::new(left),
                op: syn::BinOp::Eq(Token![==](proc_macro2::Span::call_site())),
                right: Box::new(right),
            });
            Written::Asserts(Box::new(both), "assertion `left == right` failed".to_owned())
        }
        "matches" => {
            let parts = |input: ParseStream<'_>| {
                let value = Expr::parse(input)?;
                input.parse::<Token![,]>()?;
                let pattern = Pat::parse_multi_with_leading_vert(input)?;
                let pattern = if input.peek(Token![if]) {
                    let if_token = input.parse()?;
                    let guard = Box::new(Expr::parse(input)?);
                    Pat::Guard(syn::PatGuard { attrs: Vec::new(), pat: Box::new(pattern), if_token, guard })
                } else {
                    pattern
                };
                input.parse::<Option<Token![,]>>()?;
                Ok(Written::Matches(Box::new(value), Box::new(pattern)))
            };
            Parser::parse2(parts, tokens.clone()).map_err(mistaken)?
        }
        _ => return Err(Error::refused(&format!("the macro `{name}!`"))),
    })
}
