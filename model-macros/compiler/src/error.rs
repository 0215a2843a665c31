//! Mistakes: an accumulator that must be drained, and the catalogue of messages, by subject.
//!
//! A message tells the mistake in the user's words; where a remedy is known, a help line gives the code.

/// Declares messages `name(values): "mistake", help: "remedy";`, whose texts name the values in braces.
/// With `meant(near): "remedy"`, the remedy is the known word `near`, if there is one.
macro_rules! messages {
    ($($(#[$documentation:meta])* $name:ident($($value:ident: $Type:ty),*):
        $mistake:literal $(, help: $remedy:literal)? $(, meant($near:ident): $otherwise:literal)?;)+) => {
        $(
            $(#[$documentation])*
            pub(crate) fn $name(tokens: impl quote::ToTokens $(, $value: $Type)*) -> syn::Error {
                messages!(@told tokens, $mistake $(, $remedy)? $(, $near, $otherwise)?)
            }
        )+
    };
    (@told $tokens:ident, $mistake:literal) => { $crate::error::at($tokens, format_args!($mistake)) };
    (@told $tokens:ident, $mistake:literal, $remedy:literal) => {
        $crate::error::with_help($tokens, format_args!($mistake), format_args!($remedy))
    };
    (@told $tokens:ident, $mistake:literal, $near:ident, $otherwise:literal) => {{
        let help = $near.map_or_else(|| format!($otherwise), |near| format!("did you mean `{near}`?"));
        $crate::error::with_help($tokens, format_args!($mistake), help)
    }};
}

mod arithmetic;
mod declaration;
mod force;
pub(crate) mod formula;
mod habit;
mod intent;
mod moment;
mod near;
mod sensitive;
mod shape;
mod signal;

pub(crate) use arithmetic::*;
pub(crate) use declaration::*;
pub(crate) use force::*;
pub(crate) use formula::*;
pub(crate) use habit::*;
pub(crate) use intent::*;
pub(crate) use moment::*;
pub(crate) use near::*;
pub(crate) use sensitive::*;
pub(crate) use shape::*;
pub(crate) use signal::*;

use quote::ToTokens;
use std::fmt::Display;

/// Gathers mistakes, to report as many at once as possible.
#[derive(Debug, Default)]
pub struct Errors {
    list: Vec<syn::Error>,
}

impl Errors {
    /// Records a mistake; an equal mistake at the place counts once.
    pub(crate) fn push(&mut self, error: syn::Error) {
        let key = |e: &syn::Error| (e.to_string(), format!("{:?}", e.span().start()));
        if !self.list.iter().any(|known| key(known) == key(&error)) {
            self.list.push(error);
        }
    }

    /// True if there are no mistakes.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The number of mistakes so far.
    pub fn count(&self) -> usize {
        self.list.len()
    }

    /// All mistakes as one error, in the order of the text, or nothing.
    ///
    /// # Errors
    /// There are mistakes.
    pub fn drain(mut self) -> Result<(), syn::Error> {
        self.list.sort_by_key(|error| {
            let start = error.span().start();
            (start.line, start.column)
        });
        let mut all = self.list.into_iter();
        let Some(mut first) = all.next() else { return Ok(()) };
        for next in all {
            first.combine(next);
        }
        Err(first)
    }
}

fn at(tokens: impl ToTokens, message: impl Display) -> syn::Error {
    syn::Error::new_spanned(tokens, message)
}

fn with_help(tokens: impl ToTokens, message: impl Display, help: impl Display) -> syn::Error {
    syn::Error::new_spanned(tokens, format!("{message}\n\nhelp: {help}"))
}
