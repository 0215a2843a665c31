mod file;
mod gmsh;

pub use file::MeshFile;
pub use gmsh::MeshError;

use least_action::nalgebra::{Matrix3, Vector3};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashMap};

/// A body cut into tetrahedra.
#[derive(Debug, Clone, PartialEq)]
pub struct Mesh {
    /// The places of the nodes.
    pub nodes: Vec<Vector3<f64>>,
    /// The nodes of each tetrahedron.
    pub tetrahedra: Vec<[usize; 4]>,
    /// The nodes on the surface.
    pub surface: Vec<usize>,
}

/// The cut of each cubic cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cut {
    /// Into six tetrahedra around a diagonal, with nodes at the corners only.
    Six,
    /// Into twenty-four, with nodes also in the middles of cell and faces: no direction is preferred.
    TwentyFour,
}

/// A tetrahedron of a mesh, as linear finite elements need it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tetrahedron {
    /// Its nodes.
    pub nodes: [usize; 4],
    /// Its volume.
    pub volume: f64,
    /// D⁻¹; the columns of D are the edges from the first node to the others: row k is the gradient of
    /// the shape function of node k + 1. Not a number without volume.
    pub shape: Matrix3<f64>,
}

impl Mesh {
    /// The cube [0, side]³ of `cells`³ equal cells.
    ///
    /// It has [`Mesh::nodes_of_cube`] nodes.
    #[must_use]
    pub fn cube(side: f64, cells: usize, cut: Cut) -> Self {
        // Places in half cells: corners are even, middles of cells odd, of faces odd in two directions.
        let width = 2 * cells + 1;
        let all = (0..width * width * width).map(|k| [k % width, k / width % width, k / (width * width)]);
        let is_node = |place: &[usize; 3]| match place.iter().filter(|&&k| k % 2 == 1).count() {
            0 => true,
            1 => false,
            _ => cut == Cut::TwentyFour,
        };
        let places: Vec<[usize; 3]> = all.filter(is_node).collect();
        let half = 0.5 * side / cells as f64;
        let outside = |place: &[usize; 3]| place.iter().any(|&k| k == 0 || k == 2 * cells);
        let mut number = vec![0; width * width * width];
        let at = |[x, y, z]: [usize; 3]| x + width * (y + width * z);
        places.iter().enumerate().for_each(|(node, place)| number[at(*place)] = node);
        let corners = (0..cells * cells * cells)
            .map(|k| [k % cells, k / cells % cells, k / (cells * cells)].map(|k| 2 * k));
        let cut: fn([usize; 3]) -> Vec<[[usize; 3]; 4]> = match cut {
            Cut::Six => around_the_diagonal,
            Cut::TwentyFour => around_the_middle,
        };
        let tetrahedra = corners.flat_map(cut).map(|corners| corners.map(|place| number[at(place)]));
        Self {
            nodes: places.iter().map(|place| Vector3::from(place.map(|k| half * k as f64))).collect(),
            tetrahedra: tetrahedra.collect(),
            surface: (0..places.len()).filter(|node| outside(&places[*node])).collect(),
        }
    }

    /// The number of nodes of a cube with n cells on an edge: (n + 1)³ for a cut into six; n³ + 3 n²
    /// (n + 1) more for twenty-four; `usize::MAX` on overflow.
    #[must_use]
    pub fn nodes_of_cube(cells: usize, cut: Cut) -> usize {
        let n = cells.saturating_add(1);
        let corners = n.saturating_pow(3);
        match cut {
            Cut::Six => corners,
            Cut::TwentyFour => {
                let faces = cells.saturating_pow(2).saturating_mul(n).saturating_mul(3);
                corners.saturating_add(cells.saturating_pow(3)).saturating_add(faces)
            }
        }
    }

    /// The tetrahedra with their volumes and shapes.
    pub fn elements(&self) -> impl Iterator<Item = Tetrahedron> + '_ {
        self.tetrahedra.iter().map(|&nodes| {
            let [first, second, third, fourth] = nodes.map(|node| self.nodes[node]);
            let edges = Matrix3::from_columns(&[second - first, third - first, fourth - first]);
            let shape = edges.try_inverse().unwrap_or_else(|| Matrix3::repeat(f64::NAN));
            Tetrahedron { nodes, volume: edges.determinant().abs() / 6.0, shape }
        })
    }

    /// The nodes of the faces that belong to one tetrahedron only, in order.
    fn outer_nodes(&self) -> Vec<usize> {
        let mut outer = HashMap::new();
        for nodes in &self.tetrahedra {
            for left_out in 0..4 {
                let mut face: Vec<usize> = (0..4).filter(|&k| k != left_out).map(|k| nodes[k]).collect();
                face.sort_unstable();
                outer.entry(face).and_modify(|only| *only = false).or_insert(true);
            }
        }
        let faces = outer.into_iter().filter(|(_, only)| *only);
        faces.flat_map(|(face, _)| face).collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// The volume of each node: a quarter of each tetrahedron around it.
    #[must_use]
    pub fn volumes(&self) -> Vec<f64> {
        let mut volumes = vec![0.0; self.nodes.len()];
        for Tetrahedron { nodes, volume, .. } in self.elements() {
            for node in nodes {
                volumes[node] += 0.25 * volume;
            }
        }
        volumes
    }
}

/// The place `steps` half cells from `place` in the direction `axis`.
fn beside(mut place: [usize; 3], axis: usize, steps: usize) -> [usize; 3] {
    place[axis] += steps;
    place
}

/// The six ways along the edges of a cell from its first corner to the opposite one.
fn around_the_diagonal(corner: [usize; 3]) -> Vec<[[usize; 3]; 4]> {
    let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    let way = |[a, b, c]: [usize; 3]| {
        let second = beside(corner, a, 2);
        let third = beside(second, b, 2);
        [corner, second, third, beside(third, c, 2)]
    };
    orders.map(way).to_vec()
}

/// For each edge of each face of a cell: the middles of cell and face, and the edge.
fn around_the_middle(corner: [usize; 3]) -> Vec<[[usize; 3]; 4]> {
    let middle = corner.map(|k| k + 1);
    let faces = (0..3).flat_map(|axis| [0, 2].map(|side| (axis, beside(corner, axis, side))));
    faces
        .flat_map(|(axis, face)| {
            let (u, w) = ((axis + 1) % 3, (axis + 2) % 3);
            let centre = beside(beside(face, u, 1), w, 1);
            let ring = [face, beside(face, u, 2), beside(beside(face, u, 2), w, 2), beside(face, w, 2)];
            (0..4).map(move |k| [middle, centre, ring[k], ring[(k + 1) % 4]])
        })
        .collect()
}
