//! Names for expressions that are no elementary functions.
//!
//! A choice between pieces, a function of Rust, or a whole number of cells keeps its value under a
//! motion if all its operands do: a name replaces it, and its operands must be kept too. So no piece is
//! missed that random points happen not to meet, and no jump with derivative zero passes for a constant.

use crate::graph::{Function, Graph, Leaf, Node, NodeId};
use std::collections::HashMap;

/// Numbers of names; coefficients and their atoms have smaller ones.
const FIRST: usize = usize::MAX / 2;

/// The expression with names, and the operands of the named expressions.
pub(super) fn abstracted(graph: &mut Graph, root: NodeId) -> (NodeId, Vec<NodeId>) {
    let mut images: HashMap<NodeId, NodeId> = HashMap::new();
    let mut inside = Vec::new();
    for id in graph.reachable(&[root]) {
        let image = match graph.node(id).clone() {
            Node::Constant(_) | Node::Leaf(_) => id,
            Node::Sum { constant, terms } => {
                let constant = graph.constant(constant.0);
                let parts: Vec<(f64, NodeId)> =
                    terms.iter().map(|(factor, term)| (factor.0, images[term])).collect();
                graph.combination(std::iter::once((1.0, constant)).chain(parts))
            }
            Node::Product(factors) => graph
                .monomial(factors.iter().map(|(base, halves)| (images[base], *halves)).collect::<Vec<_>>()),
            Node::Function(function, argument) if function != Function::Round => {
                graph.function(function, images[&argument])
            }
            Node::Power { base, exponent } => graph.powf(images[&base], images[&exponent]),
            Node::Atan2 { y, x } => graph.atan2(images[&y], images[&x]),
            #[allow(unreachable_patterns, reason = "a node of any other kind is treated alike")]
            other => {
                inside.extend(other.operands().iter().map(|operand| images[operand]));
                graph.leaf(Leaf::Coefficient(FIRST + id.index()))
            }
        };
        images.insert(id, image);
    }
    (images[&root], inside)
}
