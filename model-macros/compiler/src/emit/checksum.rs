//! A number by which a program distinguishes declarations.
//!
//! It depends on the words and signs of the declaration, and not on its documentation, spaces or place.
//! So a declaration that is laid out anew keeps its number, and a changed sign changes it.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;

/// FNV-1a: good enough for the declarations of one author.
struct Sum(u64);

/// The number of a declaration.
pub(super) fn checksum(declaration: &impl ToTokens) -> u64 {
    let mut sum = Sum(0xcbf2_9ce4_8422_2325);
    sum.stream(declaration.to_token_stream());
    sum.0
}

impl Sum {
    fn text(&mut self, text: &str) {
        // A byte that no word holds ends each word.
        for byte in text.bytes().chain([0]) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    }

    fn stream(&mut self, tokens: TokenStream) {
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            match token {
                TokenTree::Punct(sign) if sign.as_char() == '#' && tokens.peek().is_some_and(documents) => {
                    tokens.next();
                }
                TokenTree::Group(group) => {
                    let [begin, end] = match group.delimiter() {
                        Delimiter::Parenthesis => ["(", ")"],
                        Delimiter::Brace => ["{", "}"],
                        Delimiter::Bracket => ["[", "]"],
                        Delimiter::None => ["", ""],
                    };
                    self.text(begin);
                    self.stream(group.stream());
                    self.text(end);
                }
                other => self.text(&other.to_string()),
            }
        }
    }
}

/// True for the group behind the `#` of a doc comment.
fn documents(token: &TokenTree) -> bool {
    let TokenTree::Group(group) = token else { return false };
    let first = group.stream().into_iter().next();
    group.delimiter() == Delimiter::Bracket && first.is_some_and(|word| word.to_string() == "doc")
}
