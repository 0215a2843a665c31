//! The value of an expression: the reference for all later stages.

use super::{Graph, Leaf, Node, NodeId};
use crate::functions::FunctionTable;

impl Graph {
    /// Evaluates `roots` with the given values of the leaves.
    pub fn evaluate(&self, roots: &[NodeId], leaf: impl Fn(Leaf) -> f64) -> Vec<f64> {
        let mut values = vec![0.0; self.nodes.len()];
        for id in self.reachable(roots) {
            values[id.index()] = match self.node(id) {
                Node::Constant(value) => value.0,
                Node::Leaf(which) => leaf(*which),
                Node::Sum { constant, terms } => {
                    terms.iter().fold(constant.0, |sum, (factor, term)| sum + factor.0 * values[term.index()])
                }
                Node::Product(factors) => factors.iter().fold(1.0, |product, &(base, halves)| {
                    let base = values[base.index()];
                    product * if halves % 2 == 0 { base.powi(halves / 2) } else { base.sqrt().powi(halves) }
                }),
                Node::Function(function, argument) => (function.entry().value)(values[argument.index()]),
                Node::Power { base, exponent } => values[base.index()].powf(values[exponent.index()]),
                Node::Atan2 { y, x } => values[y.index()].atan2(values[x.index()]),
                Node::Select { gap, strict, yes, no } => {
                    let gap = values[gap.index()];
                    let below = if *strict { gap < 0.0 } else { gap <= 0.0 };
                    values[if below { yes } else { no }.index()]
                }
                // Only Rust knows the function.
                Node::Call { .. } => f64::NAN,
            };
        }
        roots.iter().map(|root| values[root.index()]).collect()
    }
}
