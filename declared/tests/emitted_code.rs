//! The code that binds an instance, as the compiler emits it, resolves for every ready model.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::float_cmp,
    reason = "a test may end at what is not there"
)]

use least_action_declared::rust::{Alone, Program, Vocabulary};
use quote::ToTokens;
use std::fs;
use support::source;
use syn::{Expr, ImplItem, Item};

mod support;

/// Knows every name that the library or the emitted code may have.
struct All;

impl Vocabulary for All {
    fn function(&self, path: &[&str]) -> Option<u32> {
        (path.contains(&"v1") || matches!(path.first(), Some(&("Families" | "__v1")))).then_some(0)
    }

    fn constant(&self, path: &[&str]) -> Option<u32> {
        let is_marker = |name: &str| {
            name.chars().all(|sign| sign.is_ascii_uppercase() || sign == '_' || sign.is_ascii_digit())
        };
        let of_library = path.iter().any(|word| matches!(*word, "v1" | "Kind" | "Reader"));
        (of_library || path.last().is_some_and(|last| is_marker(last))).then_some(0)
    }

    fn method(&self, _: &str) -> Option<u32> {
        Some(0)
    }
}

/// The methods of emitted code that take a binder, wherever they stand.
fn binding(items: Vec<Item>, found: &mut Vec<(String, syn::Block)>) {
    for item in items {
        match item {
            Item::Const(item) => {
                if let Expr::Block(block) = *item.expr {
                    let inside = block.block.stmts.into_iter().filter_map(|statement| match statement {
                        syn::Stmt::Item(item) => Some(item),
                        _ => None,
                    });
                    binding(inside.collect(), found);
                }
            }
            Item::Impl(item) => {
                for inside in item.items {
                    if let ImplItem::Fn(method) = inside
                        && method
                            .sig
                            .inputs
                            .iter()
                            .any(|input| input.to_token_stream().to_string().contains("Binder"))
                    {
                        found.push((method.sig.ident.to_string(), method.block));
                    }
                }
            }
            _ => {}
        }
    }
}

#[test]
fn the_binding_of_every_ready_model_resolves() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../models/src");
    let (mut functions, mut mistakes) = (0, Vec::new());
    let mut files: Vec<_> =
        fs::read_dir(folder).expect("the models").filter_map(Result::ok).map(|entry| entry.path()).collect();
    files.sort();
    for file in files.iter().filter_map(|path| path.file_stem()?.to_str()) {
        let source = source(file);
        let Some(declaration) = source.declarations().next() else { continue };
        let expanded =
            least_action_compiler::expand(&declaration.to_token_stream().to_string()).expect("no mistakes");
        let mut program = Program::resolve(&source, &Alone).expect("no mistakes");
        let mut found = Vec::new();
        binding(expanded.items, &mut found);
        for (name, block) in found {
            functions += 1;
            if let Err(error) = program.add(&source, (&name, &["self", "__binder", "bound"]), &block, &All) {
                mistakes.push(format!("{file}: {name}: {error}\n{}", block.to_token_stream()));
            }
        }
    }
    assert!(functions > 150, "{functions} functions");
    assert!(mistakes.is_empty(), "{} of {functions}:\n{}", mistakes.len(), mistakes.join("\n"));
}
