//! Subexpressions that are worth being internal variables: differences, squared distances, products and
//! determinants of vectors, and gates. Every way from the element to its inputs passes through a gate.

use crate::graph::{Graph, Leaf, Node, NodeId};
use std::collections::BTreeSet;

/// The degree of a node as a polynomial of inputs, from the node and its operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Degree {
    /// An expression that does not vary.
    Fixed,
    /// Inputs with factors that do not vary.
    Linear,
    /// A polynomial of inputs.
    Polynomial,
    /// Anything else.
    Other,
}

/// Nodes to be internal variables.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Cuts {
    /// The nodes.
    pub nodes: BTreeSet<NodeId>,
    /// The number of nodes that are not linear.
    pub curved: usize,
}

/// Sets of nodes to be internal variables, each once, the empty one first.
pub(crate) fn candidates(graph: &Graph, root: NodeId) -> Vec<Cuts> {
    let nodes = graph.reachable(&[root]);
    let degrees = degrees(graph, &nodes);
    let degree = |id: NodeId| degrees.get(id.index()).copied().unwrap_or(Degree::Other);
    let below_root = || nodes.iter().copied().filter(|id| *id != root);
    let sums: BTreeSet<NodeId> = below_root().filter(|id| graph.varies(*id) && is_sum(graph, *id)).collect();
    let differences =
        sums.iter().copied().filter(|id| degree(*id) == Degree::Linear && is_difference(graph, *id));
    let differences: BTreeSet<NodeId> = differences.collect();
    let inner: BTreeSet<NodeId> = nodes
        .iter()
        .filter(|id| matches!(degree(**id), Degree::Polynomial | Degree::Linear))
        // A number before a sum hides nothing.
        .filter(|id| is_sum(graph, **id) || matches!(graph.node(**id), Node::Product(_)))
        .flat_map(|id| below(graph, *id))
        .collect();
    let outer = sums.iter().copied().filter(|id| degree(*id) == Degree::Polynomial && !inner.contains(id));
    let gates = below_root().filter(|id| nodes.len() <= GATES_UP_TO && is_gate(graph, root, *id));
    let whole = differences.iter().copied().chain(outer).chain(gates).collect();
    let branches = nodes.iter().filter_map(|id| match *graph.node(*id) {
        Node::Select { yes, no, .. } => Some([yes, no]),
        _ => None,
    });
    let chosen: BTreeSet<NodeId> =
        graph.reachable(&branches.flatten().collect::<Vec<_>>()).into_iter().collect();
    let mut found: Vec<Cuts> = Vec::new();
    for mut nodes in [BTreeSet::new(), differences, sums, whole] {
        // A derivative of a branch stays behind the choice: elsewhere it may be NaN.
        nodes.retain(|id| !chosen.contains(id) || degree(*id) != Degree::Other);
        let curved = nodes.iter().filter(|id| degree(**id) != Degree::Linear).count();
        let cuts = Cuts { nodes, curved };
        if !found.contains(&cuts) {
            found.push(cuts);
        }
    }
    found
}

/// Positions with numbers before them, as a sum.
pub(crate) type LinearForm = Vec<(f64, Leaf)>;

/// The linear forms of positions in an expression: positions enter it through these forms alone. A
/// number is a factor within a form; each other constant factor has forms of its own.
pub(crate) fn linear_forms(graph: &Graph, root: NodeId) -> Vec<LinearForm> {
    let mut forms: Vec<LinearForm> = Vec::new();
    let (mut open, mut seen) = (vec![root], BTreeSet::from([root]));
    while let Some(id) = open.pop() {
        let found = match graph.node(id) {
            Node::Leaf(leaf @ Leaf::Position { .. }) => vec![vec![(1.0, *leaf)]],
            Node::Sum { terms, .. } => linear_terms(graph, terms).unwrap_or_default(),
            _ => Vec::new(),
        };
        if found.is_empty() {
            for operand in graph.node(id).operands() {
                if seen.insert(operand) {
                    open.push(operand);
                }
            }
        }
        for form in found {
            if !forms.contains(&form) {
                forms.push(form);
            }
        }
    }
    forms
}

