//! The fast phase: the evenness of the motion in it, and its value at a time.
//!
//! The kernels of potential and constraints read the phase beside the time, so that a method may give
//! one without the other. Questions about the motion, and terms with velocities, read ω t + θ₀.

use super::{AtPhase, Equations, Lowered, Phase, rows_of};
use crate::ast::Sort;
use crate::differentiate::gradient;
use crate::graph::{Graph, Leaf, NodeId, is_position, is_velocity};

/// Replaces the phase by ω t + θ₀ everywhere but in [`AtPhase`], where it stays.
///
/// The motion is even if the equations of motion are equal for θ and −θ.
/// With L(q, −v, −θ) = L(q, v, θ), and equally for forces and constraints, a motion run backwards is one
/// with the opposite phase, so that the accelerations at rest are even in θ.
/// Evenness of L at fixed v is not enough: a pivot that moves as sin θ adds v cos θ to L, and sin θ to
/// the equations of motion.
/// A term that adds only a function of time to the Lagrangian moves nothing and does not count.
pub(super) fn resolve(lowered: &mut Lowered) {
    let Some(Phase { in_time, .. }) = lowered.phase else { return };
    let graph = &mut lowered.graph;
    let terms = lowered.lagrangian.terms(graph);
    let mut even = terms.iter().all(|term| {
        let odd = odd_part(graph, term.node);
        let moving: Vec<Leaf> = graph
            .leaves(&[odd])
            .into_iter()
            .filter(|leaf| is_position(*leaf) || is_velocity(*leaf))
            .collect();
        gradient(graph, odd, &moving).into_iter().all(|entry| graph.is_zero(entry))
    });
    let rows = [Sort::Holonomic, Sort::Force].into_iter().flat_map(|sort| rows_of(&lowered.beside, sort));
    let rows = rows.flat_map(Equations::rows);
    for form in rows.chain(lowered.stages.iter().map(|stage| &stage.form)) {
        even &= form.terms(graph).iter().all(|term| {
            let odd = odd_part(graph, term.node);
            graph.is_zero(odd)
        });
    }
    // The methods that ask for evenness take neither.
    let is_taken = |sort: Sort| sort != Sort::Nonholonomic && sort != Sort::Dissipation;
    even &= lowered.beside.iter().all(|(sort, _)| is_taken(*sort));
    let at_time = |graph: &mut Graph, node: NodeId| at_time(graph, node, in_time);
    let resolved = lowered.lagrangian.linear(graph, &at_time);
    lowered.at_phase = Some(AtPhase {
        lagrangian: std::mem::replace(&mut lowered.lagrangian, resolved),
        beside: lowered.beside.clone(),
        even,
    });
    lowered.beside.iter_mut().for_each(|(_, equations)| equations.map(graph, &at_time));
}

/// The expression with the phase as a function of time.
pub(crate) fn at_time(graph: &mut Graph, node: NodeId, in_time: NodeId) -> NodeId {
    graph.substitute(node, &|_, leaf| (leaf == Leaf::Phase).then_some(in_time))
}

/// f(v, θ) − f(−v, −θ).
fn odd_part(graph: &mut Graph, node: NodeId) -> NodeId {
    let mirrored = graph.substitute(node, &|graph, leaf| {
        (leaf == Leaf::Phase || is_velocity(leaf)).then(|| {
            let turned = graph.leaf(leaf);
            graph.negate(turned)
        })
    });
    graph.difference_of_addends(node, mirrored)
}
