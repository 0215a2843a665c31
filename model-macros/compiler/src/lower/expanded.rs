//! Passed-through Rust for formulas: plain `let`s and closures are put in where they are read or called,
//! so that an expression stands for itself.

use super::form::Step;
use super::names;
use super::variables::{Let, Variables};
use crate::walk::inside_mut;
use proc_macro2::Span;
use quote::ToTokens;
use std::collections::BTreeSet;
use syn::visit::{self, Visit};
use syn::{BinOp, Expr, ExprLit, Ident, Lit, Pat, UnOp};

/// A longer value, in tokens, stays behind its name.
const LONGEST: usize = 120;

impl Variables {
    /// An expression as the user wrote it, for messages that point at it.
    pub fn as_written(&self, expression: &Expr) -> Expr {
        let mut expression = expression.clone();
        names::visit_free(&mut expression, &mut |name| *name = self.name_as_written(name).clone());
        as_author(&mut expression);
        expression
    }

    /// An expression with plain `let`s replaced by their values, and calls of closures by their results.
    ///
    /// A name stays if its value is too long to read, or if it would mean something else in that place.
    pub fn expanded(&self, expression: &Expr) -> Expr {
        let mut image = self.put_in(expression);
        as_author(&mut image);
        bare(image)
    }

    /// [`Self::expanded`] under a path that binds names; `let`s of such names elsewhere do not count.
    pub fn expanded_under(&self, path: &[Step]) -> impl Fn(&Expr) -> Expr + '_ {
        let bound = self.bound_by(path);
        move |expression| self.expanded_but(&bound, expression)
    }

    /// The names of `let`s that a path binds.
    pub fn bound_by(&self, path: &[Step]) -> BTreeSet<String> {
        let names = path.iter().flat_map(Step::bound).map(|name| name.to_string());
        names.filter(|name| self.binding_of(name).is_some()).collect()
    }

    /// [`Self::expanded`] with some names `bound` otherwise than by their `let`s.
    pub fn expanded_but(&self, bound: &BTreeSet<String>, expression: &Expr) -> Expr {
        if bound.is_empty() {
            return self.expanded(expression);
        }
        let mut needed: BTreeSet<usize> = BTreeSet::new();
        let mut open = vec![expression];
        while let Some(expression) = open.pop() {
            names::any_free(expression, |name| {
                if let Some((place, binding)) = self.binding_of(&name.to_string())
                    && !binding.names.iter().any(|name| bound.contains(&name.to_string()))
                    && needed.insert(place)
                {
                    open.push(&binding.value);
                }
                false
            });
        }
        let mut values: Vec<Option<Expr>> = vec![None; needed.last().map_or(0, |last| last + 1)];
        for place in needed {
            let value = plain(&self.lets()[place]).map(|value| put_in(value, self.lets(), &values));
            values[place] = value.filter(|value| size(value) <= LONGEST);
        }
        let mut image = put_in(expression, self.lets(), &values);
        as_author(&mut image);
        bare(image)
    }

    /// The expression with values put in, as Rust of equal meaning.
    pub fn put_in(&self, expression: &Expr) -> Expr {
        let values = self.expanded.0.get_or_init(|| self.values_but(&[]).0);
        put_in(expression, self.lets(), values)
    }

    /// The values of all plain `let`s but the `kept` ones.
    pub fn values_but(&self, kept: &[usize]) -> LetValues {
        let mut values: Vec<Option<Expr>> = Vec::new();
        for (place, binding) in self.lets().iter().enumerate() {
            let value = plain(binding).filter(|_| !kept.contains(&place));
            let value = value.map(|value| put_in(value, self.lets(), &values));
            values.push(value.filter(|value| size(value) <= LONGEST));
        }
        LetValues(values)
    }
}

/// The values of some `let`s.
pub struct LetValues(Vec<Option<Expr>>);

impl LetValues {
    /// The expression with the values in place of the names.
    pub fn put_in(&self, variables: &Variables, expression: &Expr) -> Expr {
        put_in(expression, variables.lets(), &self.0)
    }
}

/// The value of a `let` with a single name.
fn plain(binding: &Let) -> Option<&Expr> {
    let (pattern, _) = crate::parse::untyped(&binding.pattern);
    let named = matches!(pattern, Pat::Ident(name) if name.subpat.is_none());
    named.then_some(&binding.value)
}

fn size(expression: &Expr) -> usize {
    fn count(tokens: proc_macro2::TokenStream) -> usize {
        tokens
            .into_iter()
            .map(|token| match token {
                proc_macro2::TokenTree::Group(group) => 1 + count(group.stream()),
                _ => 1,
            })
            .sum()
    }
    count(expression.to_token_stream())
}

