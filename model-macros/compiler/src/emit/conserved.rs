//! Symmetries and formulas → the constants `CONSERVED`, `BALANCED` and `FORMULAS` of a model.

use crate::ast::Declaration;
use crate::latex::Formulas;
use crate::prove::Proven;
use crate::symmetry::{Action, Flow, Symmetry, Words, words};
use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

/// `const CONSERVED: … = &[…];` and `const BALANCED: … = &[…];`
pub(super) fn quantities(declaration: &Declaration, proven: &Proven) -> TokenStream {
    let conserved = constant("CONSERVED", declaration, &proven.conserved);
    let balanced = constant("BALANCED", declaration, &proven.balanced);
    quote!(#conserved #balanced)
}

fn constant(name: &str, declaration: &Declaration, symmetries: &[Symmetry]) -> TokenStream {
    let path = quote!(::least_action::emitted::v1);
    let all = words(symmetries.iter().map(|symmetry| &symmetry.flow), &declaration.coordinates);
    let entries = symmetries.iter().zip(all).map(|(symmetry, words)| {
        let Words { name, symmetry: text, formula, latex, unit } = words;
        let certainty = if symmetry.proven { quote!(Proven) } else { quote!(Numerical) };
        let motion = match &symmetry.flow {
            Flow::Time => quote!(#path::Motion::Time),
            Flow::Space(parts) => {
                let parts = parts.iter().map(|(generator, factor)| {
                    let coordinate = Literal::usize_unsuffixed(generator.coordinate);
                    let size = Literal::f64_suffixed(factor.abs());
                    let factor = if *factor < 0.0 { quote!(-#size) } else { quote!(#size) };
                    let action = action(generator.action);
                    quote!(#path::CoordinateMotion { coordinate: #coordinate, action: #action, factor: #factor })
                });
                quote!(#path::Motion::Space(&[#(#parts),*]))
            }
        };
        quote! {
            #path::ConservedQuantity {
                name: #name,
                symmetry: #text,
                formula: #formula,
                latex: #latex,
                unit: #unit,
                certainty: #path::Certainty::#certainty,
                motion: #motion,
            }
        }
    });
    let name = format_ident!("{name}");
    quote!(const #name: &'static [#path::ConservedQuantity] = &[#(#entries),*];)
}

/// `const FORMULAS: … = …;`
pub(super) fn formulas(formulas: &Formulas) -> TokenStream {
    let Formulas { lagrangian, definitions, constraints, equations, abbreviations } = formulas;
    let path = quote!(::least_action::emitted::v1::Formulas);
    quote! {
        const FORMULAS: #path = #path {
            lagrangian: #lagrangian,
            definitions: &[#(#definitions),*],
            constraints: &[#(#constraints),*],
            equations: &[#(#equations),*],
            abbreviations: &[#(#abbreviations),*],
        };
    }
}

fn action(action: Action) -> TokenStream {
    let path = quote!(::least_action::emitted::v1::Action);
    let (name, axis) = match action {
        Action::Shift => return quote!(#path::Shift),
        Action::Translation(axis) => ("Translation", axis),
        Action::Rotation(axis) => ("Rotation", axis),
        Action::BodyRotation(axis) => ("BodyRotation", axis),
    };
    let (name, axis) = (format_ident!("{name}"), Literal::usize_unsuffixed(axis));
    quote!(#path::#name(#axis))
}
