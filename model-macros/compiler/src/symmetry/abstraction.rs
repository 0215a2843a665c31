//! Names for expressions that are no elementary functions.
//!
//! A choice between pieces, a function of Rust, or a whole number of cells keeps its value under a
//! motion if all its operands do: a name replaces it, and its operands must be kept too. So no piece is
//! missed that random points happen not to meet, and no jump with derivative zero passes for a constant.

use crate::graph::{Function, Graph, Images, Leaf, Node, NodeId};

/// Numbers of names; coefficients and their atoms have smaller ones.
const FIRST: usize = usize::MAX / 2;

/// The expression with names, and the operands of the named expressions.
pub(super) fn abstracted(graph: &mut Graph, root: NodeId) -> (NodeId, Vec<NodeId>) {
    let mut images = Images::default();
    let mut inside = Vec::new();
    for id in graph.reachable(&[root]) {
        let node = graph.node(id).clone();
        let image = match &node {
            Node::Select { .. } | Node::Call { .. } | Node::Function(Function::Round, _) => {
                node.each_operand(|operand| inside.push(images.of(operand)));
                graph.leaf(Leaf::Coefficient(FIRST + id.index()))
            }
            _ => graph.rebuild(node, |operand| images.of(operand)),
        };
        images.set(id, image);
    }
    (images.of(root), inside)
}
