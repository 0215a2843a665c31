//! The elementary generators: motions of time and of the entries of a coordinate.

use crate::ast::{Coordinate, Kind};
use crate::graph::{Graph, Leaf, NodeId};
use crate::lower::Lowered;

/// A one-parameter motion of all entries of one coordinate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Generator {
    /// The number of the coordinate.
    pub coordinate: usize,
    /// The motion of its entries.
    pub action: Action,
}

/// The motion of an entry: the rate of q; the rate of v follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Action {
    /// A scalar or an angle: 1.
    Shift,
    /// A vector: the unit vector of an axis.
    Translation(usize),
    /// A vector: e × q with the unit vector e of an axis; in the plane, axis 2 stands on it. A matrix:
    /// its columns move so, R ↦ exp(s ê) R.
    Rotation(usize),
    /// A matrix: R ↦ R exp(s ê), a rotation about an axis of the body.
    BodyRotation(usize),
}

/// The components of a matrix.
const MATRIX: usize = Kind::Mat3.components();

/// All elementary generators of a declaration.
pub(super) fn elementary(coordinates: &[Coordinate]) -> Vec<Generator> {
    let mut all = Vec::new();
    for (coordinate, declared) in coordinates.iter().enumerate() {
        let actions = match declared.kind {
            Kind::Scalar | Kind::Angle => vec![Action::Shift],
            Kind::Vec2 => vec![Action::Translation(0), Action::Translation(1), Action::Rotation(2)],
            Kind::Mat3 => (0..3).map(Action::Rotation).chain((0..3).map(Action::BodyRotation)).collect(),
            Kind::Vec3 => (0..3).map(Action::Translation).chain((0..3).map(Action::Rotation)).collect(),
        };
        all.extend(actions.into_iter().map(|action| Generator { coordinate, action }));
    }
    all
}

impl Generator {
    /// The rate of a leaf under the motion; `None` where it rests.
    pub(super) fn rate(self, lowered: &Lowered, graph: &mut Graph, leaf: Leaf) -> Option<NodeId> {
        let (gather, component, moving) = match leaf {
            Leaf::Position { gather, component } => (gather, component, false),
            Leaf::Velocity { gather, component } => (gather, component, true),
            _ => return None,
        };
        if lowered.gathers[gather].coordinate() != Some(self.coordinate) {
            return None;
        }
        match self.action {
            Action::Shift => (!moving).then(|| graph.constant(1.0)),
            Action::Translation(axis) => (!moving && component == axis).then(|| graph.constant(1.0)),
            Action::Rotation(axis) => {
                // A matrix stands row by row.
                let columns = if lowered.components[self.coordinate] == MATRIX { 3 } else { 1 };
                let (from, sign) = rotated(axis, component / columns)?;
                Some(turned(graph, gather, columns * from + component % columns, moving, sign))
            }
            Action::BodyRotation(axis) => {
                let (from, sign) = rotated(axis, component % 3)?;
                Some(turned(graph, gather, component / 3 * 3 + from, moving, -sign))
            }
        }
    }
}

/// `sign` times another component of the entry.
fn turned(graph: &mut Graph, gather: usize, component: usize, moving: bool, sign: f64) -> NodeId {
    let partner =
        if moving { Leaf::Velocity { gather, component } } else { Leaf::Position { gather, component } };
    let partner = graph.leaf(partner);
    graph.scale(sign, partner)
}

/// (e × q) at `component` is `sign` times q at the returned component.
fn rotated(axis: usize, component: usize) -> Option<(usize, f64)> {
    match (component + 3 - axis) % 3 {
        1 => Some(((axis + 2) % 3, -1.0)),
        2 => Some(((axis + 1) % 3, 1.0)),
        _ => None,
    }
}
