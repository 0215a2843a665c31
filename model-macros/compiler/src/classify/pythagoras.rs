//! Simplifies a kinetic energy whose expression mentions coordinates or the time without varying.
//!
//! The reason is sin² + cos² = 1 in sums of squares.
//! A point on a sphere, p = r (sin θ cos φ, sin θ sin φ, cos θ), has the kinetic energy ½ m |ṗ|²: three
//! squares that each vary with both angles.
//! Their sum is ½ m r² (θ̇² + sin²θ φ̇²), also where φ is Ω t.
//! The derivatives of each entry of the mass by each coordinate and by the time are sampled at points;
//! where they vanish there, a proof decides.
//! A number then replaces the variable in the entry.
//! The energy at rest is treated alike; a momentum at rest that provably vanishes is left out.

use super::kinetic::Kinetic;
use crate::differentiate::partial;
use crate::functions::Domain;
use crate::functions::FunctionTable;
use crate::graph::Size;
use crate::graph::{Graph, Leaf, Node, NodeId, is_position, is_time, is_velocity};
use crate::zero::Prover;

/// The numbers tried in place of a variable; an entry that does not vary has its value at each.
const PLACES: [f64; 3] = [0.0, 1.0, 0.5];
/// Entries that differ by less than this part of themselves are equal; a smaller momentum may vanish.
const ROUNDING: f64 = 1e-9;

/// True for a variable of an entry of a mass: a position, the time, a phase or a signal.
fn varies(leaf: Leaf) -> bool {
    is_position(leaf) || is_time(leaf)
}

/// A term and its additive parts.
/// Parts with velocities are added up where that makes the energy simpler, and stay alone elsewhere.
pub(crate) fn parts(graph: &mut Graph, term: NodeId) -> (NodeId, Vec<NodeId>) {
    let parts = graph.addends(term);
    let (moving, still): (Vec<NodeId>, Vec<NodeId>) =
        parts.iter().partition(|part| graph.mentions(**part, is_velocity));
    if !moving.iter().any(|part| graph.mentions(*part, varies)) {
        return (term, parts);
    }
    let together = graph.combination(moving.into_iter().map(|part| (1.0, part)));
    if Size::beyond_limit(graph, together).is_some() {
        // The size of the parts is checked later, and refused there.
        return (term, parts);
    }
    match simpler(graph, together) {
        Some(simple) => {
            let whole = graph.combination(still.into_iter().chain([simple]).map(|part| (1.0, part)));
            (whole, graph.addends(whole))
        }
        None => (term, parts),
    }
}

/// ½ v·M v + p·v + rest, each as simple as proven; `None` if nothing becomes simpler.
fn simpler(graph: &mut Graph, energy: NodeId) -> Option<NodeId> {
    let velocities = graph.velocities(energy);
    let mut kinetic = Kinetic::of(graph, energy, &velocities);
    if kinetic.mass.iter().any(|(_, _, entry)| graph.mentions(*entry, is_velocity)) {
        return None;
    }
    let mut prover = Prover::default();
    let mut simplified = false;
    let mut simplify = |graph: &mut Graph, entry: &mut NodeId| {
        let found = without_needless(graph, &mut prover, *entry);
        simplified |= found != *entry;
        *entry = found;
    };
    kinetic.mass.iter_mut().for_each(|(_, _, entry)| simplify(graph, entry));
    simplify(graph, &mut kinetic.rest);
    for momentum in &mut kinetic.gyroscopic {
        let value = graph.evaluate(&[*momentum], number)[0];
        if !graph.is_zero(*momentum) && value.abs() < ROUNDING && prover.is_zero(graph, *momentum) {
            (*momentum, simplified) = (graph.zero(), true);
        }
    }
    if !simplified {
        return None;
    }
    let mut parts = kinetic.squares(graph);
    parts.push((1.0, kinetic.linear(graph, &velocities)));
    parts.push((1.0, kinetic.rest));
    Some(graph.combination(parts))
}

/// True if the expression is smooth in a variable wherever it is defined.
/// Then it is constant where its derivative vanishes.
fn is_regular(graph: &Graph, entry: NodeId, variable: Leaf) -> bool {
    let reads = |node: NodeId| graph.mentions(node, |leaf| leaf == variable);
    graph.reachable(&[entry]).into_iter().all(|node| match graph.node(node) {
        Node::Constant(_) | Node::Leaf(_) | Node::Sum { .. } => true,
        Node::Function(function, argument) => {
            function.entry().domain == Domain::Everywhere || !reads(*argument)
        }
        Node::Product(factors) => {
            factors.iter().all(|&(base, halves)| halves % 2 == 0 && halves > 0 || !reads(base))
        }
        Node::Power { .. } | Node::Atan2 { .. } | Node::Select { .. } | Node::Call { .. } => !reads(node),
    })
}

/// The entry with a number for each variable on which it provably does not depend.
fn without_needless(graph: &mut Graph, prover: &mut Prover, entry: NodeId) -> NodeId {
    let mut simple = entry;
    for leaf in graph.leaves(&[entry]).into_iter().filter(|leaf| varies(*leaf)) {
        let sample = |graph: &Graph, place: Option<f64>| {
            graph
                .evaluate(&[simple], |other| place.filter(|_| other == leaf).unwrap_or_else(|| number(other)))
                [0]
        };
        let here = sample(graph, None);
        let same = |there: f64| (here - there).abs() <= ROUNDING * here.abs();
        // Most entries vary, and samples show it at once.
        if !PLACES.iter().all(|place| same(sample(graph, Some(*place)))) || !is_regular(graph, simple, leaf) {
            continue;
        }
        let slope = partial(graph, &[simple], leaf)[0];
        if prover.is_zero(graph, slope) {
            simple =
                graph.substitute(simple, &|graph, other| (other == leaf).then(|| graph.constant(PLACES[0])));
        }
    }
    simple
}

/// A number for each leaf, equal in every compilation.
fn number(leaf: Leaf) -> f64 {
    let mut words = Vec::new();
    leaf.spell(&mut words);
    let mixed = words
        .iter()
        .fold(1_u64, |seed, word| (seed ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(23));
    0.25 + (mixed >> 11) as f64 / (1_u64 << 53) as f64
}
