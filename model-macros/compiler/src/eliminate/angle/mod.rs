//! Derivatives of angles between vectors, in closed form.
//!
//! For the angle φ of the point (x, y), ∂φ = (x ∂y − y ∂x) / (x² + y²). Where x and y are products of vectors, most of the
//! numerator and of the denominator is the same, and what is left is short: the angle between u and v changes with u as
//! ((u·v) u / |u|² − v) / |u × v|, the dihedral angle of three bonds a, b, c with the first one as |b| (a × b) / |a × b|²
//! (A. Blondel and M. Karplus, J. Comput. Chem. 17 (1996) 1132).
//!
//! No such formula is written down here. The derivative is a vector of rational functions; it is looked for as a sum of at most
//! two of the vectors and their products, with factors that are products of powers of their squares and of dot and triple
//! products. Polynomials with integer coefficients are divided for that, so that what is found is exact; an angle whose
//! derivative has no such form is left as it is.

pub(crate) mod polynomial;
mod space;

use crate::graph::{Graph, Node, NodeId};
use polynomial::Polynomial;
use space::{Powers, Space};
use std::collections::BTreeMap;

/// For each angle, its derivatives by the components of the vectors that it is made of.
pub(crate) type Closed = BTreeMap<NodeId, Vec<(NodeId, NodeId)>>;

/// The most angles of one expression that are looked at.
const ANGLES: usize = 8;

/// The angles in an expression whose derivatives have a closed form.
pub fn closed(graph: &mut Graph, root: NodeId) -> Closed {
    let angles = graph.reachable(&[root]).into_iter().filter_map(|id| match *graph.node(id) {
        Node::Atan2 { y, x } => Some((id, y, x)),
        _ => None,
    });
    let angles: Vec<_> = angles.take(ANGLES).collect();
    angles.into_iter().filter_map(|(angle, y, x)| Some((angle, partials(graph, y, x)?))).collect()
}

/// The derivatives of the angle of a point by each component of each vector.
fn partials(graph: &mut Graph, y: NodeId, x: NodeId) -> Option<Vec<(NodeId, NodeId)>> {
    let mut space = Space::of(graph, &[y, x])?;
    let slope = Slope::of(graph, &mut space, y, x)?;
    let mut partials = Vec::new();
    for vector in 0..space.vectors() {
        let above = space.components(vector).map(|variable| slope.above(variable));
        let above: Vec<Polynomial> = above.collect::<Option<_>>()?;
        let mut parts = Vec::new();
        for (word, factor) in space.resolved(&above)? {
            let factor = space.factored(&factor)?.divided(&slope.below);
            parts.push((space.product(graph, &factor), word));
        }
        for component in 0..space.dimension() {
            let parts = parts.iter().map(|&(factor, word)| {
                let word = space.word(graph, word, component);
                (1.0, graph.multiply(factor, word))
            });
            let parts: Vec<(f64, NodeId)> = parts.collect();
            let (node, sign) = space.component(vector, component);
            let partial = graph.combination(parts);
            partials.push((node, graph.scale(sign, partial)));
        }
    }
    Some(partials)
}

/// ∂φ = Σ factor ∂of / below.
struct Slope {
    above: Vec<(Polynomial, Polynomial)>,
    below: Powers,
}

impl Slope {
    /// For φ = atan2(Y √R, X), ∂φ = (2 R X ∂Y − 2 R Y ∂X + X Y ∂R) / (2 √R (X² + R Y²)).
    fn of(graph: &Graph, space: &mut Space, y: NodeId, x: NodeId) -> Option<Self> {
        let ((y, of_y), (x, of_x)) = (space.without_roots(graph, y)?, space.without_roots(graph, x)?);
        // The angle stays when both are multiplied by the roots of x.
        let positive = space.multiplied(&of_x)?;
        let (x, under) = (x.times(&positive)?, space.multiplied(&of_y)?.times(&positive)?);
        let square = x.times(&x)?.plus(1, &under.times(&y.times(&y)?)?)?;
        let mut below = space.factored(&square)?;
        below.scale(2.0);
        of_y.into_iter().chain(of_x).for_each(|scalar| below.raise(scalar, 1));
        let twice =
            |sign: i64, factor: &Polynomial| under.times(factor)?.times(&Polynomial::constant(2 * sign));
        let above =
            vec![(twice(1, &x)?, y.clone()), (twice(-1, &y)?, x.clone()), (x.times(&y)?, under.clone())];
        Some(Self { above, below })
    }

    /// The numerator of the derivative by a variable.
    fn above(&self, variable: usize) -> Option<Polynomial> {
        self.above.iter().try_fold(Polynomial::default(), |sum, (factor, of)| {
            sum.plus(1, &factor.times(&of.derivative(variable)?)?)
        })
    }
}
