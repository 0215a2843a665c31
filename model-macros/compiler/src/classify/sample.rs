//! Values of expressions at a few points: two that differ prove a dependence on the point.

use crate::graph::{Graph, Leaf, NodeId};

/// The values of expressions at the point with this number; parameters are equal at all points.
pub(super) fn sampled(graph: &Graph, nodes: &[NodeId], point: u64) -> Vec<f64> {
    graph.evaluate(nodes, |leaf| {
        let seed = match leaf {
            Leaf::Position { gather, component } => (gather * 8 + component) as u64 + 1000 * point,
            Leaf::Velocity { gather, component } => (gather * 8 + component) as u64 + 1000 * point + 500,
            Leaf::Direction { .. } | Leaf::Weight(_) | Leaf::Along(_) => 0,
            Leaf::Coefficient(id) | Leaf::End(id) => id as u64 + 77_777,
            Leaf::Time | Leaf::Phase | Leaf::Internal(_) => 1000 * point + 999,
            Leaf::Signal { number, reading } => 1000 * point + 700 + (3 * number + reading as usize) as u64,
        };
        // Numbers spread over (0.25, 1.25), equal in every compilation.
        0.25 + (seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 11) as f64 / (1_u64 << 53) as f64
    })
}

/// True if two numbers differ by more than rounding.
pub(super) fn differ(a: f64, b: f64) -> bool {
    // A function of Rust gives NaN, and NaN proves nothing.
    (a - b).abs() > 1e-9 * (a.abs() + b.abs())
}

/// True if the expressions differ between two sampled points with equal parameters.
pub(super) fn varies(graph: &Graph, nodes: &[NodeId]) -> bool {
    let first = sampled(graph, nodes, 1);
    (2..6).any(|point| {
        let next = sampled(graph, nodes, point);
        first.iter().zip(next).any(|(a, b)| differ(*a, b))
    })
}
