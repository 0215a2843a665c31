//! Names that emitted code uses and nobody binds.

use proc_macro2::TokenStream;
use std::collections::BTreeSet;
use syn::visit::{self, Visit};
use syn::{
    Arm, Block, ExprClosure, ExprForLoop, ExprPath, Generics, ImplItemFn, ItemFn, Pat, PatIdent, Signature,
};

/// The names of variables that `file` uses and does not bind, and `source` does not contain: rustc
/// judges the text of the author, emitted names must be right.
pub(super) fn unbound(file: &syn::File, source: &TokenStream) -> BTreeSet<String> {
    let mut known = BTreeSet::new();
    words(source, &mut known);
    let mut scopes = Scopes { scopes: vec![known], unbound: BTreeSet::new() };
    scopes.visit_file(file);
    scopes.unbound
}

fn words(stream: &TokenStream, into: &mut BTreeSet<String>) {
    for tree in stream.clone() {
        match tree {
            proc_macro2::TokenTree::Ident(word) => {
                into.insert(word.to_string());
            }
            proc_macro2::TokenTree::Group(group) => words(&group.stream(), into),
            _ => {}
        }
    }
}

/// The names bound in the open blocks, the innermost last.
struct Scopes {
    scopes: Vec<BTreeSet<String>>,
    unbound: BTreeSet<String>,
}

impl Scopes {
    fn bind(&mut self, pattern: &Pat) {
        struct Names<'a>(&'a mut BTreeSet<String>);
        impl<'ast> Visit<'ast> for Names<'_> {
            fn visit_pat_ident(&mut self, name: &'ast PatIdent) {
                self.0.insert(name.ident.to_string());
                visit::visit_pat_ident(self, name);
            }
        }
        if let Some(innermost) = self.scopes.last_mut() {
            Names(innermost).visit_pat(pattern);
        }
    }

    fn inside(&mut self, work: impl FnOnce(&mut Self)) {
        self.scopes.push(BTreeSet::new());
        work(self);
        self.scopes.pop();
    }

    fn function(&mut self, signature: &Signature, block: &Block) {
        self.inside(|scopes| {
            for input in &signature.inputs {
                if let syn::FnArg::Typed(argument) = input {
                    scopes.bind(&argument.pat);
                }
            }
            scopes.generics(&signature.generics);
            scopes.visit_block(block);
        });
    }

    fn generics(&mut self, generics: &Generics) {
        for constant in generics.const_params() {
            if let Some(innermost) = self.scopes.last_mut() {
                innermost.insert(constant.ident.to_string());
            }
        }
    }
}

impl<'ast> Visit<'ast> for Scopes {
    fn visit_item_fn(&mut self, function: &'ast ItemFn) {
        self.function(&function.sig, &function.block);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast ImplItemFn) {
        self.function(&function.sig, &function.block);
    }

    fn visit_block(&mut self, block: &'ast Block) {
        self.inside(|scopes| visit::visit_block(scopes, block));
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        visit::visit_local(self, local);
        self.bind(&local.pat);
    }

    fn visit_expr_closure(&mut self, closure: &'ast ExprClosure) {
        self.inside(|scopes| {
            closure.inputs.iter().for_each(|input| scopes.bind(input));
            scopes.visit_expr(&closure.body);
        });
    }

    fn visit_expr_for_loop(&mut self, repeated: &'ast ExprForLoop) {
        self.visit_expr(&repeated.expr);
        self.inside(|scopes| {
            scopes.bind(&repeated.pat);
            scopes.visit_block(&repeated.body);
        });
    }

    fn visit_expr_let(&mut self, condition: &'ast syn::ExprLet) {
        visit::visit_expr_let(self, condition);
        self.bind(&condition.pat);
    }

    fn visit_arm(&mut self, arm: &'ast Arm) {
        self.inside(|scopes| {
            scopes.bind(&arm.pat);
            visit::visit_arm(scopes, arm);
        });
    }

    fn visit_expr_path(&mut self, path: &'ast ExprPath) {
        let Some(name) = path.path.get_ident().filter(|_| path.qself.is_none()) else { return };
        let name = name.to_string();
        // Types and constants are items; they stand elsewhere.
        let is_item = name.starts_with(|first: char| first.is_uppercase());
        if !is_item && name != "self" && !self.scopes.iter().any(|scope| scope.contains(&name)) {
            self.unbound.insert(name);
        }
    }
}
