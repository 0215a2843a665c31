//! The symbols of names, as books have them.

use crate::ast::Declaration;
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::{BTreeMap, BTreeSet};
use syn::ext::IdentExt;

const GREEK: [&str; 29] = [
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu",
    "nu", "xi", "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega", "Gamma", "Delta",
    "Theta", "Phi", "Psi", "Omega",
];

/// Words of parameters, each group with the letter that books have for it.
const LETTERS: &str = "mass masses m, gravity g, length lengths rod rods \\ell, radius radii R, stiffness k, \
    damping c, inertia I, charge charges q, amplitude a, height h, width w, density \\rho, viscosity \\eta, \
    temperature T, frequency \\omega, torque torques \\tau";

/// The symbols that the whole declaration sees.
#[derive(Debug)]
pub(super) struct Symbols {
    parameters: BTreeMap<String, String>,
    /// The symbols of coordinates and parameters.
    pub(super) taken: BTreeSet<String>,
}

impl Symbols {
    /// A parameter with a word of [`LETTERS`] has its letter, unless another name of the declaration has
    /// it; one with the symbol of a coordinate is written with `self`.
    pub(super) fn of(declaration: &Declaration) -> Self {
        let [mut parameters, mut names] = [BTreeSet::new(), BTreeSet::new()];
        collect(declaration.item.to_token_stream(), &mut parameters, &mut names);
        let mut seen: BTreeSet<String> = names.union(&parameters).map(|name| symbol(name, false)).collect();
        // The letter l reads as ℓ.
        seen.extend(seen.contains("l").then(|| r"\ell".to_owned()));
        let coordinates =
            declaration.coordinates.iter().map(|coordinate| coordinate.name.unraw().to_string());
        let mut taken: BTreeSet<String> =
            coordinates.flat_map(|name| [false, true].map(|bold| symbol(&name, bold))).collect();
        let own = |name: String| {
            let upright = symbol(&name, false);
            let shown = match letter(&name).filter(|letter| seen.insert(letter.clone())) {
                Some(letter) => letter,
                None if taken.contains(&upright) => format!(r"\mathrm{{self}}.{upright}"),
                None => upright,
            };
            (name, shown)
        };
        let parameters: BTreeMap<String, String> = parameters.into_iter().map(own).collect();
        taken.extend(parameters.values().cloned());
        Self { parameters, taken }
    }

    /// The symbol of a parameter.
    pub(super) fn parameter(&self, name: &str) -> String {
        self.parameters.get(name).cloned().unwrap_or_else(|| symbol(name, false))
    }

    /// The line that says which parameters have which letters.
    pub(super) fn legend(&self) -> Option<String> {
        let named = self.parameters.iter().filter(|(name, shown)| letter(name).as_ref() == Some(shown));
        let all: Vec<String> =
            named.map(|(name, shown)| format!("{shown} = {}", symbol(name, false))).collect();
        (!all.is_empty()).then(|| all.join(r", \quad ").replacen(" = ", " &= ", 1))
    }
}

/// The letter of [`LETTERS`] for the last or the first word of a name, under which the others stand.
fn letter(name: &str) -> Option<String> {
    let of_word = |word: &str| {
        let mut rows = LETTERS.split(", ").filter_map(|row| row.rsplit_once(' '));
        rows.find(|(words, _)| words.split(' ').any(|own| own == word)).map(|(_, letter)| letter)
    };
    let last = name.rsplit_once('_').and_then(|(rest, word)| Some(with_index(of_word(word)?, rest)));
    let (head, tail) = halves(name);
    last.or_else(|| Some(with_index(of_word(head)?, tail)))
}

/// The symbol for a name; vectors are bold.
pub fn symbol(name: &str, bold: bool) -> String {
    let (head, tail) = halves(name);
    let short = head.chars().count() == 1;
    let greek = GREEK.contains(&head);
    if !short && !greek && name.contains('_') {
        return styled(&name.replace('_', r"\_"), false, bold);
    }
    let head = if greek { format!(r"\{head}") } else { head.to_owned() };
    with_index(&styled(&head, short || greek, bold), tail)
}

/// A name and its index: what stands behind the first `_`, or digits.
fn halves(name: &str) -> (&str, &str) {
    name.split_once('_').filter(|(head, tail)| !head.is_empty() && !tail.is_empty()).unwrap_or_else(|| {
        let letters = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
        name.split_at(if letters.is_empty() { name.len() } else { letters.len() })
    })
}

fn with_index(head: &str, index: &str) -> String {
    match index {
        "" => head.to_owned(),
        _ if index.chars().all(|letter| letter.is_ascii_digit()) || index.chars().count() == 1 => {
            format!("{head}_{{{index}}}")
        }
        _ => format!(r"{head}_{{\mathrm{{{}}}}}", index.replace('_', r"\_")),
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

/// The names behind `self.`, and all other names.
fn collect(tokens: TokenStream, parameters: &mut BTreeSet<String>, names: &mut BTreeSet<String>) {
    // How much of `self.` stands before a name.
    let mut before = 0;
    for tree in tokens {
        before = match tree {
            TokenTree::Ident(name) => {
                if before == 2 { &mut *parameters } else { &mut *names }.insert(name.unraw().to_string());
                usize::from(name == "self")
            }
            TokenTree::Punct(dot) if dot.as_char() == '.' && before == 1 => 2,
            TokenTree::Group(group) => {
                collect(group.stream(), parameters, names);
                0
            }
            _ => 0,
        };
    }
}
