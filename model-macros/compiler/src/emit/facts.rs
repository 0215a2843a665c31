//! The findings of the compiler → the constant `FACTS` of a model.

use super::checksum::checksum;
use super::optional;
use crate::ast::Sort;
use crate::classify::{Dependence, Facts};
use crate::compiled::Compiled;
use crate::documented::{Documented, comments_on_arguments, documentation, documented};
use crate::latex::Formulas;
use crate::symmetry::{Action, Flow, Symmetry, Words, words};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};
use std::collections::BTreeSet;
use syn::ext::IdentExt;

/// The facts about a model that its declaration tells without the parameters.
#[expect(clippy::struct_excessive_bools, reason = "facts that do not depend on one another")]
#[derive(Debug)]
pub struct ModelFacts {
    /// The name of the model.
    pub name: String,
    /// The author's comments above the struct and above the declaration.
    pub documentation: String,
    /// The author's comments on the parameters, after the names of the fields.
    pub fields: Vec<(String, String)>,
    /// The author's comments on the coordinates, after their names.
    pub comments: Vec<(String, String)>,
    /// A checksum of the declaration without its documentation.
    pub checksum: u64,
    /// The names of the coordinates.
    pub coordinates: Vec<String>,
    /// The kind of the model.
    pub kind: Facts,
    /// Whether there are constraints on positions, constraints on velocities, and forces.
    pub constrained: bool,
    /// See `constrained`.
    pub nonholonomic: bool,
    /// Whether there are events or gaps.
    pub moments: bool,
    /// See `constrained`.
    pub forced: bool,
    /// The conserved quantities, with their words.
    pub conserved: Vec<(Symmetry, Words)>,
    /// The quantities that only forces and constraints on velocities change.
    pub balanced: Vec<(Symmetry, Words)>,
    /// The declaration and its equations of motion as LaTeX.
    pub formulas: Formulas,
    /// The fields of `#[lagrangian(sensitive(…))]`; none without.
    pub sensitive: Option<Vec<String>>,
}

impl ModelFacts {
    /// The facts that the stages found.
    pub(crate) fn of(compiled: &Compiled) -> Self {
        let Compiled { declaration, classified, proven, formulas, .. } = compiled;
        let Documented { text: above, fields } = documented(&declaration.item);
        let own = documentation(&declaration.item.attrs);
        let both = [own, above].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n");
        let quantities = |symmetries: &[Symmetry]| {
            let flows = symmetries.iter().map(|symmetry| &symmetry.flow);
            symmetries.iter().cloned().zip(words(flows, &declaration.coordinates)).collect()
        };
        let named = |field: &Ident| field.unraw().to_string();
        let coordinates = declaration.coordinates.iter();
        Self {
            name: named(&declaration.model),
            documentation: both,
            fields: fields.into_iter().collect(),
            comments: comments_on_arguments(&declaration.item).into_iter().collect(),
            checksum: checksum(&declaration.item),
            coordinates: coordinates.map(|coordinate| named(&coordinate.name)).collect(),
            kind: classified.facts.clone(),
            constrained: declaration.has(Sort::Holonomic),
            nonholonomic: declaration.has(Sort::Nonholonomic),
            moments: declaration.beside.iter().any(|beside| beside.sort.is_of_moments()),
            forced: declaration.is_forced(),
            conserved: quantities(&proven.conserved),
            balanced: quantities(&proven.balanced),
            formulas: formulas.clone(),
            sensitive: declaration.sensitive.as_ref().map(|fields| fields.iter().map(named).collect()),
        }
    }
}

/// `const FACTS: … = …;`
pub(super) fn facts(compiled: &Compiled) -> TokenStream {
    let facts = ModelFacts::of(compiled);
    let (name, documentation) = (text(&facts.name), text(&facts.documentation));
    let [fields, comments] = [&facts.fields, &facts.comments].map(|all| comments(all));
    let checksum = Literal::u64_unsuffixed(facts.checksum);
    let classification = classification(&facts);
    let [conserved, balanced] = [&facts.conserved, &facts.balanced].map(|all| quantities(all));
    let formulas = of_formulas(&facts.formulas);
    let sensitive = optional(facts.sensitive.as_ref().map(texts));
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

fn comments(comments: &[(String, String)]) -> TokenStream {
    list(comments.iter().map(|(name, comment)| {
        let [name, comment] = [name, comment].map(text);
        quote!((#name, #comment))
    }))
}

fn classification(facts: &ModelFacts) -> TokenStream {
    let mass = dependence(&facts.coordinates, &facts.kind.mass, &quote!(__v1::Mass), "Constant");
    let force = dependence(&facts.coordinates, &facts.kind.force, &quote!(__v1::Force), "PositionOnly");
    let Facts { time, stiff, phase_in_constraints, .. } = facts.kind;
    let ModelFacts { constrained, forced, nonholonomic, moments, .. } = facts;
    let even_in_phase = optional(facts.kind.even_in_phase.map(|even| quote!(#even)));
    quote! {
        __v1::Classification {
            mass: #mass,
            force: #force,
            time: #time,
            stiff: #stiff,
            constrained: #constrained,
            nonholonomic: #nonholonomic,
            moments: #moments,
            forced: #forced,
            even_in_phase: #even_in_phase,
            phase_in_constraints: #phase_in_constraints,
        }
    }
}

/// The value of a dependence, whose type `Model` has, too.
fn dependence(coordinates: &[String], found: &Dependence, of: &TokenStream, none: &str) -> TokenStream {
    let (name, all) = match found {
        Dependence::None => (none, None),
        Dependence::Proven(all) => ("DependsOn", Some(all)),
        Dependence::Unproven(all) => ("Unproven", Some(all)),
    };
    let name = format_ident!("{name}");
    let names = |all: &BTreeSet<usize>| {
        let names = texts(all.iter().map(|k| &coordinates[*k]));
        quote!((#names))
    };
    let names = all.map(names);
    quote!(#of::#name #names)
}

fn quantities(quantities: &[(Symmetry, Words)]) -> TokenStream {
    list(quantities.iter().map(|(symmetry, words)| {
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
