//! One `self` for a declaration whose methods its author and the author's macros write.
//!
//! Rustc tells a macro's `self`, the one of its own method, from every other `self` by its span.
//! The emitted methods have the receiver of the Lagrangian, and take expressions of all helpers.

use proc_macro2::{Group, Span, TokenStream, TokenTree};

/// The declaration with the Lagrangian's `self` in place of each; messages point to the old places.
pub(crate) fn with_one_self(declaration: TokenStream) -> TokenStream {
    match lagrangian(&declaration) {
        Some(written) => resolved(declaration, written),
        None => declaration,
    }
}

/// The span of the name `lagrangian`.
fn lagrangian(stream: &TokenStream) -> Option<Span> {
    let mut before = None;
    for token in stream.clone() {
        let found = match &token {
            TokenTree::Ident(name) if name == "lagrangian" && before.is_some_and(|word| word == "fn") => {
                Some(name.span())
            }
            TokenTree::Group(group) => lagrangian(&group.stream()),
            _ => None,
        };
        if found.is_some() {
            return found;
        }
        before = if let TokenTree::Ident(word) = token { Some(word) } else { None };
    }
    None
}

fn resolved(stream: TokenStream, written: Span) -> TokenStream {
    let one = |token| match token {
        TokenTree::Group(group) => {
            let mut inner = Group::new(group.delimiter(), resolved(group.stream(), written));
            inner.set_span(group.span());
            inner.into()
        }
        TokenTree::Ident(mut name) if name == "self" => {
            name.set_span(name.span().resolved_at(written));
            name.into()
        }
        other => other,
    };
    stream.into_iter().map(one).collect()
}
