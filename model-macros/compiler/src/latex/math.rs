//! Pieces of mathematics that know when they need parentheses.

use crate::functions::{Function, FunctionTable, Notation};

/// The precedence of a piece of a formula.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    /// a + b, or −a.
    Sum,
    /// a b, or Σ a.
    Product,
    /// a, f(a), (a).
    Atom,
}

/// A piece of LaTeX.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Math {
    pub(super) text: String,
    pub(super) level: Level,
}

impl Math {
    pub(super) fn atom(text: impl Into<String>) -> Self {
        Self { text: text.into(), level: Level::Atom }
    }

    pub(super) fn product(text: impl Into<String>) -> Self {
        Self { text: text.into(), level: Level::Product }
    }

    pub(super) fn sum(text: impl Into<String>) -> Self {
        Self { text: text.into(), level: Level::Sum }
    }

    pub(super) fn parenthesized(&self) -> String {
        format!(r"\left({}\right)", self.text)
    }

    /// In parentheses where it holds less tightly than `level`.
    pub(super) fn within(&self, level: Level) -> String {
        if self.level < level { self.parenthesized() } else { self.text.clone() }
    }

    /// Raised to a power.
    pub(super) fn raised(&self, power: &str) -> Self {
        let simple =
            self.level == Level::Atom && !self.text.contains('^') && !self.text.starts_with(r"\frac");
        let base = if simple { self.text.clone() } else { self.parenthesized() };
        Self::atom(format!("{base}^{{{power}}}"))
    }

    /// A function of the table, of it.
    pub(super) fn of_function(&self, function: Function) -> Self {
        match function.entry().notation {
            Notation::Before(name) => self.under(name),
            Notation::Around(left, right) => Self::atom(format!("{left}{}{right}", self.text)),
            Notation::Gaussian => Self::atom(format!("e^{{-{}}}", self.raised("2").text)),
        }
    }

    /// The argument of a function by name.
    pub(super) fn under(&self, function: &str) -> Self {
        Self::atom(format!("{function}{}", self.parenthesized()))
    }
}

/// A number: simple fractions as fractions, others with their digits.
pub(super) fn number(value: f64) -> Math {
    let sized = |text: String| if value < 0.0 { Math::sum(format!("-{text}")) } else { Math::atom(text) };
    let size = value.abs();
    for denominator in [1_u32, 2, 3, 4, 5, 6, 8, 9, 12, 16, 24] {
        let numerator = size * f64::from(denominator);
        if numerator.fract() == 0.0 && numerator < 1e6 {
            return sized(match denominator {
                1 => format!("{numerator}"),
                5 => format!("{size}"),
                _ => format!(r"\frac{{{numerator}}}{{{denominator}}}"),
            });
        }
    }
    let text = format!("{size}");
    if text.len() <= 12 {
        return sized(text);
    }
    let text = format!("{size:e}");
    match text.split_once('e') {
        Some((digits, power)) => {
            let factor = if value < 0.0 { "-" } else { "" };
            Math::product(format!(r"{factor}{digits} \cdot 10^{{{power}}}"))
        }
        None => sized(text),
    }
}

/// Σ of signed pieces.
pub(super) fn added(parts: &[(bool, Math)]) -> Math {
    match parts {
        [] => Math::atom("0"),
        [(false, one)] => one.clone(),
        _ => {
            let mut text = String::new();
            for (negative, part) in parts {
                text.push_str(match (*negative, text.is_empty()) {
                    (true, true) => "-",
                    (true, false) => " - ",
                    (false, true) => "",
                    (false, false) => " + ",
                });
                let level = if *negative || part.text.starts_with('-') { Level::Product } else { Level::Sum };
                text.push_str(&if text.is_empty() { part.text.clone() } else { part.within(level) });
            }
            Math::sum(text)
        }
    }
}

/// Π of pieces, numbers first.
pub(super) fn multiplied(parts: &[Math]) -> Math {
    match parts {
        [] => Math::atom("1"),
        [one] => one.clone(),
        _ => {
            let mut text = String::new();
            for (k, part) in parts.iter().enumerate() {
                let last = k + 1 == parts.len();
                let next = match part.level {
                    Level::Sum => part.parenthesized(),
                    // A sum sign would swallow the next factors.
                    Level::Product if !last && part.text.contains(r"\sum") => part.parenthesized(),
                    _ => part.text.clone(),
                };
                if !text.is_empty() {
                    let digits = text.ends_with(|c: char| c.is_ascii_digit());
                    let number = next.starts_with(|c: char| c.is_ascii_digit());
                    text.push_str(if digits && number { r" \cdot " } else { r" \, " });
                }
                text.push_str(&next);
            }
            Math::product(text)
        }
    }
}

/// a / b.
pub(super) fn divided(above: &Math, below: &Math) -> Math {
    Math::atom(format!(r"\frac{{{}}}{{{}}}", above.text, below.text))
}
