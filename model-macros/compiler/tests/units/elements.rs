//! Elements whose derivatives specialists write by hand.

/// An element.
pub(super) struct Known {
    pub(super) name: &'static str,
    /// A declaration whose potential is one family.
    pub(super) declaration: &'static str,
    /// Weighted operations of the gradient, of gradient and Hessian, of Hess · a and of a·f‴·a. The
    /// comment has the counts of a generator with given cuts (gradient, gradient and Hessian, a·f‴·a).
    pub(super) at_most: [u32; 4],
    /// The values of its coefficients, with lengths in units of 1 / scale.
    #[allow(dead_code, reason = "read beside `eliminate`, where the same elements are evaluated")]
    pub(super) coefficient: fn(usize, f64) -> f64,
}

/// All of them.
pub(super) const ELEMENTS: [Known; 8] = [
    // 12, 24, 26.
    Known {
        name: "chain rod",
        declaration: "impl Model { fn lagrangian(&self, p: [Vec2; self.n]) -> Scalar {
            sum(0..self.n, |i| 0.5 * der(p[i]).norm_squared())
                - sum(1..self.n, |i| 0.5 * self.omega.powi(2) * ((p[i] - p[i - 1]).norm_squared() - self.rod.powi(2)).powi(2))
        } }",
        at_most: [9, 17, 21, 20],
        coefficient: |id, scale| [1.5 * scale * scale, 4.0][id],
    },
    // 30, 65, 68.
    Known {
        name: "Lennard-Jones pair",
        declaration: "impl Model { fn lagrangian(&self, p: [Vec3; self.n]) -> Scalar {
            sum(0..self.n, |i| 0.5 * der(p[i]).norm_squared())
                - sum(pairs(self.n), |(i, j)| {
                    let ratio = self.sigma / (p[i] - p[j]).norm();
                    4.0 * self.epsilon * (ratio.powi(12) - ratio.powi(6))
                })
        } }",
        at_most: [23, 45, 45, 55],
        coefficient: |id, scale| [1.1 * scale, 0.8][id],
    },
    // 28, 56, 67.
    Known {
        name: "Coulomb pair",
        declaration: "impl Model { fn lagrangian(&self, p: [Vec3; self.n]) -> Scalar {
            sum(0..self.n, |i| 0.5 * der(p[i]).norm_squared())
                - sum(pairs(self.n), |(i, j)| self.coulomb * self.charge[i] * self.charge[j] / (p[i] - p[j]).norm())
        } }",
        at_most: [25, 42, 43, 53],
        coefficient: |_, _| 0.7,
    },
    // 210, 845, 375.
    Known {
        name: "neo-Hookean tetrahedron",
        declaration: "impl Model { fn lagrangian(&self, x: [Vec3; self.n]) -> Scalar {
            sum(0..self.n, |i| 0.5 * der(x[i]).norm_squared())
                - sum(self.tetrahedra.iter().zip(&self.inverses), |(t, b)| {
                    let d1 = x[t[1]] - x[t[0]];
                    let d2 = x[t[2]] - x[t[0]];
                    let d3 = x[t[3]] - x[t[0]];
                    let f1 = b[0][0] * d1 + b[1][0] * d2 + b[2][0] * d3;
                    let f2 = b[0][1] * d1 + b[1][1] * d2 + b[2][1] * d3;
                    let f3 = b[0][2] * d1 + b[1][2] * d2 + b[2][2] * d3;
                    let trace = f1.norm_squared() + f2.norm_squared() + f3.norm_squared();
                    let volume = f1.dot(f2.cross(f3));
                    0.5 * self.mu * (trace - 3.0) - self.mu * volume.ln() + 0.5 * self.lambda * volume.ln().powi(2)
                })
        } }",
        at_most: [136, 315, 222, 213],
        coefficient: |id, scale| if id > 8 { 0.9 } else if id % 4 == 0 { 1.0 / scale } else { 0.05 * id as f64 / scale },
    },
    // 67, 79, 95.
    Known {
        name: "DNA Morse term",
        declaration: "impl Model { fn lagrangian(&self, theta: [Angle; self.n]) -> Scalar {
            sum(0..self.n, |i| 0.5 * der(theta[i]).powi(2))
                - sum(0..self.n, |i| {
                    let stretch = self.depth * (1.0 - (-self.width * (2.0 * self.radius * (1.0 - theta[i].cos()))).exp()).powi(2);
                    stretch
                })
        } }",
        at_most: [66, 73, 73, 77],
        coefficient: |id, _| 0.3 + 0.2 * id as f64,
    },
    // The Hessian 370, the third contraction 3.2 gradients. A closed form takes 279 for the Hessian.
    Known {
        name: "angle bend",
        declaration: "impl Model { fn lagrangian(&self, p: [Vec3; self.n]) -> Scalar {
            sum(0..self.n, |i| 0.5 * der(p[i]).norm_squared())
                - sum(2..self.n, |i| {
                    let a = p[i - 2] - p[i - 1];
                    let b = p[i] - p[i - 1];
                    let angle = (a.dot(b) / (a.norm() * b.norm())).acos();
                    0.5 * self.stiffness * (angle - self.rest).powi(2)
                })
        } }",
        at_most: [107, 335, 207, 324],
        coefficient: |id, _| 0.5 + id as f64,
    },
    // The Hessian 874, the third contraction 4.2 gradients. A closed form takes 168 for the gradient
    // and 725 for the Hessian.
    Known {
        name: "dihedral",
        declaration: "impl Model { fn lagrangian(&self, p: [Vec3; self.n]) -> Scalar {
            sum(0..self.n, |i| 0.5 * der(p[i]).norm_squared())
                - sum(3..self.n, |i| {
                    let b1 = p[i - 2] - p[i - 3];
                    let b2 = p[i - 1] - p[i - 2];
                    let b3 = p[i] - p[i - 1];
                    let m = b1.cross(b2);
                    let n = b2.cross(b3);
                    let phi = (b2.norm() * b1.dot(n)).atan2(m.dot(n));
                    self.barrier * (1.0 + (3.0 * phi - self.phase).cos())
                })
        } }",
        at_most: [192, 771, 434, 660],
        coefficient: |id, _| 0.5 + 0.1 * id as f64,
    },
    // The Hessian 95, the third contraction 2.0 gradients.
    Known {
        name: "Buckingham pair",
        declaration: "impl Model { fn lagrangian(&self, p: [Vec3; self.n]) -> Scalar {
            sum(0..self.n, |i| 0.5 * der(p[i]).norm_squared())
                - sum(pairs(self.n), |(i, j)| {
                    let r = (p[i] - p[j]).norm();
                    self.a * (-self.b * r).exp() - self.c / r.powi(6)
                })
        } }",
        at_most: [53, 78, 77, 100],
        coefficient: |id, scale| [-0.9 / scale, 1.2, 0.4 * scale.powi(6)][id],
    },
];
