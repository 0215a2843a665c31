//! One `self` for a declaration whose methods are written in several places: by its author and by macros of the author's.
//!
//! A macro's `self` means the one of the method that the macro writes, and rustc tells it from every other by its span.
//! The emitted methods have one receiver, and move expressions of all helpers into them.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};

/// The `self` of all emitted methods.
pub(crate) fn this() -> Ident {
    Ident::new("self", Span::call_site())
}

/// The declaration with that `self` wherever one stands; messages point where they did.
pub(crate) fn with_one_self(stream: TokenStream) -> TokenStream {
    let one = |token| match token {
        TokenTree::Group(group) => {
            let mut inner = Group::new(group.delimiter(), with_one_self(group.stream()));
            inner.set_span(group.span());
            inner.into()
        }
        TokenTree::Ident(mut name) if name == "self" => {
            name.set_span(name.span().resolved_at(Span::call_site()));
            name.into()
        }
        other => other,
    };
    stream.into_iter().map(one).collect()
}
