//! The compiler behind `#[lagrangian]`.

mod emit;

use proc_macro::TokenStream;
use quote::quote;

/// Temporary glue: the second route alone.
#[proc_macro_attribute]
pub fn lagrangian(_: TokenStream, item: TokenStream) -> TokenStream {
    let item = match syn::parse::<syn::ItemImpl>(item) {
        Ok(item) => item,
        Err(error) => return error.into_compile_error().into(),
    };
    let (ordinary, oracle) = (emit::oracle::ordinary(&item), emit::oracle::emit(&item, &|_| None));
    quote!(#ordinary #oracle).into()
}