/// Terms that are positions with factors, as forms: one for each factor that is no number. `None` if
/// any other term varies with positions.
fn linear_terms(graph: &Graph, terms: &[(crate::graph::Number, NodeId)]) -> Option<Vec<LinearForm>> {
    // The factor that is no number, as powers.
    let mut by_factor: Vec<(Vec<(NodeId, i32)>, LinearForm)> = Vec::new();
    for &(number, term) in terms {
        let (leaf, factor) = match graph.node(term) {
            Node::Leaf(leaf @ Leaf::Position { .. }) => (*leaf, Vec::new()),
            _ if !graph.mentions(term, crate::graph::is_position) => continue,
            Node::Product(factors) => {
                let varying: Vec<&(NodeId, i32)> = factors
                    .iter()
                    .filter(|(base, _)| graph.mentions(*base, crate::graph::is_position))
                    .collect();
                let [(base, 2)] = varying[..] else { return None };
                let Node::Leaf(leaf @ Leaf::Position { .. }) = graph.node(*base) else { return None };
                (*leaf, factors.iter().filter(|(other, _)| other != base).copied().collect())
            }
            _ => return None,
        };
        match by_factor.iter_mut().find(|(known, _)| *known == factor) {
            Some((_, form)) => form.push((number.0, leaf)),
            None => by_factor.push((factor, vec![(number.0, leaf)])),
        }
    }
    Some(by_factor.into_iter().map(|(_, form)| form).collect())
}

/// Gates are looked for in expressions of up to so many nodes: it takes a walk for each.
const GATES_UP_TO: usize = 400;

/// More than a number times something.
fn is_sum(graph: &Graph, id: NodeId) -> bool {
    matches!(graph.node(id), Node::Sum { constant, terms } if terms.len() > 1 || constant.0 != 0.0)
}

/// Inputs with numbers before them.
pub(super) fn is_difference(graph: &Graph, id: NodeId) -> bool {
    match graph.node(id) {
        Node::Sum { terms, .. } => {
            terms.iter().all(|(_, term)| matches!(graph.node(*term), Node::Leaf(_)) || !graph.varies(*term))
        }
        _ => false,
    }
}

/// The operands of a node, through numeric factors and products.
fn below(graph: &Graph, id: NodeId) -> Vec<NodeId> {
    let mut found = Vec::new();
    let mut open = graph.node(id).operands();
    while let Some(id) = open.pop() {
        match graph.node(id) {
            Node::Product(_) => open.extend(graph.node(id).operands()),
            Node::Sum { .. } if !is_sum(graph, id) => open.extend(graph.node(id).operands()),
            _ => found.push(id),
        }
    }
    found
}

fn degrees(graph: &Graph, nodes: &[NodeId]) -> Vec<Degree> {
    let mut degrees = vec![Degree::Fixed; nodes.last().map_or(0, |last| last.index() + 1)];
    for &id in nodes {
        let degree = match graph.node(id) {
            _ if !graph.varies(id) => Degree::Fixed,
            Node::Leaf(Leaf::Coefficient(_)) | Node::Constant(_) => Degree::Fixed,
            Node::Leaf(_) => Degree::Linear,
            Node::Sum { terms, .. } => {
                let parts: Vec<Degree> = terms.iter().map(|(_, term)| degrees[term.index()]).collect();
                if parts.contains(&Degree::Other) {
                    Degree::Other
                } else if parts.contains(&Degree::Polynomial) {
                    Degree::Polynomial
                } else {
                    Degree::Linear
                }
            }
            Node::Product(factors) => {
                let moving: Vec<(Degree, i32)> = factors
                    .iter()
                    .map(|(base, halves)| (degrees[base.index()], *halves))
                    .filter(|(degree, _)| *degree != Degree::Fixed)
                    .collect();
                match moving[..] {
                    [(Degree::Linear, 2)] => Degree::Linear,
                    _ if moving.iter().all(|(degree, halves)| {
                        *degree != Degree::Other && *halves > 0 && halves % 2 == 0
                    }) =>
                    {
                        Degree::Polynomial
                    }
                    _ => Degree::Other,
                }
            }
            _ => Degree::Other,
        };
        degrees[id.index()] = degree;
    }
    degrees
}

/// True if every way from `root` to a leaf that varies passes through `gate`.
fn is_gate(graph: &Graph, root: NodeId, gate: NodeId) -> bool {
    let kind = matches!(graph.node(gate), Node::Function(..) | Node::Atan2 { .. } | Node::Product(_));
    if !kind && !is_sum(graph, gate) {
        return false;
    }
    let mut seen = BTreeSet::new();
    let mut open = vec![root];
    while let Some(id) = open.pop() {
        if id == gate || !graph.varies(id) || !seen.insert(id) {
            continue;
        }
        if matches!(graph.node(id), Node::Leaf(_)) {
            return false;
        }
        open.extend(graph.node(id).operands());
    }
    graph.varies(gate)
}
