//! The code in place of a declaration with mistakes, so that the user sees our errors alone.

use crate::emit::{faces, oracle};
use crate::parse::first_lifetime;
use proc_macro2::TokenStream;
use quote::quote;
use syn::ItemImpl;

/// The ordinary part of the block, and an implementation of `Model` that promises everything: code that
/// uses the model stays free of errors about traits.
pub(crate) fn stub(item: &ItemImpl) -> TokenStream {
    let model = &item.self_ty;
    if !matches!(&**model, syn::Type::Path(_)) {
        // Rustc would refuse an implementation of `Model`, too.
        return TokenStream::new();
    }
    let ordinary = if item.trait_.is_some() { TokenStream::new() } else { oracle::ordinary(item) };
    if first_lifetime(model).is_some() {
        // A model cannot borrow: rustc would refuse the implementation.
        return ordinary;
    }
    let (impl_generics, _, where_clause) = item.generics.split_for_impl();
    let clauses = where_clause.map(|clause| clause.predicates.iter().collect::<Vec<_>>()).unwrap_or_default();
    // The bounds of a model are required of the parameters rather than proven.
    let generic = (!item.generics.params.is_empty())
        .then(|| quote!(#model: ::core::marker::Send + ::core::marker::Sync + 'static,));
    let bounds = quote!(where #(#clauses,)* #generic);
    let faces = faces([false; 11]);
    quote! {
        #ordinary

        const _: () = {
            impl #impl_generics ::least_action::expr::Oracle for #model #bounds {
                fn lagrangian_dual<T: ::least_action::expr::Number>(&self, _: &[T], _: &[T], _: T) -> T {
                    T::zero()
                }

                fn stiff_dual<T: ::least_action::expr::Number>(&self, _: &[T], _: T) -> T {
                    T::zero()
                }

                fn constraints_dual<T: ::least_action::expr::Number>(&self, _: &[T], _: T)
                    -> ::std::vec::Vec<T> {
                    ::std::vec::Vec::new()
                }
            }

            impl #impl_generics ::least_action::emitted::v1::Declared for #model #bounds {
                const DECLARATION: &'static str = "";
            }

            impl #impl_generics ::least_action::Model for #model #bounds {
                type Mass = ::least_action::emitted::v1::Constant;
                type Force = ::least_action::emitted::v1::PositionOnly;
                type Holonomy = ::least_action::emitted::v1::Something;
                type Nonholonomy = ::least_action::emitted::v1::Nothing;
                type Stiffness = ::least_action::emitted::v1::Something;
                type Forcing = ::least_action::emitted::v1::Nothing;
                type Drive = ::least_action::emitted::v1::FastPhase<::least_action::emitted::v1::Even>;

                const FACTS: &'static ::least_action::emitted::v1::Facts =
                    &::least_action::emitted::v1::Facts::of("");

                fn declare(&self, _: &mut ::least_action::emitted::v1::Binder)
                    -> ::core::result::Result<(), ::least_action::error::BindError> {
                    ::core::result::Result::Ok(())
                }

                #faces
            }
        };
    }
}
