use least_action::expr::Number;
use least_action::prelude::*;

/// ln(1 + eˣ).
fn softplus<D: Number>(x: D) -> D {
    (x.exp() + 1.0).ln()
}

/// A potential of two angles and a depth.
fn landscape<D: Number>(a: D, depth: f64, b: D) -> D {
    let mut sum = D::zero();
    for order in 1..4 {
        sum += (a * f64::from(order) + b).cos() / f64::from(order * order);
    }
    sum * depth
}

mod elsewhere {
    use least_action::expr::Number;

    /// A length that is 1 at the origin.
    pub(super) fn softened<D: Number>(x: D, y: D, z: D) -> D {
        (x * x + y * y + z * z + 1.0).sqrt()
    }
}

/// Atoms whose interactions are functions that only Rust knows.
#[derive(Debug, Clone)]
pub struct Foreign {
    /// Depths of the landscape, one for each pair of neighbours.
    pub depths: Vec<f64>,
}

#[lagrangian]
impl Foreign {
    fn lagrangian(&self, angles: [Angle; self.depths.len()], atom: Vec3) -> Scalar {
        let n = self.depths.len();
        let kinetic = sum(0..n, |i| 0.5 * der(angles[i]).powi(2)) + 0.5 * der(atom).norm_squared();
        let neighbours = sum(0..n, |i| landscape(angles[i], self.depths[i], angles[(i + 1) % n]) * atom.x);
        let soft = sum(0..n, |i| softplus(angles[i] - 0.5) + softplus(2.0 * atom.norm_squared()));
        kinetic - neighbours - soft - elsewhere::softened(atom.x, atom.y, atom.z).powi(2) * angles[0]
    }

    #[holonomic]
    fn shell(&self, atom: Vec3, angles: [Angle; self.depths.len()]) -> Scalar {
        elsewhere::softened(atom.x, atom.y, atom.z) - softplus(angles[0])
    }
}

/// A bead on a curve that only Rust knows: its mass depends on the place, as far as anyone can tell.
#[derive(Debug, Clone)]
pub struct Curve {
    /// Mass.
    pub mass: f64,
}

#[lagrangian]
impl Curve {
    fn lagrangian(&self, s: Scalar) -> Scalar {
        let place = vec2(s, softplus(s));
        0.5 * self.mass * der(place).norm_squared() - place.y
    }
}
