//! Pairs of points within a distance, and expressions of their separation.
//!
//! `sum(within(r, x), |(i, j, d)| f)` is a loop over pairs whose body sees d = xᵢ − xⱼ − s.
//! The shift s takes d to the nearest image in a periodic cell; a coefficient ([`Near::shift`]) means
//! it. It has no derivative: d is a difference of points less a constant, as proofs of symmetry need.
//! Families in range read d ([`Near::in_separation`]); others run over all pairs ([`Near::over_all`]).

use crate::graph::{Graph, Leaf, Node, NodeId};
use std::rc::Rc;
use syn::{Expr, Ident, Pat};

/// The value of `within(…)` or `between(…)`: near pairs of points.
#[derive(Debug, Clone)]
pub struct List {
    /// The number of the list within the declaration.
    pub number: usize,
    /// The list as it is written.
    pub written: Expr,
    /// The largest distance: coordinate-free Rust.
    pub radius: Expr,
    /// The points of the first ends, and the points of the second ends if they are others.
    pub points: Vec<Points>,
    /// The periodic cell, by value.
    pub cell: Option<Expr>,
    /// The iterators over pairs that are left out.
    pub exceptions: Vec<Expr>,
}

/// An array of points.
#[derive(Debug, Clone)]
pub struct Points {
    pub(super) array: Array,
    /// Its length: coordinate-free Rust.
    pub length: Expr,
    /// The numbers of a point.
    pub dimension: usize,
}

/// The array of points itself.
#[derive(Debug, Clone)]
#[expect(clippy::large_enum_variant, reason = "there are one or two in a list")]
pub(super) enum Array {
    /// Entries of a coordinate.
    Coordinates {
        /// The number of the coordinate.
        coordinate: usize,
        /// The indices so far.
        indices: Vec<Expr>,
    },
    /// Places made of coordinates, one for each item of an iterator.
    Each {
        /// The pattern of an item, with names of its own.
        pattern: Pat,
        /// The iterator: coordinate-free Rust.
        iterator: Expr,
        /// The number of the round, where it is read.
        position: Option<Ident>,
        /// The components of a place; `None` if they hold sums or choices.
        place: Option<Vec<NodeId>>,
    },
}

/// The neighbours of one point, or all pairs.
#[derive(Debug, Clone)]
pub(crate) struct Neighbours {
    pub list: Rc<List>,
    /// The point, for `near.of(i)`: coordinate-free Rust.
    pub of: Option<Expr>,
}

/// A loop over near pairs.
#[derive(Debug, Clone)]
pub struct Near {
    pub list: Rc<List>,
    /// The numbers of both ends: coordinate-free Rust.
    pub ends: [Expr; 2],
    /// True if the loop runs over the neighbours of its first end.
    pub of_one: bool,
    /// The components of both points.
    pub points: [Vec<NodeId>; 2],
    /// The coefficients that stand for the shift.
    pub shift: Vec<usize>,
    /// The shift to the nearest image itself.
    pub(super) image: Vec<NodeId>,
    /// d² − r² with the shift put in.
    pub(super) gap: NodeId,
}

impl List {
    /// The points of an end.
    pub fn points_of(&self, end: usize) -> &Points {
        &self.points[end.min(self.points.len() - 1)]
    }

    /// All coordinate-free Rust of the list.
    pub fn expressions(&self) -> impl Iterator<Item = &Expr> {
        let indices = self.points.iter().flat_map(|points| match &points.array {
            Array::Coordinates { indices, .. } => &indices[..],
            Array::Each { .. } => &[],
        });
        let lengths = self.points.iter().map(|points| &points.length);
        [&self.radius].into_iter().chain(&self.cell).chain(&self.exceptions).chain(lengths).chain(indices)
    }

    /// True if both ends are points of one array.
    pub fn is_of_one_array(&self) -> bool {
        self.points.len() == 1
    }
}

impl Near {
    /// The body over all pairs: with the shift put in, and zero beyond the distance.
    pub fn over_all(&self, graph: &mut Graph, body: NodeId) -> NodeId {
        let body = self.with_shift(graph, body, &self.image);
        let zero = graph.zero();
        graph.select(self.gap, true, body, zero)
    }

    /// The body as a function of the separation d, whose components are `separation`.
    pub fn in_separation(&self, graph: &mut Graph, body: NodeId, separation: &[NodeId]) -> NodeId {
        let [first, second] = &self.points;
        let shift: Vec<NodeId> = first
            .iter()
            .zip(second)
            .zip(separation)
            .map(|((a, b), d)| graph.combination([(1.0, *a), (-1.0, *b), (-1.0, *d)]))
            .collect();
        self.with_shift(graph, body, &shift)
    }

    /// The gather whose components are exactly a point of an end; `components` gives their number for a
    /// gather; `None` for calculated points.
    pub fn entry(
        &self,
        end: usize,
        graph: &Graph,
        components: impl Fn(usize) -> Option<usize>,
    ) -> Option<usize> {
        let (mut entry, point) = (None, &self.points[end]);
        for (k, node) in point.iter().enumerate() {
            match *graph.node(*node) {
                Node::Leaf(Leaf::Position { gather, component })
                    if component == k && entry.is_none_or(|known| known == gather) =>
                {
                    entry = Some(gather);
                }
                _ => return None,
            }
        }
        entry.filter(|gather| components(*gather) == Some(point.len()))
    }

    /// The loop with other names; `name` renames an expression.
    pub(super) fn renamed(
        &self,
        list: Rc<List>,
        ends: [Expr; 2],
        shift: Vec<usize>,
        name: &mut dyn FnMut(NodeId) -> NodeId,
    ) -> Self {
        let mut all = |nodes: &[NodeId]| nodes.iter().map(|node| name(*node)).collect::<Vec<_>>();
        let points = [all(&self.points[0]), all(&self.points[1])];
        let image = all(&self.image);
        let gap = name(self.gap);
        Self { list, ends, of_one: self.of_one, points, shift, image, gap }
    }

    fn with_shift(&self, graph: &mut Graph, body: NodeId, values: &[NodeId]) -> NodeId {
        graph.substitute(body, &|_, leaf| match leaf {
            Leaf::Coefficient(id) => {
                self.shift.iter().position(|known| *known == id).map(|component| values[component])
            }
            _ => None,
        })
    }
}

/// True for the coefficient of a shift without a cell, false in a cell, `None` for other coefficients.
pub(crate) fn is_shift(coefficient: &Expr) -> Option<bool> {
    let Expr::Index(component) = coefficient else { return None };
    let Expr::Call(call) = &*component.expr else { return None };
    let Expr::Path(path) = &*call.func else { return None };
    let words: Vec<String> = path.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
    match (path.path.leading_colon.is_some(), &words[..]) {
        (true, [near, word]) if near == "near" => Some(word == "open"),
        _ => None,
    }
}
