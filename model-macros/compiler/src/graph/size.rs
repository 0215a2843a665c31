//! The size of an element.

use super::{Graph, Node, NodeId, is_variable};
use crate::limits::MOST_SIZE;

/// The size of one element of a family.
#[derive(Debug)]
pub(crate) struct Size {
    /// The numbers that it reads.
    pub reads: usize,
    /// The operations that it takes, as written.
    pub operations: usize,
}

impl Size {
    /// The size, if it is beyond the limit for compilation.
    pub(crate) fn beyond_limit(graph: &Graph, node: NodeId) -> Option<Self> {
        Some(Self::of(graph, node)).filter(|size| size.reads * size.operations > MOST_SIZE)
    }

    /// The size of an expression.
    pub(crate) fn of(graph: &Graph, node: NodeId) -> Self {
        let nodes = graph.reachable(&[node]);
        let variable = |id: &&NodeId| matches!(graph.node(**id), Node::Leaf(leaf) if is_variable(*leaf));
        let reads = nodes.iter().filter(variable).count();
        let operations: usize = nodes.iter().map(|id| graph.node(*id).operands().len()).sum();
        Self { reads, operations }
    }
}
