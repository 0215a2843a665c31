//! Coefficients in their parts: proofs must know that `0.5 * self.mass` and `self.mass / 2.0` are equal.
//!
//! The operands of arithmetic in a coefficient are numbers too; other parts (a field, an entry of a
//! table, a call) are atoms, named by their text.

use crate::graph::{Graph, Leaf, NodeId};
use crate::lower::Lowered;
use crate::lower::pairs::is_shift;
use quote::ToTokens;
use std::collections::HashMap;
use syn::{BinOp, Expr, Lit, UnOp};

/// The atoms of all coefficients.
#[derive(Debug, Default)]
pub(crate) struct Atoms {
    ids: HashMap<String, usize>,
    written: Vec<Expr>,
    /// True if differences of points mean nearest images, as in formulas.
    nearest: bool,
}

impl Atoms {
    /// Atoms for formulas, in which a difference of points in a cell means nearest images.
    pub(crate) fn of_formulas() -> Self {
        Self { nearest: true, ..Self::default() }
    }

    /// The expression with its coefficients in their parts.
    pub(crate) fn resolve(&mut self, graph: &mut Graph, lowered: &Lowered, node: NodeId) -> NodeId {
        self.resolve_by(graph, lowered, node, &|coefficient| lowered.variables.expanded(coefficient))
    }

    /// [`Self::resolve`] with coefficients that `expanded` rewrites.
    pub(crate) fn resolve_by(
        &mut self,
        graph: &mut Graph,
        lowered: &Lowered,
        node: NodeId,
        expanded: &dyn Fn(&Expr) -> Expr,
    ) -> NodeId {
        let coefficients = &lowered.coefficients;
        let images: HashMap<usize, NodeId> = graph
            .leaves(&[node])
            .into_iter()
            .filter_map(|leaf| match leaf {
                Leaf::Coefficient(id) => coefficients.get(id).map(|expression| (id, expression)),
                _ => None,
            })
            .map(|(id, expression)| (id, self.number(graph, coefficients.len(), &expanded(expression))))
            .collect();
        graph.substitute(node, &|_, leaf| match leaf {
            Leaf::Coefficient(id) => images.get(&id).copied(),
            _ => None,
        })
    }

    /// The atom of a coefficient leaf after [`Atoms::resolve`]; `declared` coefficients are no atoms.
    pub(crate) fn written(&self, declared: usize, id: usize) -> Option<&Expr> {
        self.written.get(id.checked_sub(declared)?)
    }

    /// An expression in its parts.
    pub(super) fn of(&mut self, graph: &mut Graph, lowered: &Lowered, expression: &Expr) -> NodeId {
        self.number(graph, lowered.coefficients.len(), &lowered.variables.expanded(expression))
    }

    fn number(&mut self, graph: &mut Graph, first: usize, expression: &Expr) -> NodeId {
        let expression = crate::parse::bare(expression);
        match expression {
            Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => {
                let inner = self.number(graph, first, &unary.expr);
                graph.negate(inner)
            }
            Expr::Lit(literal) => match &literal.lit {
                Lit::Float(number) => match number.base10_parse() {
                    Ok(value) => graph.constant(value),
                    Err(_) => self.atom(graph, first, expression),
                },
                _ => self.atom(graph, first, expression),
            },
            Expr::Binary(binary) => {
                let operation: fn(&mut Graph, NodeId, NodeId) -> NodeId = match binary.op {
                    BinOp::Add(_) => Graph::add,
                    BinOp::Sub(_) => Graph::subtract,
                    BinOp::Mul(_) => Graph::multiply,
                    BinOp::Div(_) => Graph::divide,
                    _ => return self.atom(graph, first, expression),
                };
                let left = self.number(graph, first, &binary.left);
                let right = self.number(graph, first, &binary.right);
                operation(graph, left, right)
            }
            Expr::MethodCall(call) if call.method == "powi" && call.args.len() == 1 => {
                match crate::lower::signed_integer(&call.args[0]) {
                    Some(power) if (1..=8).contains(&power) => {
                        let base = self.number(graph, first, &call.receiver);
                        graph.power(base, 2 * power)
                    }
                    _ => self.atom(graph, first, expression),
                }
            }
            // Points without a cell have no images.
            other if is_shift(other).is_some_and(|is_open| is_open || self.nearest) => graph.zero(),
            other => self.atom(graph, first, other),
        }
    }

    fn atom(&mut self, graph: &mut Graph, first: usize, expression: &Expr) -> NodeId {
        let next = first + self.ids.len();
        let id = *self.ids.entry(expression.to_token_stream().to_string()).or_insert(next);
        if id == next {
            self.written.push(expression.clone());
        }
        graph.leaf(Leaf::Coefficient(id))
    }
}
