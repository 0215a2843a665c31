//! Values of expressions at random points, cleared of rounding.

use crate::graph::{Graph, Leaf, Node, NodeId};
use std::collections::HashMap;

/// Results below this part of the added numbers are rounding.
const ROUNDING: f64 = 1e-11;

/// A point: the value of each leaf follows from its number.
#[derive(Debug, Clone, Copy)]
pub(super) struct Point(pub(super) u64);

impl Point {
    fn value(self, leaf: Leaf) -> f64 {
        let (kind, number) = match leaf {
            Leaf::Position { gather, component } => (1, 16 * gather + component),
            Leaf::Velocity { gather, component } => (2, 16 * gather + component),
            Leaf::Coefficient(id) => (3, id),
            _ => (4, 0),
        };
        let random = unit(self.0.wrapping_mul(0x9E37_79B9) ^ (kind << 40) ^ number as u64);
        // Signs in every combination: a function may vanish on one side alone.
        let signed = match kind {
            3 => self.0 % 4 == 3,
            _ => self.0 % 2 == 1,
        };
        if signed { 3.0 * random - 1.5 } else { 0.25 + random }
    }

    /// The values of `roots`: zero for rounding, NaN at a point outside their domain.
    pub(super) fn values(self, graph: &Graph, roots: &[NodeId]) -> Vec<f64> {
        let all = graph.reachable(roots);
        let values = graph.evaluate(&all, |leaf| self.value(leaf));
        let mut sizes: HashMap<NodeId, f64> = HashMap::with_capacity(all.len());
        let mut images: HashMap<NodeId, f64> = HashMap::with_capacity(all.len());
        for (&id, &value) in all.iter().zip(&values) {
            let operand = |id: &NodeId| sizes.get(id).copied().unwrap_or(f64::NAN);
            let size = match graph.node(id) {
                Node::Sum { constant, terms } => terms
                    .iter()
                    .fold(constant.0.abs(), |sum, (factor, term)| sum + factor.0.abs() * operand(term)),
                Node::Product(factors) => factors.iter().fold(1.0, |product, (base, halves)| {
                    let size = if *halves > 0 {
                        operand(base)
                    } else {
                        images.get(base).map_or(f64::NAN, |v| v.abs())
                    };
                    product * size.powf(f64::from(*halves) / 2.0)
                }),
                _ => value.abs(),
            };
            sizes.insert(id, size);
            images.insert(id, value);
        }
        let found = roots.iter().map(|root| {
            let (value, size) = (images[root], sizes[root]);
            if !value.is_finite() || !size.is_finite() {
                f64::NAN
            } else if value.abs() <= ROUNDING * size {
                0.0
            } else {
                value
            }
        });
        found.collect()
    }
}

/// A number of [0, 1) that looks random, equal in every compilation.
fn unit(seed: u64) -> f64 {
    let mut z = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}