/// `expression` with the names of `lets` replaced by their `values`, if they have any.
fn put_in(expression: &Expr, lets: &[Let], values: &[Option<Expr>]) -> Expr {
    let inner = bound_inside(expression);
    let mut image = expression.clone();
    // Marks the free names first: values are not searched again, and bound names stay.
    let mut marks = Vec::new();
    names::visit_free(&mut image, &mut |name| {
        let Some(place) = lets.iter().position(|binding| binding.names.contains(name)) else { return };
        let Some(Some(value)) = values.get(place) else { return };
        if names::any_free(value, |free| inner.contains(&free.to_string())) {
            return;
        }
        let mark = Ident::new(&format!("{MARK}{}", marks.len()), name.span());
        marks.push((std::mem::replace(name, mark), value.clone()));
    });
    put_in_marked(&mut image, &marks);
    image
}

/// Replaces marks by their values.
fn put_in_marked(image: &mut Expr, marks: &[(Ident, Expr)]) {
    if marks.is_empty() {
        return;
    }
    replace_marks(marks, image);
    // In the tokens of a macro a name stays a name, and so does the name of a closure without a call.
    names::visit_free(image, &mut |name| {
        if let Some(mark) = number(name).and_then(|mark| marks.get(mark)) {
            *name = mark.0.clone();
        }
    });
}

/// The result of a closure with arguments for its parameters; `None` if a name would change its meaning.
fn result_of<'a>(
    closure: &syn::ExprClosure,
    arguments: impl ExactSizeIterator<Item = &'a Expr> + Clone,
) -> Option<Expr> {
    let parameter = |input: &Pat| match crate::parse::untyped(input).0 {
        Pat::Ident(name) if name.subpat.is_none() => Some(name.ident.clone()),
        _ => None,
    };
    let parameters: Vec<Ident> = closure.inputs.iter().map(parameter).collect::<Option<_>>()?;
    let mut body = (*closure.body).clone();
    let inner = bound_inside(&body);
    let is_caught = |argument: &Expr| names::any_free(argument, |free| inner.contains(&free.to_string()));
    if parameters.len() != arguments.len() || arguments.clone().any(is_caught) {
        return None;
    }
    let arguments: Vec<&Expr> = arguments.collect();
    let mut marks = Vec::new();
    names::visit_free(&mut body, &mut |name| {
        let Some(place) = parameters.iter().position(|parameter| parameter == name) else { return };
        let mark = Ident::new(&format!("{MARK}{}", marks.len()), name.span());
        marks.push((std::mem::replace(name, mark), arguments[place].clone()));
    });
    put_in_marked(&mut body, &marks);
    Some(body)
}

/// Writes a lowered expression as its author would.
///
/// The entries of a matrix or an array, emitted as `Entries3x3(a).rows()[i][j]`, become `a[i][j]`; an
/// item of a range becomes a number; integers are collected, so that `(i - 1) - 1` is `i - 2`.
pub(crate) fn as_author(expression: &mut Expr) {
    inside_mut(expression, &mut as_author);
    let inner =
        entries_of(expression).or_else(|| item_of_range(expression)).or_else(|| number_of_cell(expression));
    if let Some(inner) = inner {
        *expression = inner;
    }
    if let Expr::Index(index) = expression {
        let inner = std::mem::replace(&mut *index.index, Expr::PLACEHOLDER);
        *index.index = bare(inner);
    }
    if let Some(collected) = collected(expression) {
        *expression = collected;
    }
}

/// The prefix of marks; no user writes it.
const MARK: &str = "__put_in_";

fn number(name: &Ident) -> Option<usize> {
    name.to_string().strip_prefix(MARK)?.parse().ok()
}

