//! Shapes: balls, bars and cubes of size one, and their turns.

use least_action::nalgebra::{Rotation3, Unit, UnitQuaternion, Vector3};

/// Vertices with their normals, and triangles.
pub(super) struct Shape {
    pub(super) vertices: Vec<[f32; 3]>,
    /// None of a surface that bends: viewers compute them from its triangles.
    pub(super) normals: Vec<[f32; 3]>,
    pub(super) triangles: Vec<[u16; 3]>,
}

/// A ball of radius one.
pub(super) fn ball() -> Shape {
    const AROUND: u16 = 20;
    const DOWN: u16 = 12;
    let angle = |part: u16, of: u16, whole: f32| whole * f32::from(part) / f32::from(of);
    let mut vertices = Vec::new();
    for ring in 0..=DOWN {
        let (sine, cosine) = angle(ring, DOWN, std::f32::consts::PI).sin_cos();
        for k in 0..=AROUND {
            let (y, x) = angle(k, AROUND, std::f32::consts::TAU).sin_cos();
            vertices.push([sine * x, cosine, -sine * y]);
        }
    }
    let width = AROUND + 1;
    let quads = (0..DOWN).flat_map(|ring| (0..AROUND).map(move |k| ring * width + k));
    let triangles =
        quads.flat_map(|at| [[at, at + width, at + 1], [at + 1, at + width, at + width + 1]]).collect();
    Shape { normals: vertices.clone(), vertices, triangles }
}

/// A bar of radius one along y, from −½ to ½, open at its ends.
pub(super) fn bar() -> Shape {
    const AROUND: u16 = 16;
    let (mut vertices, mut normals) = (Vec::new(), Vec::new());
    for k in 0..=AROUND {
        let (z, x) = (std::f32::consts::TAU * f32::from(k) / f32::from(AROUND)).sin_cos();
        for y in [-0.5, 0.5] {
            vertices.push([x, y, z]);
            normals.push([x, 0.0, z]);
        }
    }
    let triangles =
        (0..AROUND).map(|k| 2 * k).flat_map(|at| [[at, at + 1, at + 2], [at + 2, at + 1, at + 3]]).collect();
    Shape { vertices, normals, triangles }
}

/// A body of revolution along y, from −½ to ½, closed at its ends of these radii.
pub(super) fn round([first, last]: [f32; 2]) -> Shape {
    const AROUND: u16 = 32;
    let (mut vertices, mut normals, mut triangles) = (Vec::new(), Vec::new(), Vec::new());
    // The sides lean by the difference of the radii; each end is a fan about its middle.
    let lean = first - last;
    let steep = (1.0 + lean * lean).sqrt();
    for (y, radius) in [(-0.5_f32, first), (0.5, last)] {
        let middle = vertices.len() as u16;
        vertices.push([0.0, y, 0.0]);
        normals.push([0.0, y.signum(), 0.0]);
        for k in 0..=AROUND {
            let (z, x) = (std::f32::consts::TAU * f32::from(k) / f32::from(AROUND)).sin_cos();
            vertices.extend([[radius * x, y, radius * z]; 2]);
            normals.extend([[0.0, y.signum(), 0.0], [x / steep, lean / steep, z / steep]]);
            if k < AROUND {
                let rim = middle + 1 + 2 * k;
                triangles.push(if y < 0.0 { [middle, rim, rim + 2] } else { [middle, rim + 2, rim] });
                if y > 0.0 {
                    let (upper, lower) = (rim + 1, rim + 1 - middle);
                    triangles.extend([[lower, upper, lower + 2], [lower + 2, upper, upper + 2]]);
                }
            }
        }
    }
    Shape { vertices, normals, triangles }
}

/// A cube of half width one.
pub(super) fn cube() -> Shape {
    let (mut vertices, mut normals, mut triangles) = (Vec::new(), Vec::new(), Vec::new());
    for axis in 0..3 {
        for side in [-1.0_f32, 1.0] {
            let first = vertices.len() as u16;
            for (a, b) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
                let (mut vertex, mut normal) = ([0.0; 3], [0.0; 3]);
                // Corners go around the outward normal.
                (vertex[axis], vertex[(axis + 1) % 3], vertex[(axis + 2) % 3]) = (side, a * side, b);
                normal[axis] = side;
                vertices.push(vertex);
                normals.push(normal);
            }
            triangles.extend([[0, 1, 2], [0, 2, 3]].map(|corners| corners.map(|k| first + k)));
        }
    }
    Shape { vertices, normals, triangles }
}

/// No turn, as a quaternion x, y, z, w.
pub(in crate::output) const UNTURNED: [f64; 4] = [0.0, 0.0, 0.0, 1.0];

/// The turn from y to a direction, as a quaternion x, y, z, w on the side of the one before.
pub(super) fn turn(direction: [f32; 3], before: [f64; 4]) -> [f64; 4] {
    let Some(direction) = Unit::try_new(Vector3::from(direction).cast::<f64>(), 0.0) else { return before };
    // To −y leads any half circle, and none is the shortest.
    let half = || UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI);
    let shortest = UnitQuaternion::rotation_between_axis(&Vector3::y_axis(), &direction);
    beside(shortest.unwrap_or_else(half), before)
}

/// One of the two quaternions of a turn, on the side of another one.
fn beside(turn: UnitQuaternion<f64>, before: [f64; 4]) -> [f64; 4] {
    let turn = [turn.i, turn.j, turn.k, turn.w];
    let side = turn.iter().zip(before).map(|(a, b)| a * b).sum::<f64>();
    turn.map(|q| if side < 0.0 { -q } else { q })
}

/// The half lengths of a box with these half axes, and the turn from the cube to it, as a quaternion x,
/// y, z, w on the side of the one before. A mirrored box, as all boxes look, is turned with one of its
/// axes the other way.
pub(in crate::output) fn turned(axes: [[f64; 3]; 3], before: [f64; 4]) -> ([f64; 3], [f64; 4]) {
    let [x, y, z] = axes.map(Vector3::from);
    let lengths = [x, y, z].map(|axis| axis.norm());
    // The axes of a file are across each other but for their last digits.
    let [first, third] = [x, x.cross(&y)].map(|axis| axis.try_normalize(0.0));
    let (Some(first), Some(third), true) = (first, third, lengths.iter().all(|length| length.is_finite()))
    else {
        return ([0.0; 3], before);
    };
    let turn = Rotation3::from_basis_unchecked(&[first, third.cross(&first), third]);
    (lengths, beside(UnitQuaternion::from_rotation_matrix(&turn), before))
}
