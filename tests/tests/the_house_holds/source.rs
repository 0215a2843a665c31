//! A file of Rust as the gate reads it.

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};

/// The names from the root of a crate to a module, or to an item.
pub(crate) type Path = Vec<String>;

/// The facts about a file.
#[derive(Default)]
pub(crate) struct Source {
    /// All imports, also in functions; and paths that begin with `crate`, `super` or `self`.
    pub(crate) uses: Vec<Path>,
    pub(crate) inline: Vec<Path>,
    /// Of each function in an `impl`: the type, the name, and the functions that it calls on `self`.
    pub(crate) functions: Vec<(String, String, Vec<String>)>,
    pub(crate) structs: Vec<(String, usize)>,
    /// The number of types marked `pub`: the lint `unreachable_pub` says which of them nobody reaches.
    pub(crate) types: usize,
}

impl Source {
    pub(crate) fn read(text: &str) -> syn::Result<Self> {
        let mut source = Self::default();
        source.visit_file(&syn::parse_file(text)?);
        Ok(source)
    }

    fn add_type(&mut self, vis: &syn::Visibility) {
        self.types += usize::from(matches!(vis, syn::Visibility::Public(_)));
    }
}

/// The paths of an import.
fn expand(tree: &syn::UseTree, prefix: &[String], paths: &mut Vec<Path>) {
    let with = |name: &syn::Ident| [prefix, &[name.to_string()]].concat();
    match tree {
        syn::UseTree::Path(of) => expand(&of.tree, &with(&of.ident), paths),
        syn::UseTree::Group(of) => of.items.iter().for_each(|tree| expand(tree, prefix, paths)),
        syn::UseTree::Name(of) => paths.push(with(&of.ident)),
        syn::UseTree::Rename(of) => paths.push(with(&of.ident)),
        syn::UseTree::Glob(_) => paths.push(prefix.to_vec()),
    }
}

fn begins_here(path: &[String]) -> bool {
    path.len() > 1 && matches!(path[0].as_str(), "crate" | "super" | "self")
}

/// The paths in the tokens of a macro.
fn paths(tokens: TokenStream, found: &mut Vec<Path>) {
    let (mut path, mut colons) = (Path::new(), 0);
    for token in tokens {
        match &token {
            TokenTree::Punct(sign) if sign.as_char() == ':' => colons += 1,
            TokenTree::Ident(name) if colons == 2 && !path.is_empty() => {
                path.push(name.to_string());
                colons = 0;
            }
            other => {
                found.push(std::mem::take(&mut path));
                colons = 0;
                match other {
                    TokenTree::Ident(name) => path.push(name.to_string()),
                    TokenTree::Group(group) => paths(group.stream(), found),
                    _ => {}
                }
            }
        }
    }
    found.push(path);
    found.retain(|path| begins_here(path));
}

impl<'a> Visit<'a> for Source {
    fn visit_item_use(&mut self, item: &'a syn::ItemUse) {
        expand(&item.tree, &[], &mut self.uses);
    }

    fn visit_path(&mut self, path: &'a syn::Path) {
        let names: Path = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.inline.extend(Some(names).filter(|names| begins_here(names)));
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, mac: &'a syn::Macro) {
        paths(mac.tokens.clone(), &mut self.inline);
        visit::visit_macro(self, mac);
    }

    fn visit_item_struct(&mut self, item: &'a syn::ItemStruct) {
        self.add_type(&item.vis);
        self.structs.push((item.ident.to_string(), item.fields.len()));
        visit::visit_item_struct(self, item);
    }

    fn visit_item_enum(&mut self, item: &'a syn::ItemEnum) {
        self.add_type(&item.vis);
        visit::visit_item_enum(self, item);
    }

    fn visit_item_trait(&mut self, item: &'a syn::ItemTrait) {
        self.add_type(&item.vis);
        visit::visit_item_trait(self, item);
    }

    fn visit_item_type(&mut self, item: &'a syn::ItemType) {
        self.add_type(&item.vis);
        visit::visit_item_type(self, item);
    }

    fn visit_item_macro(&mut self, item: &'a syn::ItemMacro) {
        // Tables that declare a public type each.
        let tables = ["errors", "method_of_beta"];
        self.types += usize::from(tables.iter().any(|table| item.mac.path.is_ident(table)));
        visit::visit_item_macro(self, item);
    }

    fn visit_item_union(&mut self, item: &'a syn::ItemUnion) {
        self.add_type(&item.vis);
        visit::visit_item_union(self, item);
    }

    fn visit_item_impl(&mut self, item: &'a syn::ItemImpl) {
        if let syn::Type::Path(of) = &*item.self_ty
            && let Some(name) = of.path.segments.last()
        {
            for inside in &item.items {
                let syn::ImplItem::Fn(function) = inside else { continue };
                let mut calls = Calls::default();
                calls.visit_block(&function.block);
                self.functions.push((name.ident.to_string(), function.sig.ident.to_string(), calls.0));
            }
        }
        visit::visit_item_impl(self, item);
    }
}

/// The functions that are called on `self` or `Self`.
#[derive(Default)]
struct Calls(Vec<String>);

impl<'a> Visit<'a> for Calls {
    fn visit_expr_method_call(&mut self, call: &'a syn::ExprMethodCall) {
        if matches!(&*call.receiver, syn::Expr::Path(of) if of.path.is_ident("self")) {
            self.0.push(call.method.to_string());
        }
        visit::visit_expr_method_call(self, call);
    }

    fn visit_path(&mut self, path: &'a syn::Path) {
        if path.segments.len() == 2 && path.segments[0].ident == "Self" {
            self.0.push(path.segments[1].ident.to_string());
        }
        visit::visit_path(self, path);
    }
}
