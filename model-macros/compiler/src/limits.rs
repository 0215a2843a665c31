//! The limits of the size of a declaration, as the language documents them, by size and never by the clock.

use crate::graph::{Graph, Node, NodeId, is_variable};

/// The most terms of a function, each of which becomes code of its own.
///
/// A product of sums over iterators has as many as there are ways to take one term of each.
pub(crate) const MOST_TERMS: usize = 1000;

/// The size of one element of a family.
#[derive(Debug)]
pub(crate) struct Size {
    /// The numbers that it reads.
    pub(crate) reads: usize,
    /// The operations that it takes, as written.
    pub(crate) operations: usize,
}

impl Size {
    /// Reads times operations: what the time and the memory for compiling second derivatives grow with.
    ///
    /// At this size the compiler takes a few seconds for the family; a neo-Hookean tetrahedron is at a fifteenth of it.
    pub(crate) const LIMIT: usize = 16_000;

    /// The size, where it is beyond what can be compiled sensibly.
    pub(crate) fn beyond_limit(graph: &Graph, node: NodeId) -> Option<Self> {
        let nodes = graph.reachable(&[node]);
        let variable = |id: &&NodeId| matches!(graph.node(**id), Node::Leaf(leaf) if is_variable(*leaf));
        let reads = nodes.iter().filter(variable).count();
        let operations: usize = nodes.iter().map(|id| graph.node(*id).operands().len()).sum();
        (reads * operations > Self::LIMIT).then_some(Self { reads, operations })
    }
}

/// Functions of sums that can come out in more ways than this are refused: each way would be a term.
pub(crate) const MOST_WAYS_IN_FUNCTIONS: usize = 1000;
