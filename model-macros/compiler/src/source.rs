//! The struct of a declaration, which stands beside its `impl`: comments of its fields say of parameters
//! who they are.
//!
//! rustc shows the attribute its `impl` alone, and says in which file that is.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::visit::Visit;
use syn::{Attribute, Expr, ExprLit, Ident, ItemStruct, Lit, Meta, Type};

/// The comments above something, line by line.
pub(crate) fn comments(attributes: &[Attribute]) -> String {
    let lines =
        attributes.iter().filter(|attribute| attribute.path().is_ident("doc")).filter_map(|attribute| {
            let Meta::NameValue(pair) = &attribute.meta else { return None };
            let Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) = &pair.value else { return None };
            Some(text.value().trim().to_owned())
        });
    lines.collect::<Vec<_>>().join("\n")
}

/// The names and comments of the fields of a model, as a list of pairs; an empty one where its struct stands
/// in another file, or not alone in this one.
pub(crate) fn fields(model: &Type) -> TokenStream {
    let pairs = of_file(model).unwrap_or_default();
    let pairs = pairs.iter().map(|(name, comment)| quote!((#name, #comment)));
    quote!(&[#(#pairs),*])
}

fn of_file(model: &Type) -> Option<Vec<(String, String)>> {
    let Type::Path(path) = model else { return None };
    let name = &path.path.segments.last()?.ident;
    let text = std::fs::read_to_string(Span::call_site().local_file()?).ok()?;
    let mut found = Structs { name, found: Vec::new() };
    found.visit_file(&syn::parse_file(&text).ok()?);
    let [item] = <[ItemStruct; 1]>::try_from(found.found).ok()?;
    let field = |field: &syn::Field| Some((field.ident.as_ref()?.to_string(), comments(&field.attrs)));
    Some(item.fields.iter().filter_map(field).collect())
}

/// All structs of a name.
struct Structs<'n> {
    name: &'n Ident,
    found: Vec<ItemStruct>,
}

impl<'ast> Visit<'ast> for Structs<'_> {
    fn visit_item_struct(&mut self, item: &'ast ItemStruct) {
        if item.ident == *self.name {
            self.found.push(item.clone());
        }
    }
}
