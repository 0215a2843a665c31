//! Reads the documentation of a model's struct, and of its fields, from the file of the declaration.
//!
//! The attribute sees its `impl` block alone.
//! Structs of other files, and structs that share their name in the file, have no documentation here.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::SystemTime;
use syn::ext::IdentExt as _;
use syn::visit::{self, Visit};
use syn::{Attribute, FnArg, ImplItem, ItemImpl, ItemStruct, Pat, Type};

/// The documentation of a struct.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Documented {
    pub(crate) text: String,
    /// The name and the documentation of each documented field.
    pub(crate) fields: Vec<(String, String)>,
}

/// The structs of a file by their names; `None` for a name that several share.
type Structs = BTreeMap<String, Option<Documented>>;

thread_local! {
    /// The file that was read last: most often the next declaration stands in it too.
    static FILE: RefCell<(PathBuf, Option<SystemTime>, Structs)> = RefCell::default();
}

/// The documentation of the struct of a declaration.
pub(crate) fn documented(declaration: &ItemImpl) -> Documented {
    let Type::Path(model) = &*declaration.self_ty else { return Documented::default() };
    let Some(name) = model.path.get_ident() else { return Documented::default() };
    let Some(path) = name.span().local_file() else { return Documented::default() };
    let changed = std::fs::metadata(&path).and_then(|file| file.modified()).ok();
    FILE.with_borrow_mut(|(read, at, structs)| {
        if (&*read, *at) != (&path, changed) {
            *structs = std::fs::read_to_string(&path).map_or_else(|_| Structs::new(), |text| find(&text));
            (*read, *at) = (path, changed);
        }
        structs.get(&name.to_string()).cloned().flatten().unwrap_or_default()
    })
}

/// The structs in Rust source.
fn find(text: &str) -> Structs {
    struct Found(Structs);

    impl<'ast> Visit<'ast> for Found {
        fn visit_item_struct(&mut self, item: &'ast ItemStruct) {
            let fields = item.fields.iter().filter_map(|field| {
                let text = documentation(&field.attrs);
                Some((field.ident.as_ref()?.to_string(), text)).filter(|(_, text)| !text.is_empty())
            });
            let documented = Documented { text: documentation(&item.attrs), fields: fields.collect() };
            let name = item.ident.to_string();
            let again = self.0.contains_key(&name);
            self.0.insert(name, (!again).then_some(documented));
            visit::visit_item_struct(self, item);
        }
    }

    let mut found = Found(Structs::new());
    if let Ok(file) = syn::parse_file(text) {
        found.visit_file(&file);
    }
    found.0
}

/// The names and the comments of the arguments of `lagrangian`, the coordinates.
pub(crate) fn comments_on_arguments(declaration: &ItemImpl) -> Vec<(String, String)> {
    let methods = declaration.items.iter().filter_map(|item| match item {
        ImplItem::Fn(method) if method.sig.ident == "lagrangian" => Some(&method.sig.inputs),
        _ => None,
    });
    let comment = |argument: &FnArg| match argument {
        FnArg::Typed(typed) => match &*typed.pat {
            Pat::Ident(name) => Some((name.ident.unraw().to_string(), documentation(&typed.attrs))),
            _ => None,
        },
        FnArg::Receiver(_) => None,
    };
    methods.flatten().filter_map(comment).filter(|(_, text)| !text.is_empty()).collect()
}

/// The text of doc comments.
pub fn documentation(attributes: &[Attribute]) -> String {
    let lines =
        attributes.iter().filter(|attribute| attribute.path().is_ident("doc")).filter_map(|attribute| {
            let syn::Meta::NameValue(pair) = &attribute.meta else { return None };
            let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) = &pair.value else {
                return None;
            };
            Some(text.value().trim().to_owned())
        });
    lines.collect::<Vec<_>>().join("\n")
}
