//! The attribute `#[lagrangian]`: the compiler, called by rustc.
//!
//! All of it is in the library `least-action-compiler`, in the folder `compiler`.

use proc_macro::TokenStream;

/// Compiles the declaration of a mechanical system: see the documentation of `least-action`.
#[proc_macro_attribute]
pub fn lagrangian(arguments: TokenStream, item: TokenStream) -> TokenStream {
    least_action_compiler::compile(arguments.into(), item.into()).into()
}
