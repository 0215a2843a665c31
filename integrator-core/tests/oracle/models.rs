//! Declarations that together use the whole language.

use integrator_core::lagrangian;

/// A chain of point masses on massless rigid rods, hanging from the origin.
#[derive(Debug, Clone)]
pub(crate) struct Chain {
    pub(crate) links: usize,
    pub(crate) mass: f64,
    pub(crate) gravity: f64,
    pub(crate) rod: f64,
}

#[lagrangian]
impl Chain {
    fn lagrangian(&self, bobs: [Vec2; self.links]) -> Scalar {
        let kinetic = sum(0..self.links, |i| 0.5 * self.mass * der(bobs[i]).norm_squared());
        let potential = sum(0..self.links, |i| self.mass * self.gravity * bobs[i].y);
        kinetic - potential
    }

    #[holonomic]
    fn rods(&self, bobs: [Vec2; self.links]) -> [Scalar; self.links] {
        each(0..self.links, |i| {
            let pivot = if i == 0 { Vec2::ZERO } else { bobs[i - 1] };
            (bobs[i] - pivot).norm_squared() - self.rod.powi(2)
        })
    }
}

/// Two bobs on rods, in angles from the vertical.
pub(crate) struct DoublePendulumAngles {
    pub(crate) masses: [f64; 2],
    pub(crate) rods: [f64; 2],
    pub(crate) gravity: f64,
}

#[lagrangian]
impl DoublePendulumAngles {
    fn lagrangian(&self, theta: Angle, phi: Angle) -> Scalar {
        let upper = self.rods[0] * vec2(theta.sin(), -theta.cos());
        let lower = upper + self.rods[1] * vec2(phi.sin(), -phi.cos());
        let bob =
            |mass: f64, place: Vec2| 0.5 * mass * der(place).norm_squared() - mass * self.gravity * place.y;
        bob(self.masses[0], upper) + bob(self.masses[1], lower)
    }
}

/// Rotors on a ring, each coupled to the next.
pub(crate) struct Ring {
    pub(crate) rotors: usize,
    pub(crate) coupling: f64,
}

#[lagrangian]
impl Ring {
    fn lagrangian(&self, theta: [Angle; self.rotors]) -> Scalar {
        let n = self.rotors;
        let bond = |k| self.coupling * (1.0 - (theta[(k + 1) % n] - theta[k]).cos());
        sum(0..n, |k| 0.5 * der(theta[k]).powi(2)) - sum(0..n, bond)
    }
}

/// The kinds of atoms in a cluster.
pub(crate) enum Atom {
    Heavy,
    Light,
}

/// Atoms that attract each other far away and repel each other near by; one of two kinds each.
pub(crate) struct Cluster {
    pub(crate) atoms: Vec<Atom>,
    pub(crate) sigma: f64,
    pub(crate) epsilon: f64,
}

#[lagrangian]
impl Cluster {
    fn mass(&self, i: usize) -> f64 {
        match self.atoms[i] {
            Atom::Heavy => 4.0,
            Atom::Light => 1.0,
        }
    }

    fn attraction(&self, a: Vec3, b: Vec3) -> Scalar {
        let s = (self.sigma * self.sigma / (a - b).norm_squared()).powi(3);
        4.0 * self.epsilon * s * (s - 1.0)
    }

    fn lagrangian(&self, atoms: [Vec3; self.atoms.len()]) -> Scalar {
        let kinetic =
            sum(self.atoms.iter().enumerate(), |(i, _)| 0.5 * self.mass(i) * der(atoms[i]).norm_squared());
        kinetic - sum(pairs(self.atoms.len()), |(i, j)| self.attraction(atoms[i], atoms[j]))
    }
}

/// A pendulum whose pivot is shaken up and down.
pub(crate) struct Driven {
    pub(crate) rod: f64,
    pub(crate) gravity: f64,
    pub(crate) amplitude: f64,
    pub(crate) frequency: f64,
}

#[lagrangian]
impl Driven {
    fn lagrangian(&self, angle: Angle, t: Time) -> Scalar {
        let pivot = vec2(0.0, self.amplitude * (self.frequency * t).cos());
        let bob = pivot + self.rod * vec2(angle.sin(), -angle.cos());
        0.5 * der(bob).norm_squared() - self.gravity * bob.y
    }
}

/// A net of springs with some knots held, a heavy soft part and a moving frame.
pub(crate) struct Net {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) stiffness: f64,
    pub(crate) anchors: Vec<[f64; 3]>,
}

#[lagrangian]
impl Net {
    fn lagrangian(&self, height: Scalar, knots: [[Vec3; self.columns]; self.rows]) -> Scalar {
        let spring = |a, b| 0.5 * (a - b).norm_squared();
        let along = sum(0..self.rows, |i| sum(1..self.columns, |j| spring(knots[i][j - 1], knots[i][j])));
        let across = sum(1..self.rows, |i| sum(0..self.columns, |j| spring(knots[i - 1][j], knots[i][j])));
        let inertia = sum(0..self.rows, |i| sum(knots[i].iter(), |knot| 0.5 * der(*knot).norm_squared()));
        let pull = sum(self.anchors.iter().enumerate(), |(i, &anchor)| {
            self.pull(vec3(anchor), knots[i][0] - vec3(0.0, 0.0, height))
        });
        inertia + der(height).powi(2) - stiff(self.stiffness * (along + across)) - pull
    }

    fn pull(&self, anchor: Vec3, knot: Vec3) -> Scalar {
        let distance = if self.anchors.len() > 1 { (anchor - knot).norm() } else { 1.0 };
        distance.exp() + knot.cross(anchor).x
    }

    #[holonomic]
    fn hem(&self, knots: [[Vec3; self.columns]; self.rows], t: Time) -> [[Scalar; self.columns]; 2] {
        [each(0..self.columns, |j| knots[0][j].z - (0.5 * t).sin()), self.level(knots, 2.0)]
    }

    fn level(&self, knots: [[Vec3; self.columns]; self.rows], scale: Scalar) -> [Scalar; self.columns] {
        each(0..self.columns, |j| scale * knots[self.rows - 1][j].dot(knots[0][j]) - t0())
    }

    #[holonomic]
    fn corner(&self, knots: [[Vec3; self.columns]; self.rows]) -> Vec3 {
        knots[0][0] - vec3(self.anchors[0])
    }
}

fn t0() -> f64 {
    0.25
}
