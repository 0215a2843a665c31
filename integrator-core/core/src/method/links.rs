//! Elements of a potential that read one or two points: the end and the component of each value.

use crate::system::{Kind, Layout};

/// Two points, or a point and the origin; a point is an entry of a coordinate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Link {
    /// The place in q of the first component of the point.
    pub(super) from: usize,
    /// The place in q of the first component of the other point; `None` for the origin.
    pub(super) to: Option<usize>,
    /// The number of components of a point.
    pub(super) components: usize,
}

/// For each value that an element reads, the end of the link and the component.
pub(super) type Slots = [(LinkEnd, usize); LARGEST];

/// An end of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LinkEnd {
    From,
    To,
}

/// The most values that an element reads: the components of two points in space.
pub(super) const LARGEST: usize = 6;

impl Link {
    /// The vector between the ends, x_i − x_j, padded with zeros.
    pub(super) fn vector(&self, q: &[f64]) -> [f64; 3] {
        let mut vector = [0.0; 3];
        for (c, entry) in vector.iter_mut().enumerate().take(self.components) {
            *entry = q[self.from + c] - self.to.map_or(0.0, |to| q[to + c]);
        }
        vector
    }
}

/// The points that an element reads, and the place of their components among its values.
pub(super) fn ends(layout: &Layout, reads: &[u32]) -> Result<(Link, Slots), &'static str> {
    let mut slots = [(LinkEnd::From, 0); LARGEST];
    if reads.len() > LARGEST {
        return Err("reads more than two points");
    }
    let mut link: Option<Link> = None;
    for (slot, &index) in slots.iter_mut().zip(reads) {
        let index = index as usize;
        let Some(group) = layout.coordinates().iter().rev().find(|group| group.offset <= index) else {
            return Err("reads what is no coordinate");
        };
        if !matches!(group.kind, Kind::Scalar | Kind::Vec2 | Kind::Vec3) {
            return Err("reads angles or matrices, which are not points");
        }
        let components = group.kind.components();
        let component = (index - group.offset) % components;
        let point = index - component;
        let known = link.get_or_insert(Link { from: point, to: None, components });
        if known.components != components {
            return Err("reads points of different spaces");
        }
        let end = if known.from == point {
            LinkEnd::From
        } else if *known.to.get_or_insert(point) == point {
            LinkEnd::To
        } else {
            return Err("reads more than two points");
        };
        *slot = (end, component);
    }
    link.map(|link| (link, slots)).ok_or("reads no coordinate")
}
