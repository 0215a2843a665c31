//! What stands in for a declaration with mistakes, so that the user sees our errors and no others.

use crate::emit::oracle;
use proc_macro2::TokenStream;
use quote::quote;
use syn::ItemImpl;

/// The ordinary part of the block, and an implementation of `Model` that promises everything: code that uses the model
/// stays free of errors about traits.
pub(crate) fn stub(item: &ItemImpl) -> TokenStream {
    if item.trait_.is_some() || !item.generics.params.is_empty() {
        return TokenStream::new();
    }
    let model = &item.self_ty;
    let ordinary = oracle::ordinary(item);
    quote! {
        #ordinary

        const _: () = {
            impl ::integrator_core::Model for #model {
                type Mass = ::integrator_core::structure::Constant;
                type Force = ::integrator_core::structure::PositionOnly;
                type Holonomy = ::integrator_core::structure::Constraints;
                type Stiffness = ::integrator_core::structure::StiffPart;

                const NAME: &'static str = "";
                const DOCUMENTATION: &'static str = "";
                const STRUCTURE: ::integrator_core::binding::Structure = ::integrator_core::binding::Structure {
                    mass: ::integrator_core::binding::Dependence::None,
                    force: ::integrator_core::binding::Dependence::None,
                    time: false,
                    stiff: false,
                    constrained: false,
                };

                fn declare(&self, _: &mut ::integrator_core::binding::Binder)
                    -> ::core::result::Result<(), ::integrator_core::error::BindError> {
                    ::core::result::Result::Ok(())
                }

                fn natural(_: &::integrator_core::Bound<Self>)
                    -> ::core::option::Option<&dyn ::integrator_core::system::Natural> {
                    ::core::option::Option::None
                }

                fn stiff(_: &::integrator_core::Bound<Self>)
                    -> ::core::option::Option<&dyn ::integrator_core::system::Stiff> {
                    ::core::option::Option::None
                }

                fn constrained(_: &::integrator_core::Bound<Self>)
                    -> ::core::option::Option<&dyn ::integrator_core::system::Constrained> {
                    ::core::option::Option::None
                }

                fn holonomic(_: &::integrator_core::Bound<Self>)
                    -> ::core::option::Option<&dyn ::integrator_core::system::Holonomic> {
                    ::core::option::Option::None
                }
            }
        };
    }
}
