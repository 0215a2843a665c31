//! Families and facts → Rust: kernels, binding, and the implementation of `Model`.
//!
//! **Invariant.** There is no mathematics here beyond asking for derivatives, and nothing here can fail: mistakes were found
//! before. Code size depends on the declaration, never on the instance.

mod binding;
mod kernel;
pub(crate) mod oracle;
mod straight_line;

use crate::ast::{Coordinate, Declaration, Kind};
use crate::classify::{Classified, Dependence, Family};
use crate::graph::Leaf;
use crate::lower::Lowered;
use binding::{Loops, Names, describe, entry_text, families};
use kernel::{Sizes, Use, kernel};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use std::collections::BTreeSet;
use syn::ext::IdentExt;

/// Emits everything that a declaration becomes.
pub(crate) fn emit(declaration: &Declaration, lowered: &mut Lowered, classified: &Classified) -> TokenStream {
    let ordinary = oracle::ordinary(&declaration.item);
    let shapes = &lowered.closure_parameters;
    let oracle = oracle::emit(&declaration.item, &|parameter: &Ident| {
        let start = parameter.span().start();
        shapes.get(&(start.line, start.column)).and_then(|shape| oracle::Shape::of_name(shape))
    });
    let model = model(declaration, lowered, classified);
    quote!(#ordinary #model #oracle)
}

/// What is collected while families are emitted.
#[derive(Default)]
struct Parts {
    kernels: TokenStream,
    declarations: TokenStream,
    functions: TokenStream,
    calls: TokenStream,
}

impl Parts {
    /// A function of its own for each family, so that none grows large.
    fn function(&mut self, name: &Ident, text: &str, body: &TokenStream) {
        let Names { binder, .. } = Names::new();
        // `self` must be the one that the user's expressions mean.
        let this = Ident::new("self", Span::call_site());
        let signature = quote! {
            fn #name(&#this, #binder: &mut ::integrator_core::binding::Binder)
                -> ::core::result::Result<(), ::integrator_core::error::BindError>
        };
        let documentation = format!(" Finds the elements of `{text}`.");
        self.declarations.extend(quote!(#[doc = #documentation] #signature;));
        self.functions.extend(quote!(#signature { #body ::core::result::Result::Ok(()) }));
        self.calls.extend(quote!(Families::#name(#this, #binder)?;));
    }
}

fn model(declaration: &Declaration, lowered: &mut Lowered, classified: &Classified) -> TokenStream {
    let names: Vec<String> = declaration.coordinates.iter().map(|c| c.name.unraw().to_string()).collect();
    let mut parts = Parts::default();

    for (k, family) in classified.mass.iter().enumerate() {
        let text = describe(&lowered.graph, lowered, &names, family.node);
        let body = Loops { lowered, names: Names::new() }.mass(family, &text, &names);
        parts.function(&format_ident!("mass_{k}"), &text, &body);
    }
    let sorts: [(&[Family], Use, &str); 3] = [
        (&classified.potential, Use::Potential, "potential"),
        (&classified.stiff, Use::Potential, "stiff"),
        (&classified.general, Use::General, "general"),
    ];
    for (members, used, sort) in sorts {
        for (k, family) in members.iter().enumerate() {
            let text = describe(&lowered.graph, lowered, &names, family.node);
            let marker = format_ident!("{}{k}", capitalized(sort), span = Span::mixed_site());
            let reads = reads(family, lowered, &names);
            let kernel = kernel(&mut lowered.graph, family, used, &marker, &text, &reads);
            parts.kernels.extend(kernel.code);
            let finish = Ident::new(sort, Span::mixed_site());
            let body = Loops { lowered, names: Names::new() }.family(
                family,
                &marker,
                &kernel.sizes,
                &quote!(#finish),
            );
            parts.function(&format_ident!("{sort}_{k}"), &text, &body);
        }
    }
    for (place, (plan, function)) in classified.constraints.iter().zip(&declaration.constraints).enumerate() {
        let method = function.name.unraw().to_string();
        let mut markers: Vec<(Ident, Sizes)> = Vec::new();
        for (k, family) in families(plan).into_iter().enumerate() {
            let text = describe(&lowered.graph, lowered, &names, family.node);
            let marker = format_ident!("{}_{place}_{k}", capitalized(&method), span = Span::mixed_site());
            let reads = reads(family, lowered, &names);
            let kernel = kernel(&mut lowered.graph, family, Use::Constraint, &marker, &text, &reads);
            parts.kernels.extend(kernel.code);
            markers.push((marker, kernel.sizes));
        }
        let body = Loops { lowered, names: Names::new() }.constraint(plan, &method, &markers);
        parts.function(&format_ident!("constraint_{method}"), &method, &body);
    }
    implementation(declaration, classified, &parts)
}

/// What an element of a family reads, in the user's words.
fn reads(family: &Family, lowered: &Lowered, names: &[String]) -> Vec<String> {
    let mut texts: Vec<String> = Vec::new();
    for leaf in &family.inputs {
        let text = match *leaf {
            Leaf::Position { gather, .. } => entry_text(lowered, names, gather),
            Leaf::Velocity { gather, .. } => format!("der({})", entry_text(lowered, names, gather)),
            Leaf::Direction { .. } | Leaf::Coefficient(_) => continue,
            Leaf::Time => "t".to_owned(),
        };
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    texts
}

/// The author's documentation of the declaration.
fn documentation(item: &syn::ItemImpl) -> String {
    let lines =
        item.attrs.iter().filter(|attribute| attribute.path().is_ident("doc")).filter_map(|attribute| {
            let syn::Meta::NameValue(pair) = &attribute.meta else { return None };
            let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) = &pair.value else {
                return None;
            };
            Some(text.value().trim().to_owned())
        });
    lines.collect::<Vec<_>>().join("\n")
}

/// The implementation of `Model` and what it needs.
fn implementation(declaration: &Declaration, classified: &Classified, parts: &Parts) -> TokenStream {
    let model = &declaration.item.self_ty;
    let name = declaration.model.unraw().to_string();
    let Parts { kernels, declarations, functions, calls } = parts;
    let this = Ident::new("self", Span::call_site());
    let Names { binder, .. } = Names::new();
    let coordinates = declaration.coordinates.iter().map(|coordinate| {
        let Coordinate { name, kind, lengths } = coordinate;
        let (name, kind) = (name.unraw().to_string(), kind_code(*kind));
        quote!(#binder.coordinate(#name, #kind, &[#(#lengths),*])?;)
    });

    let facts = &classified.facts;
    let (markers, marker_module) = markers(declaration, facts);
    let mass = dependence(&facts.mass, "Constant", &markers);
    let force = dependence(&facts.force, "PositionOnly", &markers);
    let constrained = !declaration.constraints.is_empty();
    let holonomy = structure(if constrained { "Constraints" } else { "Nothing" });
    let stiffness = structure(if facts.stiff { "StiffPart" } else { "Nothing" });
    let natural = facts.mass == Dependence::None && facts.force == Dependence::None;
    let (is_stiff, time) = (facts.stiff, facts.time);
    let documentation = documentation(&declaration.item);
    let mass_fact = dependence_value(declaration, &facts.mass);
    let force_fact = dependence_value(declaration, &facts.force);
    let face = |fits: bool| {
        if fits { quote!(::core::option::Option::Some(bound)) } else { quote!(::core::option::Option::None) }
    };
    let argument = |fits: bool| if fits { quote!(bound) } else { quote!(_) };
    let faces = [
        ("natural", "Natural", natural),
        ("stiff", "Stiff", natural && is_stiff),
        ("constrained", "Constrained", natural && constrained),
        ("holonomic", "Holonomic", constrained),
    ]
    .map(|(method, face_trait, fits)| {
        let (method, face_trait) = (format_ident!("{method}"), format_ident!("{face_trait}"));
        let (value, argument) = (face(fits), argument(fits));
        quote! {
            fn #method(#argument: &::integrator_core::Bound<Self>)
                -> ::core::option::Option<&dyn ::integrator_core::system::#face_trait> {
                #value
            }
        }
    });
    quote! {
        #marker_module

        #[allow(
            non_camel_case_types,
            non_shorthand_field_patterns,
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
            use ::integrator_core::binding::Kernel as _;
            #[allow(unused_imports, reason = "the words of the language mean the same wherever a declaration stands")]
            use ::integrator_core::expr::{pairs, sum};

            #kernels

            /// The loops of the declaration, one for each term family.
            trait Families {
                #declarations
            }

            impl Families for #model {
                #functions
            }

            impl ::integrator_core::Model for #model {
                type Mass = #mass;
                type Force = #force;
                type Holonomy = #holonomy;
                type Stiffness = #stiffness;

                const NAME: &'static str = #name;
                const DOCUMENTATION: &'static str = #documentation;
                const STRUCTURE: ::integrator_core::binding::Structure = ::integrator_core::binding::Structure {
                    mass: #mass_fact,
                    force: #force_fact,
                    time: #time,
                    stiff: #is_stiff,
                    constrained: #constrained,
                };

                fn declare(&#this, #binder: &mut ::integrator_core::binding::Binder)
                    -> ::core::result::Result<(), ::integrator_core::error::BindError> {
                    #(#coordinates)*
                    #calls
                    ::core::result::Result::Ok(())
                }

                #(#faces)*
            }
        };
    }
}

fn kind_code(kind: Kind) -> TokenStream {
    let name = Ident::new(kind.name(), Span::mixed_site());
    quote!(::integrator_core::system::Kind::#name)
}

fn structure(name: &str) -> TokenStream {
    let name = Ident::new(name, Span::mixed_site());
    quote!(::integrator_core::structure::#name)
}

fn involved(dependence: &Dependence) -> BTreeSet<usize> {
    match dependence {
        Dependence::None => BTreeSet::new(),
        Dependence::Proven(all) | Dependence::Unproven(all) => all.clone(),
    }
}

/// The same as [`dependence`], as a value.
fn dependence_value(declaration: &Declaration, dependence: &Dependence) -> TokenStream {
    let names = involved(dependence).into_iter().map(|k| declaration.coordinates[k].name.unraw().to_string());
    let path = quote!(::integrator_core::binding::Dependence);
    match dependence {
        Dependence::None => quote!(#path::None),
        Dependence::Proven(_) => quote!(#path::Proven(&[#(#names),*])),
        Dependence::Unproven(_) => quote!(#path::Unproven(&[#(#names),*])),
    }
}

/// The marker type of each coordinate that a structure type has to name, and the module that holds them.
fn markers(declaration: &Declaration, facts: &crate::classify::Facts) -> (Vec<TokenStream>, TokenStream) {
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

fn dependence(dependence: &Dependence, free: &str, markers: &[TokenStream]) -> TokenStream {
    let (name, all) = match dependence {
        Dependence::None => return structure(free),
        Dependence::Proven(all) => ("DependsOn", all),
        Dependence::Unproven(all) => ("Unproven", all),
    };
    let (name, types) = (structure(name), all.iter().map(|k| &markers[*k]));
    quote!(#name<(#(#types,)*)>)
}

/// `double_pendulum` from `DoublePendulum`.
fn snake(name: &str) -> String {
    let mut text = String::new();
    for (place, letter) in name.chars().enumerate() {
        if letter.is_uppercase() && place > 0 {
            text.push('_');
        }
        text.extend(letter.to_lowercase());
    }
    text
}

/// `HingeLine` from `hinge_line`.
fn capitalized(name: &str) -> String {
    name.split('_')
        .flat_map(|word| {
            let mut letters = word.chars();
            letters.next().into_iter().flat_map(char::to_uppercase).chain(letters)
        })
        .collect()
}
