//! One `self`, and one name for each coordinate, for a declaration whose methods its author and the
//! author's macros write.
//!
//! Rustc tells a macro's `self`, the one of its own method, from every other `self` by its span, and
//! names of arguments, too. The emitted methods have the receiver and the coordinates of the
//! Lagrangian, and take expressions of all helpers.

use proc_macro2::{Group, Span, TokenStream, TokenTree};

/// The declaration with the Lagrangian's `self` and coordinates in place of each; messages point to the
/// old places.
pub(crate) fn with_one_self(declaration: TokenStream) -> TokenStream {
    match lagrangian(&declaration) {
        Some(names) => resolved(declaration, &names),
        None => declaration,
    }
}

/// `self` and the arguments of `lagrangian`, with the spans at which they are written.
fn lagrangian(stream: &TokenStream) -> Option<Vec<(String, Span)>> {
    let mut tokens = stream.clone().into_iter().peekable();
    let mut before = None;
    while let Some(token) = tokens.next() {
        match (&token, tokens.peek()) {
            (TokenTree::Ident(name), Some(TokenTree::Group(arguments)))
                if name == "lagrangian" && before.is_some_and(|word| word == "fn") =>
            {
                let this = ("self".to_owned(), name.span());
                return Some(std::iter::once(this).chain(names(arguments.stream())).collect());
            }
            (TokenTree::Group(group), _) => {
                if let Some(found) = lagrangian(&group.stream()) {
                    return Some(found);
                }
            }
            _ => {}
        }
        before = if let TokenTree::Ident(word) = token { Some(word) } else { None };
    }
    None
}

/// The names before the colons of a list of arguments.
fn names(arguments: TokenStream) -> Vec<(String, Span)> {
    let tokens: Vec<TokenTree> = arguments.into_iter().collect();
    let is = |at: usize, mark: char| matches!(tokens.get(at), Some(TokenTree::Punct(found)) if found.as_char() == mark);
    let names = tokens.iter().enumerate().filter_map(|(at, token)| match token {
        TokenTree::Ident(name) if at > 0 && is(at - 1, ',') && is(at + 1, ':') && !is(at + 2, ':') => {
            Some((name.to_string(), name.span()))
        }
        _ => None,
    });
    names.collect()
}

fn resolved(stream: TokenStream, names: &[(String, Span)]) -> TokenStream {
    let one = |token| match token {
        TokenTree::Group(group) => {
            let mut inner = Group::new(group.delimiter(), resolved(group.stream(), names));
            inner.set_span(group.span());
            inner.into()
        }
        TokenTree::Ident(mut name) => {
            if let Some((_, written)) = names.iter().find(|(known, _)| name == known) {
                name.set_span(name.span().resolved_at(*written));
            }
            name.into()
        }
        other => other,
    };
    stream.into_iter().map(one).collect()
}
