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

use crate::ast::{Declaration, Function};
use crate::lower::Lowered;
use source::Writer;
use syn::ext::IdentExt;

const GREEK: [&str; 29] = [
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu",
    "nu", "xi", "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega", "Gamma", "Delta",
    "Theta", "Phi", "Psi", "Omega",
];

/// The symbol for a name; vectors are bold.
pub fn symbol(name: &str, bold: bool) -> String {
    let (head, tail) = match name.split_once('_') {
        Some((head, tail)) if !head.is_empty() && !tail.is_empty() => (head, tail),
        _ => {
            let letters = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
            if letters.is_empty() { (name, "") } else { (letters, &name[letters.len()..]) }
        }
    };
    let short = head.chars().count() == 1;
    let greek = GREEK.contains(&head);
    if !short && !greek && name.contains('_') {
        return styled(&name.replace('_', r"\_"), false, bold);
    }
    let head = if greek { format!(r"\{head}") } else { head.to_owned() };
    let head = styled(&head, short || greek, bold);
    match tail {
        "" => head,
        _ if tail.chars().all(|letter| letter.is_ascii_digit()) || tail.chars().count() == 1 => {
            format!("{head}_{{{tail}}}")
        }
        _ => format!(r"{head}_{{\mathrm{{{}}}}}", tail.replace('_', r"\_")),
    }
}

fn styled(text: &str, variable: bool, bold: bool) -> String {
    match (variable, bold) {
        (true, false) => text.to_owned(),
        (true, true) => format!(r"\boldsymbol{{{text}}}"),
        (false, false) => format!(r"\mathrm{{{text}}}"),
        (false, true) => format!(r"\mathbf{{{text}}}"),
    }
}

/// A declaration in LaTeX: every string is a line of an `aligned` environment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Formulas {
    /// L.
    pub lagrangian: String,
    /// Rayleigh's functions, and the abbreviations in them, in L and in the constraints.
    pub definitions: Vec<String>,
    /// 0 = g and 0 = c, one line a method.
    pub constraints: Vec<String>,
    /// d/dt ∂L/∂v − ∂L/∂q = Gᵀ λ + Aᵀ μ − ∂D/∂v, one line a component of a coordinate, summed over
    /// families with δ; where functions read sums Σ, with the forces Λ on them.
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
    let mut writer = Writer::new(declaration);
    let lagrangian = format!("L &= {}", writer.method(&declaration.lagrangian).text);
    let constraints = declaration
        .constraints
        .iter()
        .chain(&declaration.nonholonomic)
        .map(|function| format!("0 &= {}", writer.method(function).text))
        .collect();
    let mut definitions: Vec<String> = declaration
        .dissipations
        .iter()
        .map(|function| format!("{} &= {}", dissipation(function), writer.method(function).text))
        .collect();
    definitions.extend(writer.aside);
    for helper in &declaration.helpers {
        let mut writer = Writer::new(declaration);
        let (head, body) = writer.helper(helper);
        definitions.extend(writer.aside);
        definitions.push(format!("{head} &= {}", body.text));
    }
    let (equations, abbreviations) = motion::equations(declaration, lowered);
    Formulas { lagrangian, definitions, constraints, equations, abbreviations }
}
