use least_action::prelude::*;
use serde::{Deserialize, Serialize};

/// Bricard's linkage: five rods of length one and a fixed sixth in a loop, its joints at right angles.
///
/// The angles belong to five joints, with frames T_i = T_{i−1} R_z(q_i) T_x(1) R_x(±90°). Five
/// constraints close the loop; one of them follows from the others everywhere: the linkage moves
/// although counting says that it cannot. Rods are thin and uniform, of mass m. Units: SI.
///
/// # Source
/// IFToMM library of computational benchmark problems, *Bricard's mechanism*; R. Bricard, *Leçons de
/// cinématique II* (1927).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Bricard {
    /// Mass of a rod, kg.
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub mass: f64,
    /// Gravitational acceleration, m/s².
    pub gravity: f64,
    /// Angle of the odd joints at the start.
    pub odd: f64,
}

impl Default for Bricard {
    fn default() -> Self {
        Self { mass: 1.0, gravity: 9.81, odd: 1.9 }
    }
}

#[lagrangian]
impl Bricard {
    fn lagrangian(&self, q: [Angle; 5]) -> Scalar {
        let places = self.chain(q);
        self.rod(Vec3::ZERO, places[0])
            + self.rod(places[0], places[1])
            + self.rod(places[1], places[2])
            + self.rod(places[2], places[3])
            + self.rod(places[3], places[4])
    }

    /// A thin rod between two points: its kinetic energy less its weight.
    fn rod(&self, from: Vec3, to: Vec3) -> Scalar {
        let (u, w) = (der(from), der(to));
        self.mass / 6.0 * (u.norm_squared() + u.dot(w) + w.norm_squared())
            - 0.5 * self.mass * self.gravity * (from.y + to.y)
    }

    /// The far ends of the rods, and the axis of the last frame.
    fn chain(&self, q: [Angle; 5]) -> [Vec3; 6] {
        let (x0, y0, z0) = (vec3(1.0, 0.0, 0.0), vec3(0.0, 1.0, 0.0), vec3(0.0, 0.0, 1.0));
        let (x1, z1) = (self.ahead(x0, y0, q[0]), -self.aside(x0, y0, q[0]));
        let (x2, z2) = (self.ahead(x1, z0, q[1]), self.aside(x1, z0, q[1]));
        let (x3, z3) = (self.ahead(x2, -z1, q[2]), -self.aside(x2, -z1, q[2]));
        let x4 = self.ahead(x3, z2, q[3]);
        let (x5, z5) = (self.ahead(x4, -z3, q[4]), -self.aside(x4, -z3, q[4]));
        [x1, x1 + x2, x1 + x2 + x3, x1 + x2 + x3 + x4, x1 + x2 + x3 + x4 + x5, z5]
    }

    fn ahead(&self, x: Vec3, y: Vec3, angle: Scalar) -> Vec3 {
        angle.cos() * x + angle.sin() * y
    }

    fn aside(&self, x: Vec3, y: Vec3, angle: Scalar) -> Vec3 {
        angle.cos() * y - angle.sin() * x
    }

    /// The last rod ends where the sixth begins.
    #[holonomic]
    fn closed(&self, q: [Angle; 5]) -> Vec3 {
        self.chain(q)[4] + vec3(1.0, 0.0, 0.0)
    }

    /// Its joint is at right angles to the sixth.
    #[holonomic]
    fn axis(&self, q: [Angle; 5]) -> [Scalar; 2] {
        [self.chain(q)[5].x, self.chain(q)[5].z]
    }
}

/// At rest; along the motion cos q₁ + cos q₂ + cos q₁ cos q₂ = 0, and q₁ = q₃ = q₅, q₂ = q₄.
impl Start for Bricard {
    fn start(&self) -> State {
        let even = (-self.odd.cos() / (1.0 + self.odd.cos())).acos();
        State::at_rest(vec![self.odd, even, self.odd, even, self.odd])
    }

    fn look(&self) -> Look {
        Look::new()
            .fixed("ends", [Vector3::zeros(), Vector3::new(-1.0, 0.0, 0.0)])
            .points("joints", |q, _| {
                // The axes of each frame, turned by its angle, then by ±90° about the rod.
                let mut frame = Matrix3::identity();
                let mut end = Vector3::zeros();
                let mut joint = |(k, angle): (usize, &f64)| {
                    let (x, y, z) = (frame.column(0).into_owned(), frame.column(1), frame.column(2));
                    let ahead = angle.cos() * x + angle.sin() * y;
                    let aside = angle.cos() * y - angle.sin() * x;
                    let side = if k % 2 == 0 { 1.0 } else { -1.0 };
                    frame = Matrix3::from_columns(&[ahead, side * z, -side * aside]);
                    end += ahead;
                    end
                };
                q.iter().enumerate().map(&mut joint).collect()
            })
            .rod(("ends", 1), ("ends", 0))
            .rod(("ends", 0), ("joints", 0))
            .bonds("joints", (1..5).map(|i| (i - 1, i)))
    }
}
