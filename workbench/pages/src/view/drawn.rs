//! The content of a page: points, and their connections.

use std::collections::BTreeSet;

use serde::Serialize;

pub use crate::held::{Curve, Sphere};

/// The content of the page.
#[derive(Debug, Default, Serialize)]
pub struct Drawn {
    /// 2 or 3.
    pub dimension: usize,
    /// The number of points.
    pub points: usize,
    pub groups: Vec<Group>,
    pub rods: Vec<[usize; 2]>,
    pub springs: Vec<[usize; 2]>,
    /// Points that slide on a rail, and from which rods hang.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sliding: Vec<usize>,
    /// Triangles of surfaces.
    pub faces: Vec<[usize; 3]>,
    pub boxes: Vec<Turned>,
    /// Spheres, in the plane circles, on which points stay.
    pub spheres: Vec<Sphere>,
    /// Curves on which points stay.
    pub curves: Vec<Curve>,
    /// Bodies of revolution between points.
    pub solids: Vec<Solid>,
    pub labels: Vec<Label>,
    /// Planes, in the plane lines: a place and the direction up.
    pub grounds: Vec<[[f64; 3]; 2]>,
    /// The edges of the cell that repeats itself.
    pub cell: Option<[[f64; 3]; 3]>,
}

impl Drawn {
    /// The points that are within bodies of revolution.
    pub fn inside(&self) -> BTreeSet<usize> {
        let ends = self.solids.iter().map(|solid| &solid.ends[..if solid.length.is_none() { 2 } else { 1 }]);
        ends.flatten().copied().collect()
    }
}

impl Solid {
    /// The middles of its ends where its points are at these places.
    pub fn placed(&self, [from, to]: [[f32; 3]; 2]) -> [[f32; 3]; 2] {
        let Some(length) = self.length else { return [from, to] };
        let along = [0, 1, 2].map(|k| to[k] - from[k]);
        let size = along.iter().map(|x| x * x).sum::<f32>().sqrt();
        [-0.5, 0.5].map(|part| [0, 1, 2].map(|k| from[k] + part * length as f32 * along[k] / size))
    }
}

/// Points that stand one behind the other.
#[derive(Debug, Serialize)]
pub struct Group {
    pub name: String,
    pub kind: GroupKind,
    pub first: usize,
    pub count: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub radius: Option<f64>,
    /// The colours of its points, which repeat themselves.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub colours: Vec<String>,
    /// The masses of its points, which repeat themselves; none where they are not known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub masses: Vec<f64>,
    /// The kinds of its points, which repeat themselves.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) species: Vec<String>,
}

impl Group {
    /// The species of a point, where the look names it.
    pub fn species_of(&self, point: usize) -> Option<&str> {
        Some(&self.species[(point - self.first).checked_rem(self.species.len())?])
    }

    /// The mass of a point, where it is known.
    pub fn mass_of(&self, point: usize) -> Option<f64> {
        Some(self.masses[(point - self.first).checked_rem(self.masses.len())?])
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum GroupKind {
    /// Bodies.
    Body,
    /// A place from which bodies hang.
    Mount,
    /// Corners of boxes, and points that are not to be seen.
    Hidden,
}

/// A box: its centre, and the middles of three of its faces.
#[derive(Debug, Serialize)]
pub struct Turned {
    pub centre: usize,
    /// The first of three points.
    pub faces: usize,
}

/// A body of revolution: its ends with their radii.
/// Where it has a length, it stands in the middle about the first end, and the second says where its
/// axis points.
#[derive(Debug, Serialize)]
pub struct Solid {
    pub ends: [usize; 2],
    pub radii: [f64; 2],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<f64>,
}

/// Words beside a point.
#[derive(Debug, Serialize)]
pub struct Label {
    pub point: usize,
    pub text: String,
}