fn replace_marks(marks: &[(Ident, Expr)], expression: &mut Expr) {
    let value = |expression: &Expr| match expression {
        Expr::Path(path) => marks.get(path.path.get_ident().and_then(number)?),
        _ => None,
    };
    if let Expr::Call(call) = expression
        && let Some((_, Expr::Closure(closure))) = value(&call.func)
    {
        call.args.iter_mut().for_each(|argument| replace_marks(marks, argument));
        if let Some(result) = result_of(closure, call.args.iter()) {
            *expression = if is_atom(&result) { result } else { syn::parse_quote!((#result)) };
        }
        return;
    }
    match value(expression) {
        Some((_, Expr::Closure(_))) => {}
        Some((_, value)) if is_atom(value) => *expression = value.clone(),
        Some((_, value)) => *expression = syn::parse_quote!((#value)),
        None => inside_mut(expression, &mut |inner| replace_marks(marks, inner)),
    }
}

fn is_atom(expression: &Expr) -> bool {
    matches!(
        expression,
        Expr::Path(_)
            | Expr::Field(_)
            | Expr::Index(_)
            | Expr::Call(_)
            | Expr::MethodCall(_)
            | Expr::Paren(_)
    )
}

fn bare(expression: Expr) -> Expr {
    match expression {
        Expr::Paren(inner) => bare(*inner.expr),
        other => other,
    }
}

/// The names bound inside an expression: by parameters of closures, by patterns, by `let`s of blocks.
fn bound_inside(expression: &Expr) -> BTreeSet<String> {
    struct Bound(BTreeSet<String>);
    impl<'ast> Visit<'ast> for Bound {
        fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
            self.0.insert(pattern.ident.to_string());
            visit::visit_pat_ident(self, pattern);
        }
    }
    let mut bound = Bound(BTreeSet::new());
    bound.visit_expr(expression);
    bound.0
}

/// The matrix or the array whose entries an expression takes.
fn entries_of(expression: &Expr) -> Option<Expr> {
    let (name, call) = match expression {
        Expr::MethodCall(rows) if rows.method == "rows" => match &*rows.receiver {
            Expr::Call(entries) => ("Entries3x3", entries),
            _ => return None,
        },
        Expr::Call(call) => ("into", call),
        _ => return None,
    };
    let Expr::Path(path) = &*call.func else { return None };
    // No author writes `::core::convert::Into::<[f64; 2]>::into`.
    let ours = path.path.leading_colon.is_some() || name != "into";
    (ours && path.path.segments.last()?.ident == name).then(|| call.args.first().cloned())?
}

/// The item `first + at` of a range, in `nth(first..end, at)?`.
fn item_of_range(expression: &Expr) -> Option<Expr> {
    let Expr::Try(item) = expression else { return None };
    let Expr::Call(call) = &*item.expr else { return None };
    let Expr::Path(path) = &*call.func else { return None };
    if path.path.leading_colon.is_none() || path.path.segments.last()?.ident != "nth" {
        return None;
    }
    let (iterator, at) = (call.args.first()?, call.args.last()?);
    match iterator {
        Expr::Range(range) => {
            let first = range.start.as_deref()?;
            let sum: Expr = syn::parse_quote!((#first) + (#at));
            Some(collected(&sum).unwrap_or(sum))
        }
        other => Some(syn::parse_quote!(nth(#other, #at))),
    }
}

/// The component `cell[k][c]` of an edge of a cell, or `cell.inverse()[k][c]` of a normal.
fn number_of_cell(expression: &Expr) -> Option<Expr> {
    let Expr::Try(number) = expression else { return None };
    let Expr::Call(call) = &*number.expr else { return None };
    let Expr::Path(path) = &*call.func else { return None };
    let mut words = path.path.segments.iter().rev().map(|segment| segment.ident.to_string());
    let (word, of) = (words.next()?, words.next()?);
    let [cell, _, k, c] = &call.args.iter().collect::<Vec<_>>()[..] else { return None };
    match (path.path.leading_colon.is_some(), of.as_str(), word.as_str()) {
        (true, "cell", "edge") => Some(syn::parse_quote!(#cell[#k][#c])),
        (true, "cell", "normal") => Some(syn::parse_quote!(#cell.inverse()[#k][#c])),
        _ => None,
    }
}

/// A sum with its integers collected; `None` if there are fewer than two.
fn collected(expression: &Expr) -> Option<Expr> {
    if !matches!(expression, Expr::Binary(binary) if matches!(binary.op, BinOp::Add(_) | BinOp::Sub(_))) {
        return None;
    }
    let (mut terms, mut constants, mut constant) = (Vec::<(bool, Expr)>::new(), 0, 0_i64);
    flatten(expression, false, &mut terms, &mut |value| {
        constants += 1;
        constant = constant.saturating_add(value);
    });
    if constants < 2 && (constants == 0 || constant != 0) {
        return None;
    }
    terms.sort_by_key(|(negative, _)| *negative);
    if constant != 0 || terms.is_empty() {
        let size = syn::LitInt::new(&constant.unsigned_abs().to_string(), Span::call_site());
        let first = constant > 0 && terms.first().is_some_and(|(negative, _)| *negative);
        terms.insert(if first { 0 } else { terms.len() }, (constant < 0, syn::parse_quote!(#size)));
    }
    terms.into_iter().fold(None, |sum: Option<Expr>, (negative, term)| {
        Some(match (sum, negative) {
            (None, false) => term,
            (None, true) => syn::parse_quote!(-#term),
            (Some(sum), false) => syn::parse_quote!(#sum + #term),
            (Some(sum), true) => syn::parse_quote!(#sum - #term),
        })
    })
}

/// The terms of a sum, each with true if subtracted; `integer` takes its integers.
fn flatten(expression: &Expr, negative: bool, terms: &mut Vec<(bool, Expr)>, integer: &mut dyn FnMut(i64)) {
    match expression {
        Expr::Paren(inner) => return flatten(&inner.expr, negative, terms, integer),
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => {
            return flatten(&unary.expr, !negative, terms, integer);
        }
        Expr::Binary(binary) if matches!(binary.op, BinOp::Add(_) | BinOp::Sub(_)) => {
            flatten(&binary.left, negative, terms, integer);
            let subtracted = matches!(binary.op, BinOp::Sub(_));
            return flatten(&binary.right, negative != subtracted, terms, integer);
        }
        Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => {
            if let Ok(value) = number.base10_parse::<i32>() {
                return integer(if negative { -i64::from(value) } else { i64::from(value) });
            }
        }
        _ => {}
    }
    terms.push((negative, expression.clone()));
}
