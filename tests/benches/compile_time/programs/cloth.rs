//! A cloth of triangles, membranes of Saint-Venant and Kirchhoff, with bent edges, held at two corners.

use least_action::prelude::*;

/// A triangle at rest.
pub struct Triangle {
    /// Its corners.
    pub corners: [usize; 3],
    /// Its area.
    pub area: f64,
    /// The inverse of the matrix of its edges.
    pub shape: [[f64; 2]; 2],
}

/// Triangles and the hinges between them.
pub struct Cloth {
    /// The mass of each corner.
    pub masses: Vec<f64>,
    /// The triangles.
    pub triangles: Vec<Triangle>,
    /// The four corners of two triangles with a common edge, its ends first.
    pub hinges: Vec<[usize; 4]>,
    /// The constants of Lame.
    pub lame: [f64; 2],
    /// The stiffness of a hinge.
    pub bending: f64,
    /// The acceleration of gravity.
    pub gravity: f64,
    /// The corners that are held, and their places.
    pub held: Vec<(usize, [f64; 3])>,
}

#[lagrangian]
impl Cloth {
    fn lagrangian(&self, corners: [Vec3; self.masses.len()]) -> Scalar {
        let kinetic =
            sum(self.masses.iter().enumerate(), |(i, mass)| 0.5 * mass * der(corners[i]).norm_squared());
        let weight = sum(self.masses.iter().enumerate(), |(i, mass)| mass * self.gravity * corners[i].z);
        let membrane = sum(self.triangles.iter(), |triangle| {
            let a = corners[triangle.corners[1]] - corners[triangle.corners[0]];
            let b = corners[triangle.corners[2]] - corners[triangle.corners[0]];
            let u = triangle.shape[0][0] * a + triangle.shape[1][0] * b;
            let v = triangle.shape[0][1] * a + triangle.shape[1][1] * b;
            let (uu, vv, uv) = (0.5 * (u.dot(u) - 1.0), 0.5 * (v.dot(v) - 1.0), 0.5 * u.dot(v));
            let trace = uu + vv;
            triangle.area
                * (0.5 * self.lame[0] * trace.powi(2)
                    + self.lame[1] * (uu.powi(2) + vv.powi(2) + 2.0 * uv.powi(2)))
        });
        let bending = sum(self.hinges.iter(), |hinge| {
            let edge = corners[hinge[1]] - corners[hinge[0]];
            let left = edge.cross(corners[hinge[2]] - corners[hinge[0]]);
            let right = (corners[hinge[3]] - corners[hinge[0]]).cross(edge);
            let angle = (left.cross(right).dot(edge) / edge.norm()).atan2(left.dot(right));
            0.5 * self.bending * angle.powi(2)
        });
        let springs =
            sum(self.held.iter(), |(corner, place)| 50.0 * (corners[*corner] - vec3(*place)).norm_squared());
        kinetic - weight - membrane - bending - springs
    }
}

fn main() {
    let shape = [[1.0, 0.0], [0.0, 1.0]];
    let triangle = |corners| Triangle { corners, area: 0.5, shape };
    let cloth = Cloth {
        masses: vec![1.0; 4],
        triangles: vec![triangle([0, 1, 2]), triangle([3, 2, 1])],
        hinges: vec![[1, 2, 0, 3]],
        lame: [1.0, 2.0],
        bending: 0.1,
        gravity: 9.81,
        held: vec![(0, [0.0; 3])],
    };
    let cloth = cloth.bind().expect("a cloth");
    println!("{}", cloth.potential(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.1, 0.0, 1.0, 0.0, 1.0, 1.0, 0.2], 0.0));
}
