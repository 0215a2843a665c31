//! A number by which a program tells a declaration from another one.
//!
//! It is made of the words and signs of the declaration: neither of its documentation, nor of what
//! stands between them, nor of the place where it stands.
//! So it is one for a declaration that was laid out anew, and another one for a sign that was changed.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;

/// FNV-1a, as far as declarations of one author have to be told apart.
struct Sum(u64);

/// The number of a declaration.
pub(super) fn checksum(declaration: &impl ToTokens) -> u64 {
    let mut sum = Sum(0xcbf2_9ce4_8422_2325);
    sum.stream(declaration.to_token_stream());
    sum.0
}

impl Sum {
    fn text(&mut self, text: &str) {
        // What no word holds ends each of them.
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

/// True for what stands behind the `#` of a comment that documents something.
fn documents(token: &TokenTree) -> bool {
    let TokenTree::Group(group) = token else { return false };
    let first = group.stream().into_iter().next();
    group.delimiter() == Delimiter::Bracket && first.is_some_and(|word| word.to_string() == "doc")
}
