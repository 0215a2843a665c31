//! A declaration as LaTeX, in the notation of physics.
//!
//! Names become symbols: one letter is a variable, the name of a Greek letter is that letter, digits at
//! the end and the part behind a `_` are a subscript, longer words are upright.

mod element;
mod family;
mod graph;
mod math;
mod motion;
mod source;
mod sums;
mod symbols;

use crate::ast::{Beside, Declaration, Function, Sort};
use crate::lower::Lowered;
use source::Writer;
use symbols::Symbols;
pub use symbols::symbol;
use syn::ext::IdentExt;

/// A declaration in LaTeX: every string is a line of an `aligned` environment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Formulas {
    /// L.
    pub lagrangian: String,
    /// The letters of parameters, Rayleigh's functions, and the abbreviations in them, in L and in the
    /// constraints.
    pub definitions: Vec<String>,
    /// 0 = g and 0 = c, one line a method.
    pub constraints: Vec<String>,
    /// d/dt ∂L/∂v = ∂L/∂q + Gᵀ λ + Aᵀ μ − ∂D/∂v, one line a component of a coordinate, summed over
    /// families with δ, terms with accelerations on the left; where functions read sums Σ, with the
    /// forces Λ on them.
    pub equations: Vec<String>,
    /// The sums in the equations of motion, the forces on them, and abbreviations.
    pub abbreviations: Vec<String>,
}

/// The name of a component of a vector.
fn axis(component: usize) -> String {
    ["x", "y", "z"].get(component).map_or_else(|| component.to_string(), |&axis| axis.to_owned())
}

/// The symbol for Rayleigh's function of a method.
fn dissipation(function: &Function) -> String {
    format!(r"D^{{\mathrm{{{}}}}}", function.name.unraw().to_string().replace('_', r"\_"))
}

/// Writes a declaration without mistakes.
pub fn formulas(declaration: &Declaration, lowered: &Lowered) -> Formulas {
    let symbols = Symbols::of(declaration);
    let mut writer = Writer::new(declaration, &symbols);
    let lagrangian = format!("L &= {}", writer.block(&declaration.lagrangian.body).text);
    let constraints = declaration.beside.iter().filter(|beside| beside.sort.is_constraint());
    let constraints =
        constraints.map(|beside| format!("0 &= {}", writer.block(&beside.function.body).text)).collect();
    let dissipations = declaration.of(Sort::Dissipation).map(|Beside { function, .. }| {
        format!("{} &= {}", dissipation(function), writer.block(&function.body).text)
    });
    let mut definitions: Vec<String> = symbols.legend().into_iter().chain(dissipations).collect();
    definitions.extend(writer.aside);
    for helper in &declaration.helpers {
        let mut writer = Writer::new(declaration, &symbols);
        let (head, body) = writer.helper(helper);
        definitions.extend(writer.aside);
        definitions.push(format!("{head} &= {}", body.text));
    }
    let (equations, abbreviations) = motion::equations(declaration, lowered, &symbols);
    Formulas { lagrangian, definitions, constraints, equations, abbreviations }
}
