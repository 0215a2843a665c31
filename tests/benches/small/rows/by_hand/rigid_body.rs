//! The magnetized rigid body by Verlet on the rotations: the inertia 1 and the torque (R₃₂, −R₃₁, 0).

use super::{ByHand, Told};

type Matrix = [[f64; 3]; 3];

pub(crate) struct RigidBody {
    h: f64,
    r: Matrix,
    omega: [f64; 3],
}

fn product(a: &Matrix, b: &Matrix) -> Matrix {
    let mut product = [[0.0; 3]; 3];
    for i in 0..3 {
        for j in 0..3 {
            product[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j];
        }
    }
    product
}

/// exp(ξ̂).
fn turn(xi: [f64; 3]) -> Matrix {
    let square = xi[0] * xi[0] + xi[1] * xi[1] + xi[2] * xi[2];
    let angle = square.sqrt();
    let (sine, cosine) = angle.sin_cos();
    let (s, b) =
        if angle == 0.0 { (1.0, 0.5) } else { (sine / angle, sine * sine / (square * (1.0 + cosine))) };
    let [x, y, z] = xi;
    [
        [1.0 - b * (y * y + z * z), b * x * y - s * z, b * x * z + s * y],
        [b * x * y + s * z, 1.0 - b * (x * x + z * z), b * y * z - s * x],
        [b * x * z - s * y, b * y * z + s * x, 1.0 - b * (x * x + y * y)],
    ]
}

impl RigidBody {
    /// From R = 1 and Ṙ, by their rows.
    pub(crate) fn new((r, rate): ([f64; 9], [f64; 9]), h: f64) -> Self {
        let row = |i: usize| [r[i], r[i + 1], r[i + 2]];
        Self { h, r: [row(0), row(3), row(6)], omega: [rate[7], rate[2], rate[3]] }
    }

    fn kick(&mut self) {
        self.omega[0] += 0.5 * self.h * self.r[2][1];
        self.omega[1] -= 0.5 * self.h * self.r[2][0];
    }
}

impl ByHand for RigidBody {
    fn step(&mut self) {
        self.kick();
        // The body turns about its angular momentum, which so stays as it is.
        let r = product(&self.r, &turn(self.omega.map(|omega| self.h * omega)));
        // R (3 − RᵀR) / 2 removes the rounding of a rotation.
        let mut defect = [[0.0; 3]; 3];
        for i in 0..3 {
            for j in i..3 {
                let entry = -0.5 * (r[0][i] * r[0][j] + r[1][i] * r[1][j] + r[2][i] * r[2][j]);
                (defect[i][j], defect[j][i]) = (entry, entry);
            }
            defect[i][i] += 1.5;
        }
        self.r = product(&r, &defect);
        self.kick();
    }

    fn told(&self) -> Told {
        (self.r.as_flattened().to_vec(), None)
    }
}
