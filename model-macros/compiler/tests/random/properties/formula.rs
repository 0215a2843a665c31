//! The formula of an element as `describe` prints it, read back and evaluated.
//!
//! Formulas are sums of products without a sign between factors; Rust of the author stands in them as
//! Rust.

use super::number::{Number as _, Unary, names};
use super::rust::{Value, Variables};
use super::source::Source;
use std::collections::BTreeSet;

/// Evaluates formulas at one point.
pub(super) struct Reader<'a> {
    pub(super) source: &'a Source<'a>,
    pub(super) q: &'a [f64],
    pub(super) v: &'a [f64],
    pub(super) t: f64,
}

/// The variables of an element under the names that a reader gives them: the name of the author, and a
/// numbered one if it is taken. `plain` are the names of plain `let`s, which no formula mentions.
pub(super) fn as_read(variables: &Variables<f64>, plain: &BTreeSet<String>) -> Variables<f64> {
    let mut taken = BTreeSet::new();
    let mut read = Variables::new();
    for (name, value) in variables.iter().filter(|(name, _)| !plain.contains(name)) {
        // The compiler tells names apart so: `i`, `i_3`, `i_3_2`.
        let mut own = name.as_str();
        while let Some((shorter, tail)) = own.rsplit_once('_')
            && !tail.is_empty()
            && tail.chars().all(|letter| letter.is_ascii_digit())
        {
            own = shorter;
        }
        let numbered = (2..).map(|number| format!("{own}_{number}"));
        let shown = std::iter::once(own.to_owned()).chain(numbered).find(|shown| !taken.contains(shown));
        let shown = shown.expect("numbers do not end");
        taken.insert(shown.clone());
        read.push((shown, value.clone()));
    }
    read
}

impl Reader<'_> {
    /// The value of a formula whose variables are `variables`.
    pub(super) fn value(&self, text: &str, variables: &Variables<f64>) -> f64 {
        self.sum(text, variables).unwrap_or_else(|| panic!("`{text}` is no formula"))
    }

    fn sum(&self, text: &str, variables: &Variables<f64>) -> Option<f64> {
        let (mut sum, mut sign, mut rest) = (0.0, 1.0, text);
        if let Some(tail) = text.strip_prefix('-') {
            (sign, rest) = (-1.0, tail);
        }
        loop {
            let end =
                outside(rest).find(|at| rest[*at..].starts_with(" + ") || rest[*at..].starts_with(" - "));
            sum += sign * self.product(&rest[..end.unwrap_or(rest.len())], variables)?;
            let Some(end) = end else { return Some(sum) };
            sign = if rest[end..].starts_with(" + ") { 1.0 } else { -1.0 };
            rest = &rest[end + 3..];
        }
    }

    fn product(&self, text: &str, variables: &Variables<f64>) -> Option<f64> {
        let mut cuts: Vec<usize> = outside(text).filter(|at| text[*at..].starts_with(' ')).collect();
        cuts.push(text.len());
        let (mut product, mut start) = (1.0, 0);
        for cut in cuts {
            product *= self.power(&text[start..cut], variables)?;
            start = cut + 1;
        }
        Some(product)
    }

    fn power(&self, text: &str, variables: &Variables<f64>) -> Option<f64> {
        let Some(at) = outside(text).find(|at| text[*at..].starts_with('^')) else {
            return self.atom(text, variables);
        };
        let (base, exponent) = (self.atom(&text[..at], variables)?, &text[at + 1..]);
        if let Ok(whole) = exponent.parse() {
            return Some(base.apply(Unary::Integer(whole)));
        }
        let inside = exponent.strip_prefix('(')?.strip_suffix(')')?;
        let exponent = match inside.strip_suffix("/2").map(str::parse::<f64>) {
            Some(Ok(halves)) => halves / 2.0,
            _ => self.sum(inside, variables)?,
        };
        Some(base.apply(Unary::Real(exponent)))
    }

    fn atom(&self, text: &str, variables: &Variables<f64>) -> Option<f64> {
        if let Ok(number) = text.parse() {
            return Some(number);
        }
        let whole = |text: &str| outside(text).next().is_none();
        if let Some(inside) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) {
            if let Some(chosen) = self.chosen(inside, variables) {
                return Some(chosen);
            }
            // Text that is no formula is Rust; text that is both has one meaning.
            return self.sum(inside, variables).or_else(|| self.rust(text, self.q, variables));
        }
        if let Some((name, inside)) = text.strip_suffix(')').and_then(|text| text.split_once('('))
            && whole(&text[name.len()..text.len() - 1])
        {
            if name == "der" {
                return self.rust(inside, self.v, variables);
            }
            if name == "atan2" {
                let at = outside(inside).find(|at| inside[*at..].starts_with(", "))?;
                let (y, x) = (self.sum(&inside[..at], variables)?, self.sum(&inside[at + 2..], variables)?);
                return Some(f64::atan2(y, x));
            }
            if let Some(function) = names().find(|known| *known == name) {
                return Some(self.sum(inside, variables)?.apply(Unary::Named(function)));
            }
        }
        self.rust(text, self.q, variables)
    }

    /// `if gap < 0 { yes } else { no }`.
    fn chosen(&self, text: &str, variables: &Variables<f64>) -> Option<f64> {
        let text = text.strip_prefix("if ")?;
        let braces: Vec<usize> = outside(text).filter(|at| text[*at..].starts_with(" { ")).collect();
        let [first, second] = braces[..] else { return None };
        let (gap, strict) = match text[..first].strip_suffix(" < 0") {
            Some(gap) => (gap, true),
            None => (text[..first].strip_suffix(" <= 0")?, false),
        };
        let gap = self.sum(gap, variables)?;
        let below = if strict { gap < 0.0 } else { gap <= 0.0 };
        let part = if below {
            text[first + 3..second].strip_suffix(" } else")?
        } else {
            text[second + 3..].strip_suffix(" }")?
        };
        self.sum(part, variables)
    }

    /// Rust, in which coordinates are read from `q`.
    fn rust(&self, text: &str, q: &[f64], variables: &Variables<f64>) -> Option<f64> {
        let expression: syn::Expr = syn::parse_str(text).ok()?;
        match self.source.evaluate(&expression, q, self.t, variables) {
            Value::Number(number) => Some(number),
            _ => None,
        }
    }
}

/// The places of a text that stand in no bracket.
fn outside(text: &str) -> impl Iterator<Item = usize> {
    let mut depth = 0_i32;
    text.char_indices().filter_map(move |(at, letter)| {
        let before = depth;
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        (before == 0 && depth == 0).then_some(at)
    })
}
