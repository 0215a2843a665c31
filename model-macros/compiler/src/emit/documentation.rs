//! The findings of the compiler, as the documentation of the implementation of `Model`.
//!
//! All text from the declaration stands in code spans and fences, where brackets are no links.

use crate::ast::Declaration;
use crate::classify::{Classified, Dependence, Plan};
use crate::graph::is_velocity;
use crate::latex::Formulas;
use crate::prove::Proven;
use crate::symmetry::{Symmetry, words};
use std::fmt::Write;
use syn::ext::IdentExt;

/// The text, in Markdown; `families` names the part of L and the expression of each.
pub(super) fn documentation(
    declaration: &Declaration,
    classified: &Classified,
    proven: &Proven,
    formulas: &Formulas,
    families: &[(String, String)],
) -> String {
    let mut text = String::from("What the compiler found in the declaration.\n\n# Structure\n\n");
    let names = |all: &std::collections::BTreeSet<usize>| {
        let names: Vec<String> =
            all.iter().map(|k| format!("`{}`", declaration.coordinates[*k].name.unraw())).collect();
        // A mass that depends on no coordinate varies with time.
        if names.is_empty() { "the time".to_owned() } else { names.join(", ") }
    };
    let mass = match &classified.facts.mass {
        Dependence::None => "constant".to_owned(),
        Dependence::Proven(all) => format!("depends on {}", names(all)),
        Dependence::Unproven(all) => format!("could not be shown to be constant in {}", names(all)),
    };
    let reads_velocity = |plan: &Plan| {
        plan.families().iter().any(|family| family.inputs.iter().any(|leaf| is_velocity(*leaf)))
    };
    let damped: Vec<String> = classified
        .beside
        .iter()
        .zip(&declaration.beside)
        .filter(|((sort, plan), _)| sort.is_force() && reads_velocity(plan))
        .map(|(_, beside)| format!("`{}`", beside.function.name.unraw()))
        .collect();
    let force = match &classified.facts.force {
        Dependence::None if !damped.is_empty() => {
            format!("depends on velocity through {}", damped.join(", "))
        }
        Dependence::None => "does not depend on velocity".to_owned(),
        Dependence::Proven(all) => format!("depends on the velocity of {}", names(all)),
        Dependence::Unproven(all) => {
            format!("could not be shown to be free of the velocity of {}", names(all))
        }
    };
    let time = if classified.facts.time { "explicit" } else { "none" };
    // Writing into a string cannot fail.
    let _ = writeln!(text, "* mass: {mass}\n* force: {force}\n* dependence on time: {time}");
    for (part, expression) in families {
        let _ = writeln!(text, "* {part}: `{expression}`");
    }
    text.push_str("\n# Conserved\n\n");
    if proven.conserved.is_empty() {
        text.push_str("Nothing was found.\n");
    }
    quantities(&mut text, declaration, &proven.conserved);
    if !proven.balanced.is_empty() {
        text.push_str("\n# Balanced\n\nChanged by forces and constraints on velocities alone.\n\n");
        quantities(&mut text, declaration, &proven.balanced);
    }
    let Formulas { lagrangian, definitions, constraints, equations, abbreviations } = formulas;
    let lines: Vec<&str> = [constraints, definitions, equations, abbreviations]
        .into_iter()
        .flatten()
        .map(String::as_str)
        .collect();
    let all: Vec<&str> = std::iter::once(lagrangian.as_str()).chain(lines).collect();
    let _ = write!(
        text,
        "\n# Equations of motion\n\n```tex\n\\begin{{align*}}\n{}\n\\end{{align*}}\n```\n",
        all.join(" \\\\\n")
    );
    text
}

fn quantities(text: &mut String, declaration: &Declaration, symmetries: &[Symmetry]) {
    let all = words(symmetries.iter().map(|symmetry| &symmetry.flow), &declaration.coordinates);
    for (symmetry, words) in symmetries.iter().zip(all) {
        let sure = if symmetry.proven { "" } else { ", not proven" };
        // Writing into a string cannot fail.
        let _ = writeln!(
            text,
            "* `{}` = `{}`, by the {}{sure}",
            words.name,
            words.formula,
            code(&words.symmetry)
        );
    }
}

/// Words with the names of coordinates as they are: `_` is no emphasis.
fn code(words: &str) -> String {
    words.replace('_', "\\_")
}
