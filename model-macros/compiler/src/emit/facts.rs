//! The findings of the compiler → the constant `FACTS` of a model.

use super::checksum::checksum;
use super::optional;
use crate::ast::Declaration;
use crate::classify::{Dependence, Facts};
use crate::compiled::Compiled;
use crate::documented::{Documented, comments_on_arguments, documentation, documented};
use crate::latex::Formulas;
use crate::symmetry::{Action, Flow, Symmetry, Words, words};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};
use std::collections::BTreeSet;
use syn::ext::IdentExt;

/// `const FACTS: … = …;`
pub(super) fn facts(compiled: &Compiled) -> TokenStream {
    let Compiled { declaration, classified, proven, formulas, .. } = compiled;
    let name = text(declaration.model.unraw().to_string());
    let Documented { text: above, fields } = documented(&declaration.item);
    let own = documentation(&declaration.item.attrs);
    let both = [own, above].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n");
    let (documentation, fields) = (text(both), comments(fields));
    let comments = comments(comments_on_arguments(&declaration.item));
    let checksum = Literal::u64_unsuffixed(checksum(&declaration.item));
    let classification = classification(declaration, &classified.facts);
    let conserved = quantities(declaration, &proven.conserved);
    let balanced = quantities(declaration, &proven.balanced);
    let formulas = of_formulas(formulas);
    let names = |fields: &Vec<Ident>| texts(fields.iter().map(|field| field.unraw().to_string()));
    let sensitive = optional(declaration.sensitive.as_ref().map(names));
    quote! {
        const FACTS: &'static __v1::Facts = &__v1::Facts {
            name: #name,
            documentation: #documentation,
            fields: #fields,
            comments: #comments,
            checksum: #checksum,
            classification: #classification,
            conserved: #conserved,
            balanced: #balanced,
            formulas: #formulas,
            sensitive: #sensitive,
        };
    }
}

fn text(text: impl AsRef<str>) -> TokenStream {
    let text = text.as_ref();
    quote!(__v1::Borrowed(#text))
}

fn list(items: impl Iterator<Item = TokenStream>) -> TokenStream {
    quote!(__v1::Borrowed(&[#(#items),*]))
}

fn texts(texts: impl IntoIterator<Item = impl AsRef<str>>) -> TokenStream {
    list(texts.into_iter().map(text))
}

fn comments(comments: impl IntoIterator<Item = (String, String)>) -> TokenStream {
    let pair = |(name, comment)| {
        let [name, comment] = [name, comment].map(text);
        quote!((#name, #comment))
    };
    list(comments.into_iter().map(pair))
}

fn classification(declaration: &Declaration, facts: &Facts) -> TokenStream {
    let mass = dependence(declaration, &facts.mass, &quote!(__v1::Mass), "Constant");
    let force = dependence(declaration, &facts.force, &quote!(__v1::Force), "PositionOnly");
    let Facts { time, stiff, phase_in_constraints, .. } = facts;
    let (constrained, forced) = (!declaration.constraints.is_empty(), declaration.is_forced());
    let nonholonomic = !declaration.nonholonomic.is_empty();
    let even_in_phase = optional(facts.even_in_phase.map(|even| quote!(#even)));
    quote! {
        __v1::Classification {
            mass: #mass,
            force: #force,
            time: #time,
            stiff: #stiff,
            constrained: #constrained,
            nonholonomic: #nonholonomic,
            forced: #forced,
            even_in_phase: #even_in_phase,
            phase_in_constraints: #phase_in_constraints,
        }
    }
}

/// The value of a dependence, whose type `Model` has, too.
fn dependence(declaration: &Declaration, found: &Dependence, of: &TokenStream, none: &str) -> TokenStream {
    let (name, all) = match found {
        Dependence::None => (none, None),
        Dependence::Proven(all) => ("DependsOn", Some(all)),
        Dependence::Unproven(all) => ("Unproven", Some(all)),
    };
    let name = format_ident!("{name}");
    let names = |all: &BTreeSet<usize>| {
        let names = texts(all.iter().map(|k| declaration.coordinates[*k].name.unraw().to_string()));
        quote!((#names))
    };
    let names = all.map(names);
    quote!(#of::#name #names)
}

fn quantities(declaration: &Declaration, symmetries: &[Symmetry]) -> TokenStream {
    let all = words(symmetries.iter().map(|symmetry| &symmetry.flow), &declaration.coordinates);
    list(symmetries.iter().zip(all).map(|(symmetry, words)| {
        let Words { name, symmetry: why, formula, latex, unit } = words;
        let (name, why, formula, latex) = (text(name), text(why), text(formula), text(latex));
        let unit = text(unit);
        let certainty = if symmetry.proven { quote!(Proven) } else { quote!(Numerical) };
        let motion = match &symmetry.flow {
            Flow::Time => quote!(__v1::Motion::Time),
            Flow::Space(parts) => {
                let parts = list(parts.iter().map(|(generator, factor)| {
                    let coordinate = Literal::usize_unsuffixed(generator.coordinate);
                    let size = Literal::f64_suffixed(factor.abs());
                    let factor = if *factor < 0.0 { quote!(-#size) } else { quote!(#size) };
                    let action = action(generator.action);
                    quote!(__v1::CoordinateMotion { coordinate: #coordinate, action: #action, factor: #factor })
                }));
                quote!(__v1::Motion::Space(#parts))
            }
        };
        quote! {
            __v1::ConservedQuantity {
                name: #name,
                symmetry: #why,
                formula: #formula,
                latex: #latex,
                unit: #unit,
                certainty: __v1::Certainty::#certainty,
                motion: #motion,
            }
        }
    }))
}

fn of_formulas(formulas: &Formulas) -> TokenStream {
    let Formulas { lagrangian, definitions, constraints, equations, abbreviations } = formulas;
    let lagrangian = text(lagrangian);
    let [definitions, constraints, equations, abbreviations] =
        [definitions, constraints, equations, abbreviations].map(texts);
    quote! {
        __v1::Formulas {
            lagrangian: #lagrangian,
            definitions: #definitions,
            constraints: #constraints,
            equations: #equations,
            abbreviations: #abbreviations,
        }
    }
}

fn action(action: Action) -> TokenStream {
    let (name, axis) = match action {
        Action::Shift => return quote!(__v1::Action::Shift),
        Action::Translation(axis) => ("Translation", axis),
        Action::Rotation(axis) => ("Rotation", axis),
        Action::BodyRotation(axis) => ("BodyRotation", axis),
    };
    let (name, axis) = (format_ident!("{name}"), Literal::usize_unsuffixed(axis));
    quote!(__v1::Action::#name(#axis))
}
