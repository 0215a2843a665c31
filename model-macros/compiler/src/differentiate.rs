//! Differentiation: a table with one arm for each operation, used in two directions.
//!
//! [`directional`] propagates a derivative forwards along a direction, as dual numbers do;
//! [`gradient`] propagates adjoints backwards. Composed, they give every kernel:
//!
//! | quantity | how |
//! |---|---|
//! | ∇f | backwards |
//! | Hess f | forwards through ∇f, one unit direction for each column |
//! | Hess f · a | backwards through the directional derivative of f along a |
//! | a·f‴·a | backwards through the second directional derivative of f along a |

mod functions;

use crate::graph::{Function, Graph, Images, Leaf, Node, NodeId, Places};
use std::collections::BTreeMap;

/// The partial derivatives of a node with respect to its operands, in the order of [`Node::operands`].
fn partials(graph: &mut Graph, id: NodeId) -> Vec<NodeId> {
    if let Some(known) = graph.known_partials(id) {
        return known;
    }
    let partials = found_partials(graph, id);
    graph.know_partials(id, &partials);
    partials
}

/// The table: one arm for each operation.
fn found_partials(graph: &mut Graph, id: NodeId) -> Vec<NodeId> {
    match graph.node(id).clone() {
        Node::Constant(_) | Node::Leaf(_) => Vec::new(),
        Node::Sum { terms, .. } => terms.iter().map(|(factor, _)| graph.constant(factor.0)).collect(),
        Node::Product(factors) => (0..factors.len())
            .map(|k| {
                let power = f64::from(factors[k].1) / 2.0;
                let rest: Vec<(NodeId, i32)> = factors
                    .iter()
                    .enumerate()
                    .map(|(l, &(base, halves))| (base, if l == k { halves - 2 } else { halves }))
                    .collect();
                let rest = graph.monomial(rest);
                graph.scale(power, rest)
            })
            .collect(),
        Node::Function(function, x) => vec![functions::derivative(function, graph, x, id)],
        Node::Power { base, exponent } => {
            let one = graph.constant(1.0);
            let lower = graph.subtract(exponent, one);
            let lowered = graph.powf(base, lower);
            let product = graph.multiply(exponent, lowered);
            // The power 0 is constant; its slope by the formula, 0 · x⁻¹, is NaN at x = 0.
            let zero = graph.zero();
            let negative = graph.negate(exponent);
            let not_above = graph.select(negative, true, product, zero);
            let by_base = graph.select(exponent, true, product, not_above);
            let logarithm = graph.function(Function::Ln, base);
            vec![by_base, graph.multiply(id, logarithm)]
        }
        Node::Atan2 { y, x } => {
            let (x2, y2) = (graph.power(x, 4), graph.power(y, 4));
            let r2 = graph.add(x2, y2);
            let by_y = graph.divide(x, r2);
            let by_x = graph.divide(y, r2);
            vec![by_y, graph.negate(by_x)]
        }
        // The active branch changes at single points only. The callers differentiate the branches
        // themselves, so that nothing of the other branch enters a product.
        Node::Select { gap, strict, .. } => {
            let (one, zero) = (graph.constant(1.0), graph.zero());
            vec![zero, graph.select(gap, strict, one, zero), graph.select(gap, strict, zero, one)]
        }
        Node::Call { function, arguments } => (0..arguments.len())
            .map(|k| {
                if !function.smooth[k] {
                    return graph.zero();
                }
                graph.call(function.differentiated(k), arguments.clone())
            })
            .collect(),
    }
}

