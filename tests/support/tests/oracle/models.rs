//! Declarations that together use the whole language.

use least_action::lagrangian;

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

/// A point that is no array, as a user may have it.
#[derive(Clone, Copy)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
}

impl From<Point> for [f64; 2] {
    fn from(point: Point) -> Self {
        [point.x, point.y]
    }
}

/// Beads on a sliding frame: every way to choose, to name and to call.
pub(crate) struct Beads {
    pub(crate) count: usize,
    pub(crate) masses: Vec<f64>,
    pub(crate) anchor: Point,
    pub(crate) edges: Vec<(usize, usize)>,
    pub(crate) twist: Option<f64>,
}

#[lagrangian]
impl Beads {
    const GRAVITY: f64 = 9.81;

    fn total(&self) -> f64 {
        self.masses.iter().sum()
    }

    fn lagrangian(&self, beads: [Vec2; self.count], shift: Scalar, angle: Angle) -> Scalar {
        let gravity = vec2(0.0, -Self::GRAVITY);
        let (sin, cos) = angle.sin_cos();
        let arm: Vec2 = self.total() * vec2(sin, -cos);
        let placed = each(0..self.count, |i| beads[i] + vec2(shift, 0.0));
        let spring = |a, b, stiffness| {
            let length = if self.count > 9 { 0.0 } else { Self::length(a, b) };
            0.5 * stiffness * length.powi(2)
        };
        let bond = |i, j| spring(placed[i], beads[j], self.masses[i]);
        let double = |x| x + x;
        let scale = match self.twist {
            Some(twist) if twist > 0.0 => twist * angle.cos(),
            Some(twist) => twist,
            None => 1.0,
        };
        let chosen = if self.count == 2 {
            3.0
        } else if self.count == 3 {
            let square = shift * shift;
            square - 1.0
        } else {
            0.0
        };
        let kinetic = 0.5 * sum(&placed, |place| der(*place).norm_squared()) + 0.5 * der(arm).norm_squared();
        let weight = sum(self.masses.iter().zip(0..self.count), |(m, i)| m * placed[i].dot(gravity));
        let held = (beads[0] - vec2(self.anchor)).norm();
        kinetic + weight
            - sum(self.edges.iter(), |&(i, j)| bond(i, j))
            - scale * chosen
            - double(shift)
            - double(0.25)
            - held
            - self.area(beads, 2.0)
    }

    fn length(a: Vec2, b: Vec2) -> Scalar {
        a.distance(b)
    }

    fn area(&self, corners: [Vec2; self.count], factor: Scalar) -> Scalar {
        let n = corners.len();
        factor * sum(0..n, |i| corners[i].cross(corners[(i + 1) % n]))
    }

    #[holonomic]
    fn on_the_frame(&self, shift: Scalar, beads: [Vec2; self.count]) -> [Scalar; 3] {
        [beads[0].x - shift, beads[1][1], 0.5]
    }

    #[holonomic]
    fn together(&self, beads: [Vec2; self.count]) -> Vec2 {
        if self.count > 2 { beads[2] - beads[0] } else { Vec2::ZERO }
    }
}
