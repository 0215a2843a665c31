//! The compiler behind `#[lagrangian]`: a declaration in a subset of Rust → numeric kernels and their binding.
//!
//! `compile.rs` is the whole pipeline on one screen; each stage is a module that can be read alone:
//!
//! ```text
//! tokens ─ parse ─► Declaration ─ lower ─► Form over Graph ─ classify ─► families, facts ─ emit ─► Rust
//!            ast          names, shapes        sums, choices      mass, V, g        derivatives, kernels, binding
//! ```
//!
//! **Invariant.** Everything below this file speaks `proc_macro2`, so the whole compiler runs inside `cargo test`.

#![allow(
    clippy::float_cmp,
    reason = "numbers of the source are compared exactly: a factor is one, or it is not"
)]

mod ast;
mod classify;
mod compile;
#[cfg(test)]
mod counts;
mod differentiate;
mod eliminate;
mod emit;
mod error;
mod fallback;
mod graph;
mod intent;
mod latex;
mod lower;
#[cfg(test)]
mod mutations;
mod parse;
mod phase;
#[cfg(test)]
mod properties;
mod schedule;
mod side_by_side;
mod smoothness;
mod spelling;
mod symmetry;

/// Compiles the declaration of a mechanical system: see the documentation of `integrator-core`.
#[proc_macro_attribute]
pub fn lagrangian(
    arguments: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    compile::compile(arguments.into(), item.into()).into()
}
