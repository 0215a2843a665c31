//! What stands in a page: points, and what connects them.

use serde::Serialize;

/// What stands in the page.
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
    /// The edges of the cell that repeats itself.
    pub cell: Option<[[f64; 3]; 3]>,
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
    /// What its points are, which repeats itself; the page does not say it.
    #[serde(skip)]
    pub(super) species: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum GroupKind {
    /// Bodies.
    Body,
    /// What bodies hang from.
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

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Sphere {
    pub centre: [f64; 3],
    pub radius: f64,
}
