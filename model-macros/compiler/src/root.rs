//! The path of the crate `least_action`: `::least_action`, or the attribute's `crate = path`.
//!
//! The emitter writes `::least_action` alone.
//! [`Root::read`] writes the author's paths alike, where the emitter looks into them.
//! [`Root::write`] gives all emitted code the author's path.

use proc_macro2::{Group, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::ToTokens;
use std::borrow::Cow;
use syn::parse::{Parse, Parser};
use syn::{Ident, ItemImpl, Path};

/// The path to the crate; `None` where it is `::least_action`.
#[derive(Debug, Clone, Default)]
pub(crate) struct Root(pub(crate) Option<Path>);

impl Root {
    /// The declaration with `::least_action` where its author writes the path.
    pub(crate) fn read<'d>(&self, declaration: &'d ItemImpl) -> Cow<'d, ItemImpl> {
        let image = self.0.as_ref().and_then(|path| {
            let from = tokens(path.to_token_stream());
            syn::parse2(replaced(declaration.to_token_stream(), &from, &usual())).ok()
        });
        image.map_or(Cow::Borrowed(declaration), Cow::Owned)
    }

    /// Emitted code with the path of the author.
    pub(crate) fn write(&self, code: TokenStream) -> TokenStream {
        match &self.0 {
            None => code,
            Some(path) => replaced(code, &usual(), &tokens(path.to_token_stream())),
        }
    }
}

/// `::least_action`.
fn usual() -> Vec<TokenTree> {
    let colon = |spacing| TokenTree::from(Punct::new(':', spacing));
    let name = Ident::new("least_action", Span::call_site());
    vec![colon(Spacing::Joint), colon(Spacing::Alone), name.into()]
}

fn tokens(stream: TokenStream) -> Vec<TokenTree> {
    stream.into_iter().collect()
}

/// The stream with `to` in place of `from` at the beginning of each path.
/// The new tokens take the place of the old ones, so that messages point there.
fn replaced(stream: TokenStream, from: &[TokenTree], to: &[TokenTree]) -> TokenStream {
    let all = tokens(stream);
    let (mut image, mut at) = (TokenStream::new(), 0);
    while let Some(token) = all.get(at) {
        if begins(&all, at, from) {
            let place = token.span();
            image.extend(to.iter().cloned().map(|mut token| {
                // Of all names, `$crate` alone means the crate that writes it.
                let written = if token.to_string() == "$crate" { token.span() } else { Span::call_site() };
                token.set_span(written.located_at(place));
                token
            }));
            at += from.len();
            continue;
        }
        at += 1;
        image.extend([match token {
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), replaced(group.stream(), from, to));
                inner.set_span(group.span());
                inner.into()
            }
            other => other.clone(),
        }]);
    }
    image
}

/// True if a path begins at a place with these tokens, and goes on behind them.
fn begins(all: &[TokenTree], at: usize, with: &[TokenTree]) -> bool {
    let same = |(a, b): (&TokenTree, &TokenTree)| a.to_string() == b.to_string();
    let Some(found) = all.get(at..at + with.len()) else { return false };
    let behind = &all[at + with.len()..];
    let goes_on = behind.len() > 1 && behind[..2].iter().all(is_colon);
    goes_on && found.iter().zip(with).all(same) && !is_inside(&all[..at], is_colon(&with[0]))
}

/// True if the tokens before a place belong to a path that goes on there.
fn is_inside(before: &[TokenTree], from_colons: bool) -> bool {
    match before {
        [.., TokenTree::Ident(name)] => from_colons && is_segment(name),
        [.., first, second] => is_colon(first) && is_colon(second),
        _ => false,
    }
}

/// True for a name, and for a keyword that may begin a path.
fn is_segment(name: &Ident) -> bool {
    let is_name = Ident::parse.parse2(name.to_token_stream()).is_ok();
    is_name || ["crate", "self", "super", "Self"].iter().any(|word| name == word)
}

fn is_colon(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == ':')
}
