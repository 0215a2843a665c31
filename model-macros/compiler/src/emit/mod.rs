//! Families and facts → Rust: kernels, binding, and the implementation of `Model`.
//!
//! **Invariant.** The emitter does no mathematics and cannot fail: earlier stages found the mistakes and
//! the programs of the kernels. Code size depends on the declaration, never on the instance.

mod binding;
mod checked;
mod checksum;
mod documentation;
pub(crate) mod facts;
mod kernel;
mod near;
pub(crate) mod oracle;
mod parametric;
pub(crate) mod parts;
mod signal;
mod straight;
pub(crate) mod straight_line;

use crate::ast::{Declaration, Sort};
use crate::classify::{Dependence, Facts};
use crate::compiled::Compiled;
use crate::lower::Lowered;
use binding::Names;
pub use facts::ModelFacts;
use kernel::Printed;
use parts::{Function, Parts, snake};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use std::collections::BTreeSet;
use straight::Straight;
use syn::ext::IdentExt;
use syn::spanned::Spanned;

/// Emits the code of a declaration.
pub fn emit(compiled: &Compiled) -> TokenStream {
    let item = compiled.declaration.root.read(&compiled.declaration.item);
    let ordinary = oracle::ordinary(&item);
    let model = model(compiled);
    let oracle = oracle(compiled, oracle::emit);
    let warnings = compiled.proven.idle.iter().map(|(place, text)| warning(&item.attrs, *place, text));
    quote!(#ordinary #model #oracle #(#warnings)*)
}

/// The declaration as methods over dual numbers, in one of two forms.
pub(crate) fn oracle(
    Compiled { declaration, lowered, .. }: &Compiled,
    form: impl Fn(&syn::ItemImpl, &oracle::Roles<'_>, oracle::ClosureShapes<'_>) -> TokenStream,
) -> TokenStream {
    let shapes = &lowered.rust.closure_parameters;
    let roles = oracle::Roles {
        kept: declaration.beside.iter().map(|beside| &beside.function.name).zip(&lowered.kept).collect(),
        targets: declaration
            .of(Sort::Force)
            .map(|force| (&force.function.name, &declaration.coordinates[force.coordinate].name))
            .collect(),
        frequency: declaration.frequency.as_ref(),
        phase: declaration.phase.as_ref(),
    };
    form(&declaration.root.read(&declaration.item), &roles, &|parameter: &Ident| {
        let start = parameter.span().start();
        shapes.get(&(start.line, start.column)).and_then(|shape| oracle::Shape::of_name(shape))
    })
}

/// A warning of the compiler, which on stable Rust is the use of something deprecated.
fn warning(attributes: &[syn::Attribute], place: Span, text: &str) -> TokenStream {
    let allowed = attributes.iter().filter(|attribute| attribute.path().is_ident("allow"));
    let used = quote_spanned!(place=> WITHOUT_EFFECT);
    quote! {
        #(#allowed)*
        const _: () = {
            #[deprecated(note = #text)]
            const WITHOUT_EFFECT: () = ();
            #used
        };
    }
}

fn model(compiled: &Compiled) -> TokenStream {
    let Compiled { declaration, classified, proven, formulas, .. } = compiled;
    let parts = Parts::of(compiled);
    let documentation = documentation::documentation(declaration, classified, proven, formulas, &parts.found);
    let parametric = compiled.parametric.as_deref().map(parametric::parametric);
    let model = implementation(compiled, &parts, &documentation);
    quote!(#model #parametric)
}

/// The body of the function that puts all into a binder.
fn declare(declaration: &Declaration, Parts { begin, functions, .. }: &Parts<'_>) -> TokenStream {
    let (this, Names { binder, .. }) = (declaration.this(), Names::new());
    let names = functions.iter().map(|function| &function.name);
    quote!(#begin #(Families::#names(#this, #binder)?;)* ::core::result::Result::Ok(()))
}

/// A type for each function of Rust, which calls it as the user did, on dual numbers of any order.
fn opaque_functions(lowered: &Lowered) -> TokenStream {
    let functions = lowered.rust.functions.iter().enumerate();
    functions
        .map(|(k, (path, kinds))| {
            let name = straight_line::opaque_name(k);
            // A message of rustc about an unfit function must point to the call.
            let place = path.span();
            let here = Span::mixed_site().located_at(place);
            let (x, c) = (Ident::new("x", here), Ident::new("c", here));
            let (mut smooth, mut plain) = (0_usize, 0_usize);
            let arguments: Vec<TokenStream> = kinds
                .iter()
                .map(|is_smooth| {
                    let count = if *is_smooth { &mut smooth } else { &mut plain };
                    let at = Literal::usize_unsuffixed(*count);
                    *count += 1;
                    if *is_smooth {
                        quote_spanned!(place=> #x[#at])
                    } else {
                        quote_spanned!(place=> ::core::convert::Into::into(#c[#at]))
                    }
                })
                .collect();
            let (smooth, plain) = (Literal::usize_unsuffixed(smooth), Literal::usize_unsuffixed(plain));
            let documentation = format!(" `{}`", crate::parse::text(path));
            let call = quote_spanned!(place=> #path(#(#arguments),*));
            let number = quote_spanned!(place=> D);
            quote! {
                #[doc = #documentation]
                struct #name;

                impl ::least_action::emitted::v1::Opaque<#smooth, #plain> for #name {
                    fn at<D: ::least_action::expr::Number>(#x: [D; #smooth], #c: [f64; #plain]) -> #number {
                        #call
                    }
                }
            }
        })
        .collect()
}

/// The implementation of `Model` and its parts.
fn implementation(compiled: &Compiled, parts: &Parts<'_>, found: &str) -> TokenStream {
    let Compiled { declaration, classified, .. } = compiled;
    let model = &declaration.item.self_ty;
    let printed = Printed::of(&parts.kernels, &home(declaration));
    let straight = Straight::of(compiled, &parts.kernels, &printed.of).as_ref().map(Straight::items);
    let (this, Names { binder, .. }) = (declaration.this(), Names::new());
    let body = declare(declaration, parts);

    let facts = &classified.facts;
    let (markers, marker_module) = markers(declaration, facts);
    let mass = dependence(&facts.mass, "Constant", &markers);
    let force = dependence(&facts.force, "PositionOnly", &markers);
    let constrained = declaration.has(Sort::Holonomic);
    let of = |holds: bool| structure(if holds { "Something" } else { "Nothing" });
    let holonomy = of(constrained);
    let nonholonomic = declaration.has(Sort::Nonholonomic);
    let nonholonomy = of(nonholonomic);
    let stiffness = of(facts.stiff);
    let (forced, driven) = (declaration.is_forced(), declaration.frequency.is_some());
    let forcing = of(forced);
    let even = facts.even_in_phase == Some(true);
    let drive = if driven { fast_phase(even) } else { structure("Nothing") };
    let constant = facts::facts(compiled);
    let faces = faces(fits(declaration, facts));
    let sensitive = parametric::items(declaration);
    let implementation = quote! {
        #[doc = #found]
        impl ::least_action::Model for #model {
            type Mass = #mass;
            type Force = #force;
            type Holonomy = #holonomy;
            type Nonholonomy = #nonholonomy;
            type Stiffness = #stiffness;
            type Forcing = #forcing;
            type Drive = #drive;

            #constant

            #straight

            fn declare(&#this, #binder: &mut ::least_action::emitted::v1::Binder)
                -> ::core::result::Result<(), ::least_action::error::BindError> {
                #body
            }

            #sensitive

            #faces
        }
    };
    let scope = scope(compiled, (parts, &printed), &implementation);
    quote!(#marker_module #scope)
}

/// The code of the families, with an implementation that calls it, in a scope of its own.
fn scope(
    compiled: &Compiled,
    (parts, printed): (&Parts<'_>, &Printed),
    implementation: &TokenStream,
) -> TokenStream {
    let Compiled { declaration, lowered, .. } = compiled;
    let model = &declaration.item.self_ty;
    let Printed { code: kernels, modules, .. } = printed;
    let (this, Names { binder, .. }) = (declaration.this(), Names::new());
    // A function of its own for each family, so that none grows large.
    let signatures = parts.functions.iter().map(|Function { name, .. }| {
        quote! {
            fn #name(&#this, #binder: &mut ::least_action::emitted::v1::Binder)
                -> ::core::result::Result<(), ::least_action::error::BindError>
        }
    });
    let texts = parts.functions.iter().map(|function| format!(" Finds the elements of `{}`.", function.text));
    let bodies = parts.functions.iter().map(|function| &function.body);
    let (declarations, functions) = (signatures.clone(), signatures);
    let (code_module, opaque) = (code_module(declaration, modules), opaque_functions(lowered));
    quote! {
        #code_module

        #[allow(
            non_camel_case_types,
            non_shorthand_field_patterns,
            unused_imports,
            clippy::all,
            clippy::pedantic,
            clippy::restriction,
            clippy::nursery,
            unreachable_patterns,
            unused_braces,
            unused_parens,
            unused_variables,
            reason = "emitted code: what matters here is that it is straight-line and exact"
        )]
        const _: () = {
            use ::least_action::emitted::v1 as __v1;
            use __v1::{MatrixColumns as _, Ports as _};
            use ::least_action::expr::{pairs, sum};

            #kernels
            #opaque

            /// The loops of the declaration, one for each term family.
            trait Families {
                #(#[doc = #texts] #declarations;)*
            }

            impl Families for #model {
                #(#functions { #bodies ::core::result::Result::Ok(()) })*
            }

            #implementation
        };
    }
}

/// The kinds that a bound system may be, as `Faces` names them.
const FACES: [&str; 11] = [
    "natural",
    "stiff",
    "constrained",
    "holonomic",
    "nonholonomic",
    "forced",
    "driven",
    "vibrated",
    "even_in_phase",
    "constrained_vibrated",
    "constrained_even",
];

/// The kinds that a bound system is.
fn fits(declaration: &Declaration, facts: &Facts) -> [bool; 11] {
    let (constrained, driven) = (declaration.has(Sort::Holonomic), declaration.frequency.is_some());
    let (forced, even) = (declaration.is_forced(), facts.even_in_phase == Some(true));
    let nonholonomic = declaration.has(Sort::Nonholonomic);
    let natural = facts.mass == Dependence::None && facts.force == Dependence::None && !nonholonomic;
    // Averaging methods know only the forces of the Lagrangian.
    let averaged = natural && !forced;
    [
        natural,
        natural && facts.stiff,
        natural && constrained,
        constrained,
        nonholonomic,
        forced,
        driven,
        averaged && driven,
        averaged && even,
        averaged && constrained && driven,
        averaged && constrained && even,
    ]
}

/// The method that gives the bound system as the kinds that it is.
pub(crate) fn faces(fits: [bool; 11]) -> TokenStream {
    let kinds = FACES.map(|kind| format_ident!("{kind}"));
    let values = fits.map(|fits| optional(fits.then(|| quote!(bound))));
    quote! {
        // Callers in other crates find it compiled here, with the optimization of this crate.
        #[inline(never)]
        fn faces(bound: &::least_action::Bound<Self>) -> ::least_action::emitted::v1::Faces<'_> {
            ::least_action::emitted::v1::Faces { mechanics: bound, #(#kinds: #values),* }
        }
    }
}

fn optional(value: Option<TokenStream>) -> TokenStream {
    value.map_or_else(
        || quote!(::core::option::Option::None),
        |value| quote!(::core::option::Option::Some(#value)),
    )
}

/// The type for the dependence of the motion on the fast phase.
fn fast_phase(even: bool) -> TokenStream {
    let (phase, evenness) = (structure("FastPhase"), structure(if even { "Even" } else { "NotEven" }));
    quote!(#phase<#evenness>)
}

fn structure(name: &str) -> TokenStream {
    let name = Ident::new(name, Span::mixed_site());
    quote!(::least_action::emitted::v1::#name)
}

fn involved(dependence: &Dependence) -> BTreeSet<usize> {
    match dependence {
        Dependence::None => BTreeSet::new(),
        Dependence::Proven(all) | Dependence::Unproven(all) => all.clone(),
    }
}

/// The marker types of coordinates that structure types name, and the module that holds them.
fn markers(declaration: &Declaration, facts: &Facts) -> (Vec<TokenStream>, TokenStream) {
    let module = format_ident!("{}_coordinates", snake(&declaration.model.unraw().to_string()));
    let all: Vec<TokenStream> = declaration
        .coordinates
        .iter()
        .map(|coordinate| {
            let name = &coordinate.name;
            quote!(#module::#name)
        })
        .collect();
    let named: BTreeSet<usize> = involved(&facts.mass).union(&involved(&facts.force)).copied().collect();
    if named.is_empty() {
        return (all, TokenStream::new());
    }
    let types = named.into_iter().map(|k| {
        let name = &declaration.coordinates[k].name;
        let text = format!(" The coordinate `{name}`.");
        quote! {
            #[doc = #text]
            #[derive(Debug, Clone, Copy)]
            pub struct #name;
        }
    });
    let text = format!(
        " The coordinates of [`{}`](super::{0}) as types, for the compiler's messages.",
        declaration.model
    );
    let code = quote! {
        #[doc = #text]
        #[allow(non_camel_case_types, reason = "messages name coordinates as their author wrote them")]
        pub mod #module {
            #(#types)*
        }
    };
    (all, code)
}

/// The name of the module of a model's kernels.
fn home(declaration: &Declaration) -> Ident {
    let of_parameters = if declaration.parametric { "_of_parameters" } else { "" };
    format_ident!("{}_code{of_parameters}", snake(&declaration.model.unraw().to_string()))
}

/// The module with the kernels, beside the model: rustc compiles modules in a block one after the other.
fn code_module(declaration: &Declaration, modules: &TokenStream) -> TokenStream {
    if modules.is_empty() {
        return TokenStream::new();
    }
    let home = home(declaration);
    quote! {
        #[doc(hidden)]
        #[allow(missing_docs, missing_debug_implementations, unreachable_pub, reason = "emitted code: types that only stand for a place")]
        mod #home {
            #modules
        }
    }
}

fn dependence(dependence: &Dependence, free: &str, markers: &[TokenStream]) -> TokenStream {
    let (name, all) = match dependence {
        Dependence::None => return structure(free),
        Dependence::Proven(all) => ("DependsOn", all),
        Dependence::Unproven(all) => ("Unproven", all),
    };
    let (name, types) = (structure(name), all.iter().map(|k| &markers[*k]));
    quote!(#name<(#(#types,)*)>)
}
