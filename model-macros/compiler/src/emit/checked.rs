//! Checks coordinate-free Rust before it can panic: reads of tables, and integer arithmetic.
//!
//! Emitted functions evaluate the author's source as it stands. A table that is too short, or an index
//! `i - 1` at i = 0, is a mistake in the parameters, which `bind` reports; so each such place becomes
//!
//! ```text
//! self.rods[i]   (*match (&self.rods, i) {
//!                    (table, index) => { Table(table).has(&index, …)?; &table[index] } })
//! i - 1          (match (i, 1) {
//!                    (left, right) => { Operands(&left, &right).give('-', …)?; left - right } })
//! ```
//!
//! Types are unknown here; `least_action::emitted::v1::{Table, Operands}` choose the checks by type.
//! Arithmetic is checked in indices, ranges and lengths, under `as`, and beside an integer literal.
//!
//! Closures stay as they are, since they cannot return an error of ours.

use crate::lower::Variables;
use proc_macro2::{Literal, Span, TokenStream};
use quote::quote_spanned;
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{BinOp, Expr, ExprBinary, Ident, Lit};

/// The use of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// An index or a length.
    Count,
    /// Any other use.
    Any,
}

/// `expression` with checks, which return by `?` the reason why `place` cannot be bound.
pub(super) fn checked(
    expression: &Expr,
    purpose: Purpose,
    place: &TokenStream,
    variables: &Variables,
) -> Expr {
    let mut expression = expression.clone();
    let counts = purpose == Purpose::Count;
    Checks { place, variables, counts }.visit_expr_mut(&mut expression);
    expression
}

struct Checks<'a> {
    place: &'a TokenStream,
    variables: &'a Variables,
    /// True if the expression that is being visited is a whole number.
    counts: bool,
}

impl Checks<'_> {
    fn visit(&mut self, expression: &mut Expr, counts: bool) {
        let outer = std::mem::replace(&mut self.counts, counts);
        self.visit_expr_mut(expression);
        self.counts = outer;
    }

    /// An expression as its author wrote it.
    fn written(&self, expression: &Expr) -> Literal {
        Literal::string(&crate::parse::text(&self.variables.as_written(expression)))
    }

    fn table(&mut self, index: &mut syn::ExprIndex) -> Expr {
        let name = self.written(&index.expr);
        let (span, place) = (index.span(), self.place);
        self.visit(&mut index.expr, false);
        self.visit(&mut index.index, true);
        let (table, at) = (&index.expr, &index.index);
        // A message of rustc about an index of the wrong type must point to the author's text.
        let (known, found) = (local("table", span), Ident::new("__index", index.index.span()));
        Expr::Verbatim(quote_spanned! {span=>
            (*match (&#table, #at) {
                (#known, #found) => {
                    ::least_action::emitted::v1::Table(#known).has(&#found, #name, #place)?;
                    &#known[#found]
                }
            })
        })
    }

    fn operation(&mut self, binary: &mut ExprBinary, sign: char) -> Expr {
        let written = self.written(&Expr::Binary(binary.clone()));
        let (span, place) = (binary.span(), self.place);
        self.visit(&mut binary.left, true);
        self.visit(&mut binary.right, true);
        let (left, op, right) = (&binary.left, &binary.op, &binary.right);
        let (a, b) = (local("left", span), local("right", span));
        Expr::Verbatim(quote_spanned! {span=>
            (match (#left, #right) {
                (#a, #b) => {
                    ::least_action::emitted::v1::Operands(&#a, &#b).give(#sign, #written, #place)?;
                    #a #op #b
                }
            })
        })
    }
}

/// A name that cannot meet the author's names, at a place in their text.
fn local(name: &str, place: Span) -> Ident {
    Ident::new(name, Span::mixed_site().located_at(place))
}

impl VisitMut for Checks<'_> {
    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        let counts = self.counts;
        match expression {
            Expr::Index(index) if !is_of_entries(&index.expr) => *expression = self.table(index),
            Expr::Binary(binary) => match sign(&binary.op) {
                Some(sign) if counts || beside_an_integer(binary) => {
                    *expression = self.operation(binary, sign);
                }
                _ => {
                    // Operands of comparisons and of arithmetic with numbers need not be integers.
                    self.visit(&mut binary.left, false);
                    self.visit(&mut binary.right, false);
                }
            },
            Expr::Paren(inner) => self.visit(&mut inner.expr, counts),
            Expr::Group(inner) => self.visit(&mut inner.expr, counts),
            Expr::Cast(cast) => self.visit(&mut cast.expr, true),
            Expr::Range(range) => {
                let ends = [&mut range.start, &mut range.end];
                ends.into_iter().flatten().for_each(|end| self.visit(end, true));
            }
            // A borrowed result of a call would not live long enough in a `match`.
            Expr::Reference(lent) if is_of_a_call(&lent.expr) => {}
            // A place that is borrowed for a while, or code that cannot return our error.
            Expr::Closure(_) | Expr::Async(_) | Expr::Const(_) | Expr::Assign(_) | Expr::TryBlock(_) => {}
            _ => {
                self.counts = false;
                visit_mut::visit_expr_mut(self, expression);
                self.counts = counts;
            }
        }
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_type_mut(&mut self, _: &mut syn::Type) {}

    fn visit_pat_mut(&mut self, _: &mut syn::Pat) {}
}

/// Operations whose results an integer may not hold.
fn sign(op: &BinOp) -> Option<char> {
    match op {
        BinOp::Add(_) => Some('+'),
        BinOp::Sub(_) => Some('-'),
        BinOp::Mul(_) => Some('*'),
        BinOp::Div(_) => Some('/'),
        BinOp::Rem(_) => Some('%'),
        _ => None,
    }
}

/// True if one side is an integer by its looks.
fn beside_an_integer(binary: &ExprBinary) -> bool {
    [&binary.left, &binary.right].into_iter().any(|side| match &**side {
        Expr::Lit(literal) => matches!(&literal.lit, Lit::Int(_)),
        Expr::Paren(inner) => {
            matches!(&*inner.expr, Expr::Binary(inner) if sign(&inner.op).is_some() && beside_an_integer(inner))
        }
        Expr::Binary(inner) => sign(&inner.op).is_some() && beside_an_integer(inner),
        _ => false,
    })
}

/// True for an expression of the nine numbers of `mat3(…)`, which always exist.
fn is_of_entries(expression: &Expr) -> bool {
    match expression {
        Expr::Index(index) => is_of_entries(&index.expr),
        Expr::MethodCall(rows) if rows.method == "rows" => match &*rows.receiver {
            Expr::Call(call) => crate::parse::called(call).is_some_and(|name| name == "Entries3x3"),
            _ => false,
        },
        _ => false,
    }
}

/// True if an expression names a part of the result of a call.
fn is_of_a_call(expression: &Expr) -> bool {
    match crate::parse::bare(expression) {
        Expr::Index(index) => is_of_a_call(&index.expr),
        Expr::Field(field) => is_of_a_call(&field.base),
        Expr::Path(_) => false,
        Expr::Unary(unary) => is_of_a_call(&unary.expr),
        _ => true,
    }
}
