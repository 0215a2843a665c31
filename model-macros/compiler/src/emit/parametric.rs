//! The code of a model with sensitive parameters: their numbers, and the families that read them.

use super::binding::Names;
use super::kernel::Printed;
use super::parts::Parts;
use super::straight_line::internal;
use super::{declare, home, scope};
use crate::ast::Declaration;
use crate::compiled::Compiled;
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};

/// The items of the model that read and write the parameters; none without `sensitive(…)`.
pub(super) fn items(declaration: &Declaration) -> Option<TokenStream> {
    let fields = declaration.sensitive.as_ref()?;
    let this = declaration.this();
    let [all, values] = ["all", "values"].map(internal);
    // A message of rustc about the type of a field must point to its name.
    let reads = fields.iter().map(|field| {
        let place = Span::mixed_site().located_at(field.span());
        quote_spanned!(place=> #all.extend_from_slice(__v1::Parameter::numbers(&#this.#field));)
    });
    let writes = fields.iter().map(|field| {
        let place = Span::mixed_site().located_at(field.span());
        quote_spanned!(place=> __v1::Parameter::write(&mut #this.#field, &mut #values);)
    });
    let Names { binder, .. } = Names::new();
    Some(quote! {
        fn parameters(&#this) -> ::std::vec::Vec<f64> {
            let mut #all = ::std::vec::Vec::new();
            #(#reads)*
            #all
        }

        fn write_parameters(&mut #this, mut #values: &[f64]) {
            #(#writes)*
        }

        fn declare_sensitive(&#this, #binder: &mut __v1::Binder)
            -> ::core::result::Result<(), ::least_action::error::BindError> {
            __v1::Sensitive::declare_sensitive(#this, #binder)
        }
    })
}

/// The families of the declaration with its sensitive parameters as coordinates.
pub(super) fn parametric(compiled: &Compiled) -> TokenStream {
    let Compiled { declaration, .. } = compiled;
    let model = &declaration.item.self_ty;
    let parts = Parts::of(compiled);
    let printed = Printed::of(&parts.kernels, &home(declaration));
    let (this, Names { binder, .. }) = (declaration.this(), Names::new());
    let body = declare(declaration, &parts);
    let implementation = quote! {
        impl __v1::Sensitive for #model {
            fn declare_sensitive(&#this, #binder: &mut __v1::Binder)
                -> ::core::result::Result<(), ::least_action::error::BindError> {
                #body
            }
        }
    };
    scope(compiled, (&parts, &printed), &implementation)
}
