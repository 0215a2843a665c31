//! Names for expressions that are no elementary functions.
//!
//! A choice between pieces, or a function that only Rust knows, keeps its value under a motion if everything that it is
//! made of does, and so does a whole number of cells: it is replaced by a name, and what it is made of is to be kept as well. So no piece is missed that random
//! points happen not to meet, and no jump is taken for a constant because its derivative is zero.

use crate::graph::{Function, Graph, Leaf, Node, NodeId};
use std::collections::HashMap;

/// Numbers of names; coefficients and their atoms have smaller ones.
const FIRST: usize = usize::MAX / 2;

/// The expression with names, and the operands of what they stand for.
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
