//! The smoothness of a term, from its branches where they meet.
//!
//! A term that chooses by the sign of g is smooth on either side of the surface g = 0. Let d be the
//! difference of the branches. If d and its derivatives up to order k vanish on the surface, the term is
//! k times continuously differentiable there. Only derivatives across the surface count: along it d = 0.
//!
//! Singular points of a branch itself (a root of zero, a quotient by zero) do not come from the choice,
//! and are not judged here.

use crate::differentiate::partial;
use crate::graph::{Budget, Graph, Leaf, Node, NodeId, is_variable};
pub use least_action_kernel::Smoothness;

/// The highest order; no method asks for more.
const HIGHEST: u32 = 4;

/// The gap as a variable, if it is not linear in one of the variables.
const GAP: Leaf = Leaf::Coefficient(usize::MAX);

/// The smoothness of an expression.
pub fn smoothness(whole: &Graph, root: NodeId) -> Smoothness {
    let mut graph = Graph::within(Budget::OF_A_DERIVATIVE);
    let root = graph.import(whole, root);
    let graph = &mut graph;
    let mut gaps: Vec<NodeId> = Vec::new();
    for id in graph.reachable(&[root]) {
        if let Node::Select { gap, .. } = *graph.node(id) {
            let (_, surface) = graph.split_factor(gap);
            if graph.mentions(gap, is_variable) && !gaps.contains(&surface) {
                gaps.push(surface);
            }
        }
    }
    let orders: Vec<Smoothness> = gaps.into_iter().map(|surface| across(graph, root, surface)).collect();
    if graph.is_exhausted() {
        return Smoothness::Unknown;
    }
    orders.into_iter().min().unwrap_or(Smoothness::Smooth)
}

/// The smoothness of an expression where it crosses one surface.
fn across(graph: &mut Graph, root: NodeId, surface: NodeId) -> Smoothness {
    // All choices by this surface at once: g < 0 on one side, −g < 0 on the other.
    let on_side = |graph: &mut Graph, side: f64| {
        let mut image = root;
        // Resolves choices within choices, one level in each round.
        for _ in 0..graph.reachable(&[root]).len() {
            let next = graph.replace(image, &|graph, id| {
                let Node::Select { gap, yes, no, .. } = *graph.node(id) else { return None };
                let (factor, own) = graph.split_factor(gap);
                (own == surface).then_some(if factor * side < 0.0 { yes } else { no })
            });
            if next == image {
                break;
            }
            image = next;
        }
        image
    };
    let (below, above) = (on_side(graph, -1.0), on_side(graph, 1.0));
    let mut difference = graph.difference_of_addends(below, above);
    let coordinate = linear_in(graph, surface);
    if coordinate.is_none() {
        difference = in_terms_of_the_gap(graph, difference, surface);
    }
    let (leaf, value) = coordinate.unwrap_or_else(|| (GAP, graph.zero()));
    for order in 0..=HIGHEST {
        if graph.is_zero(difference) {
            return Smoothness::Smooth;
        }
        let there = graph.substitute(difference, &|_, known| (known == leaf).then_some(value));
        if !vanishes(graph, there) {
            return order.checked_sub(1).map_or(Smoothness::Unknown, Smoothness::Times);
        }
        difference = partial(graph, &[difference], leaf)[0];
    }
    Smoothness::Times(HIGHEST)
}

/// True if an expression is zero, products multiplied out.
fn vanishes(graph: &mut Graph, node: NodeId) -> bool {
    if graph.is_zero(node) {
        return true;
    }
    let parts: Vec<(f64, NodeId)> = graph.addends(node).into_iter().map(|part| (1.0, part)).collect();
    let sum = graph.combination(parts);
    graph.is_zero(sum)
}

/// A variable in which the surface is linear, and its value there.
fn linear_in(graph: &mut Graph, surface: NodeId) -> Option<(Leaf, NodeId)> {
    let leaves: Vec<Leaf> = graph.leaves(&[surface]).into_iter().filter(|leaf| is_variable(*leaf)).collect();
    for leaf in leaves {
        let slope = partial(graph, &[surface], leaf)[0];
        if graph.is_zero(slope) || graph.mentions(slope, is_variable) {
            continue;
        }
        let zero = graph.zero();
        let rest = graph.substitute(surface, &|_, known| (known == leaf).then_some(zero));
        let value = graph.divide(rest, slope);
        return Some((leaf, graph.negate(value)));
    }
    None
}

/// The expression in terms of the gap: the last term of the surface, which is the most involved one, is
/// replaced by its value in terms of the gap and of the other terms.
fn in_terms_of_the_gap(graph: &mut Graph, root: NodeId, surface: NodeId) -> NodeId {
    let gap = graph.leaf(GAP);
    let (replaced, image) = match graph.node(surface).clone() {
        Node::Sum { terms, constant } if terms.len() > 1 || constant.0 != 0.0 => {
            let Some(&(factor, term)) = terms.last() else { return root };
            let rest = graph.combination([(1.0, surface), (-factor.0, term)]);
            (term, graph.combination([(1.0 / factor.0, gap), (-1.0 / factor.0, rest)]))
        }
        _ => (surface, gap),
    };
    // The surface itself comes first, so that its powers stay powers.
    let root = graph.replace(root, &|_, id| (id == surface).then_some(gap));
    graph.replace(root, &|_, id| (id == replaced).then_some(image))
}
