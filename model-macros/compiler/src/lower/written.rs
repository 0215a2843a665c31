//! The terms of a method as they stand in the source, with their forms.

use super::form::Form;
use crate::ast::Function;
use crate::graph::{Graph, NodeId};
use proc_macro2::{Ident, LineColumn, Span, TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use syn::{Block, Expr, Pat, Stmt};

/// The place in the source where an expression begins and ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place([usize; 4]);

impl Place {
    /// The place of an expression of the source; `None` for no tokens.
    pub(crate) fn of(expression: &impl ToTokens) -> Option<Self> {
        let mut tokens = expression.to_token_stream().into_iter();
        let first = tokens.next()?;
        let last = tokens.last().unwrap_or_else(|| first.clone());
        let end = match &last {
            TokenTree::Group(group) => group.span_close().end(),
            other => other.span().end(),
        };
        let LineColumn { line, column } = first.span().start();
        Some(Self([line, column, end.line, end.column]))
    }
}

/// The places of expressions in the source by their nodes, for later messages.
#[derive(Debug, Default)]
pub(crate) struct Sources(BTreeMap<NodeId, [Span; 2]>);

impl Sources {
    /// Remembers the smallest expression with the value `node`.
    pub(crate) fn note(&mut self, expression: &Expr, node: NodeId) {
        if let Entry::Vacant(place) = self.0.entry(node) {
            let mut tokens = expression.to_token_stream().into_iter();
            if let Some(first) = tokens.next() {
                let last = tokens.last().map_or(first.span(), |last| last.span());
                place.insert([first.span(), last]);
            }
        }
    }

    /// The place of an expression in a function; `None` if it stands elsewhere, or only parts are known.
    pub(crate) fn place_in(&self, function: &Function, root: NodeId) -> Option<TokenStream> {
        let spans = self.0.get(&root)?;
        let body = function.body.brace_token.span;
        let at = |place: LineColumn| (place.line, place.column);
        let (begin, end) = (at(body.open().start()), at(body.close().end()));
        let is_inside = begin <= at(spans[0].start()) && at(spans[1].end()) <= end;
        is_inside.then(|| spans.iter().map(|span| TokenTree::Ident(Ident::new("_", *span))).collect())
    }

    /// The place of the largest part of an expression that has one, else `otherwise`.
    pub(crate) fn place(&self, graph: &Graph, root: NodeId, otherwise: &Ident) -> TokenStream {
        // A node has a higher number than its operands.
        let known = graph.reachable(&[root]).into_iter().rev().find_map(|node| self.0.get(&node));
        let Some(spans) = known else { return otherwise.to_token_stream() };
        spans.iter().map(|span| TokenTree::Ident(Ident::new("_", *span))).collect()
    }
}

/// The forms of expressions of the source: their components, once for each time that lowering came by.
#[derive(Debug, Default)]
pub(crate) struct Written(BTreeMap<Place, Vec<Vec<Form>>>);

impl Written {
    /// Remembers an expression.
    pub(crate) fn note(&mut self, expression: &Expr, components: &[Form]) {
        if let Some(place) = Place::of(expression) {
            self.0.entry(place).or_default().push(components.to_vec());
        }
    }

    /// All forms of an expression; empty if it depends on no coordinate.
    pub(crate) fn forms(&self, expression: &Expr) -> Vec<&Form> {
        let known = Place::of(expression).and_then(|place| self.0.get(&place));
        known.into_iter().flatten().flatten().collect()
    }

    /// The additive terms of the result of a method, each as small as the text allows.
    pub(crate) fn terms<'f>(&self, function: &'f Function) -> Vec<&'f Expr> {
        let mut terms = Vec::new();
        self.block(&function.body, &mut Vec::new(), &mut terms);
        terms
    }

    fn block<'f>(&self, block: &'f Block, scope: &mut Scope<'f>, terms: &mut Vec<&'f Expr>) {
        let outside = scope.len();
        for statement in &block.stmts {
            match statement {
                Stmt::Local(local) => {
                    let (pattern, _) = crate::parse::untyped(&local.pat);
                    if let (Pat::Ident(name), Some(init)) = (pattern, &local.init) {
                        scope.push((name.ident.to_string(), &init.expr));
                    }
                }
                Stmt::Expr(expression, None) => self.expression(expression, scope, terms),
                _ => {}
            }
        }
        scope.truncate(outside);
    }

    fn expression<'f>(&self, expression: &'f Expr, scope: &mut Scope<'f>, terms: &mut Vec<&'f Expr>) {
        use syn::{BinOp, UnOp};
        let expression = crate::parse::bare(expression);
        match expression {
            Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => {
                self.expression(&unary.expr, scope, terms);
            }
            Expr::Binary(binary) if matches!(binary.op, BinOp::Add(_) | BinOp::Sub(_)) => {
                self.expression(&binary.left, scope, terms);
                self.expression(&binary.right, scope, terms);
            }
            Expr::Binary(binary) if matches!(binary.op, BinOp::Mul(_)) => {
                let [left, right] = [&binary.left, &binary.right].map(|side| self.forms(side).is_empty());
                let side = match (left, right) {
                    (true, false) => &binary.right,
                    (false, true) => &binary.left,
                    _ => {
                        terms.push(expression);
                        return;
                    }
                };
                let mut inner = Vec::new();
                self.expression(side, scope, &mut inner);
                // A factor belongs to its term, unless there are several behind it.
                match inner[..] {
                    [one] if std::ptr::eq(one, &raw const **side) => terms.push(expression),
                    _ => terms.extend(inner),
                }
            }
            Expr::Path(path) => {
                let name = path.path.get_ident().map(ToString::to_string);
                match scope.iter().rposition(|(known, _)| Some(known) == name.as_ref()) {
                    Some(at) if !matches!(scope[at].1, Expr::Closure(_)) => {
                        // A `let` sees the names before it.
                        let mut before = scope[..at].to_vec();
                        self.expression(scope[at].1, &mut before, terms);
                    }
                    _ => terms.push(expression),
                }
            }
            Expr::Call(call) => match (callee(call).as_deref(), call.args.first(), call.args.last()) {
                (Some("sum" | "each"), _, Some(Expr::Closure(closure))) => {
                    self.expression(&closure.body, scope, terms);
                }
                (Some("stiff"), Some(inner), _) => self.expression(inner, scope, terms),
                _ => terms.push(expression),
            },
            Expr::If(branch) => {
                self.block(&branch.then_branch, scope, terms);
                if let Some((_, otherwise)) = &branch.else_branch {
                    self.expression(otherwise, scope, terms);
                }
            }
            Expr::Match(choice) => {
                choice.arms.iter().for_each(|arm| self.expression(&arm.body, scope, terms));
            }
            Expr::Block(block) => self.block(&block.block, scope, terms),
            Expr::Array(array) => {
                array.elems.iter().for_each(|element| self.expression(element, scope, terms));
            }
            other => terms.push(other),
        }
    }
}

/// The `let`s in sight, the innermost last.
type Scope<'f> = Vec<(String, &'f Expr)>;

fn callee(call: &syn::ExprCall) -> Option<String> {
    match &*call.func {
        Expr::Path(path) => path.path.get_ident().map(ToString::to_string),
        _ => None,
    }
}