/// The derivatives of `roots` when each leaf moves at the rate `rate(leaf)`; `None` is a leaf at rest.
pub fn directional(
    graph: &mut Graph,
    roots: &[NodeId],
    rate: &dyn Fn(&mut Graph, Leaf) -> Option<NodeId>,
) -> Vec<NodeId> {
    let zero = graph.zero();
    let mut rates = Images::default();
    for id in graph.reachable(roots) {
        let image = if let Node::Leaf(leaf) = *graph.node(id) {
            rate(graph, leaf).unwrap_or(zero)
        } else {
            let mut moves = false;
            graph.node(id).each_operand(|operand| moves |= rates.of(operand) != zero);
            if !moves {
                zero
            } else if let Node::Select { gap, strict, yes, no } = *graph.node(id) {
                graph.select(gap, strict, rates.of(yes), rates.of(no))
            } else {
                let operands = graph.node(id).operands();
                let partials = partials(graph, id);
                let mut parts = Vec::new();
                for (place, operand) in operands.into_iter().enumerate() {
                    let rate = rates.of(operand);
                    if rate != zero {
                        parts.push((1.0, graph.multiply(partials[place], rate)));
                    }
                }
                graph.combination(parts)
            }
        };
        rates.set(id, image);
    }
    roots.iter().map(|root| rates.of(*root)).collect()
}

/// The derivatives of `root` with respect to `leaves`.
pub fn gradient(graph: &mut Graph, root: NodeId, leaves: &[Leaf]) -> Vec<NodeId> {
    gradient_within(graph, root, leaves, &mut BTreeMap::new())
}

/// The gradient; `branches` holds the known gradients of branches.
fn gradient_within(
    graph: &mut Graph,
    root: NodeId,
    leaves: &[Leaf],
    branches: &mut BTreeMap<NodeId, Vec<NodeId>>,
) -> Vec<NodeId> {
    if let Some(known) = branches.get(&root) {
        return known.clone();
    }
    let wanted: Vec<NodeId> = leaves.iter().map(|&leaf| graph.leaf(leaf)).collect();
    // Only a node that depends on a wanted leaf carries an adjoint.
    let order = graph.reachable(&[root]);
    let mut places = Places::default();
    let mut depends: Vec<bool> = Vec::with_capacity(order.len());
    for &id in &order {
        let mut any = matches!(graph.node(id), Node::Leaf(_)) && wanted.contains(&id);
        graph.node(id).each_operand(|operand| any |= places.get(operand).is_some_and(|place| depends[place]));
        places.set(id, depends.len());
        depends.push(any);
    }
    // By places in `order`: the contributions still to add, and the finished adjoints.
    let mut contributions: Vec<Vec<NodeId>> = Vec::with_capacity(order.len());
    contributions.resize_with(order.len(), Vec::new);
    let mut adjoints = Images::default();
    let one = graph.constant(1.0);
    if let Some(last) = contributions.last_mut() {
        last.push(one);
    }
    for (place, &id) in order.iter().enumerate().rev() {
        let parts = std::mem::take(&mut contributions[place]);
        if !depends[place] || parts.is_empty() {
            continue;
        }
        let adjoint = graph.combination(parts.into_iter().map(|part| (1.0, part)));
        adjoints.set(id, adjoint);
        let operands = graph.node(id).operands();
        if operands.is_empty() || graph.is_zero(adjoint) {
            continue;
        }
        if let Node::Select { gap, strict, yes, no } = *graph.node(id) {
            let below = gradient_within(graph, yes, leaves, branches);
            let above = gradient_within(graph, no, leaves, branches);
            for ((leaf, below), above) in wanted.iter().zip(below).zip(above) {
                let chosen = graph.select(gap, strict, below, above);
                if !graph.is_zero(chosen) {
                    let part = graph.multiply(adjoint, chosen);
                    if let Some(place) = places.get(*leaf) {
                        contributions[place].push(part);
                    }
                }
            }
            continue;
        }
        let partials = partials(graph, id);
        for (k, operand) in operands.into_iter().enumerate() {
            if let Some(place) = places.get(operand).filter(|place| depends[*place]) {
                let part = graph.multiply(adjoint, partials[k]);
                contributions[place].push(part);
            }
        }
    }
    let zero = graph.zero();
    let gradient: Vec<NodeId> = wanted.iter().map(|id| adjoints.get(*id).unwrap_or(zero)).collect();
    branches.insert(root, gradient.clone());
    gradient
}

/// The derivative of `roots` with respect to one leaf.
pub fn partial(graph: &mut Graph, roots: &[NodeId], with_respect_to: Leaf) -> Vec<NodeId> {
    directional(graph, roots, &|graph, leaf| (leaf == with_respect_to).then(|| graph.constant(1.0)))
}
