//! The problems of `tests/data/variational.json`, declared.

use super::rolling::rolling;
use least_action::system::{Lagrangian, State};
use least_action::{Bound, Model, lagrangian};
use serde_json::Value;
use test_support::reference::{numbers, read};

/// A problem with its numbers.
pub(super) struct Problem {
    pub(super) system: Box<dyn Lagrangian>,
    pub(super) start: State,
    pub(super) data: Value,
}

/// The problem of this name.
pub(super) fn problem(name: &str) -> Problem {
    let data = read("variational.json")["problems"][name].take();
    let parameters = numbers(&data["parameters"]);
    let system = declared(name, &parameters);
    let start = State::new(numbers(&data["q0"]), numbers(&data["v0"]));
    Problem { system, start, data }
}

pub(super) fn declared(name: &str, p: &[f64]) -> Box<dyn Lagrangian> {
    match name {
        "driven_damped_double_pendulum" => Box::new(DrivenPendulum::of(p)),
        "slider_crank_motor" => Box::new(bound(&SliderCrank {
            masses: [p[0], p[1], p[2]],
            rods: [p[3], p[4]],
            gravity: p[5],
            torque: p[6],
            drag: p[7],
            swing: p[8],
            rate: p[9],
        })),
        "fourbar_relative_angles" => Box::new(bound(&Fourbar {
            masses: [p[0], p[1], p[2]],
            rods: [p[3], p[4], p[5]],
            base: p[6],
            gravity: p[7],
        })),
        "polar_moving_rod" => Box::new(bound(&PolarRod {
            mass: p[0],
            length: p[1],
            swing: p[2],
            rate: p[3],
            gravity: p[4],
            drag: p[5],
        })),
        "magnetic_sphere" | "magnetic_sphere_symmetric" | "magnetic_sphere_damped" => {
            Box::new(bound(&MagneticSphere {
                mass: p[0],
                field: [p[1], p[2]],
                gravity: p[3],
                stiffness: p[4],
                drag: p[5],
            }))
        }
        "car_axis" => Box::new(bound(&CarAxis {
            mass: 0.5 * p[1] * p[0].powi(2),
            length: p[2],
            rest: p[3],
            bump: p[4],
            rate: p[5],
            gravity: p[6],
        })),
        "parallel_platform_redundant" => Box::new(bound(&Platform::of(p))),
        "n_fourbar_2" => Box::new(bound(&Fourbars { tips: 3, gravity: p[0] })),
        "bricard" => Box::new(Bricard::of(p)),
        other => rolling(other, p).unwrap_or_else(|| panic!("{other} is not declared")),
    }
}

pub(super) fn bound<M: Model>(model: &M) -> Bound<M> {
    model.bind().unwrap_or_else(|error| panic!("{error}"))
}

/// A double pendulum in angles, with viscous hinges and a motor in the first.
pub(super) struct DrivenPendulum {
    masses: [f64; 2],
    rods: [f64; 2],
    gravity: f64,
    drag: [f64; 2],
    torque: f64,
    rate: f64,
}

impl DrivenPendulum {
    pub(super) fn of(p: &[f64]) -> Bound<Self> {
        let [m1, m2, l1, l2, gravity, c1, c2, torque, rate] = *p else { panic!("nine parameters") };
        bound(&Self { masses: [m1, m2], rods: [l1, l2], gravity, drag: [c1, c2], torque, rate })
    }
}

#[lagrangian]
impl DrivenPendulum {
    fn lagrangian(&self, a: Scalar, b: Scalar) -> Scalar {
        let upper = self.rods[0] * vec2(a.sin(), -a.cos());
        let lower = upper + self.rods[1] * vec2(b.sin(), -b.cos());
        0.5 * self.masses[0] * der(upper).norm_squared() + 0.5 * self.masses[1] * der(lower).norm_squared()
            - self.gravity * (self.masses[0] * upper.y + self.masses[1] * lower.y)
    }

    #[force(a)]
    fn motor(&self, a: Scalar, b: Scalar, t: Time) -> Scalar {
        self.torque * (self.rate * t).cos() - self.drag[0] * der(a) - self.drag[1] * (der(a) - der(b))
    }

    #[force(b)]
    fn hinge(&self, a: Scalar, b: Scalar) -> Scalar {
        -self.drag[1] * (der(b) - der(a))
    }
}

/// A slider–crank with a motor on the crank: uniform rods and a slider that does not turn.
pub(super) struct SliderCrank {
    masses: [f64; 3],
    rods: [f64; 2],
    gravity: f64,
    torque: f64,
    drag: f64,
    swing: f64,
    rate: f64,
}

#[lagrangian]
impl SliderCrank {
    fn lagrangian(&self, a: Scalar, b: Scalar) -> Scalar {
        let joint = self.rods[0] * vec2(a.cos(), a.sin());
        let rod = vec2(b.cos(), b.sin());
        let middle = joint + 0.5 * self.rods[1] * rod;
        let slider = self.rods[0] * a.cos() + self.rods[1] * b.cos();
        self.masses[0] * self.rods[0].powi(2) / 6.0 * der(a).powi(2)
            + 0.5 * self.masses[1] * der(middle).norm_squared()
            + self.masses[1] * self.rods[1].powi(2) / 24.0 * der(b).powi(2)
            + 0.5 * self.masses[2] * der(slider).powi(2)
            - self.gravity * (self.masses[0] * 0.5 * joint.y + self.masses[1] * middle.y)
    }

    #[holonomic]
    fn rail(&self, a: Scalar, b: Scalar) -> Scalar {
        self.rods[0] * a.sin() + self.rods[1] * b.sin()
    }

    #[force(a)]
    fn motor(&self, a: Scalar, t: Time) -> Scalar {
        self.torque + self.swing * (self.rate * t).cos() - self.drag * der(a)
    }
}

/// A closed chain of three uniform rods in relative angles.
pub(super) struct Fourbar {
    masses: [f64; 3],
    rods: [f64; 3],
    base: f64,
    gravity: f64,
}

#[lagrangian]
impl Fourbar {
    fn lagrangian(&self, a: Scalar, b: Scalar, c: Scalar) -> Scalar {
        let (first, second, third) = (
            vec2(a.cos(), a.sin()),
            vec2((a + b).cos(), (a + b).sin()),
            vec2((a + b + c).cos(), (a + b + c).sin()),
        );
        let ends = (self.rods[0] * first, self.rods[0] * first + self.rods[1] * second);
        let rod = |mass: f64, length: f64, middle: Vec2, angle: Scalar| {
            0.5 * mass * der(middle).norm_squared() + mass * length.powi(2) / 24.0 * der(angle).powi(2)
                - mass * self.gravity * middle.y
        };
        rod(self.masses[0], self.rods[0], 0.5 * self.rods[0] * first, a)
            + rod(self.masses[1], self.rods[1], ends.0 + 0.5 * self.rods[1] * second, a + b)
            + rod(self.masses[2], self.rods[2], ends.1 + 0.5 * self.rods[2] * third, a + b + c)
    }

    #[holonomic]
    fn hinge(&self, a: Scalar, b: Scalar, c: Scalar) -> Vec2 {
        vec2(
            self.rods[0] * a.cos() + self.rods[1] * (a + b).cos() + self.rods[2] * (a + b + c).cos()
                - self.base,
            self.rods[0] * a.sin() + self.rods[1] * (a + b).sin() + self.rods[2] * (a + b + c).sin(),
        )
    }
}

/// A pendulum in polar coordinates whose rod swings its length, with drag.
pub(super) struct PolarRod {
    mass: f64,
    length: f64,
    swing: f64,
    rate: f64,
    gravity: f64,
    drag: f64,
}

#[lagrangian]
impl PolarRod {
    fn lagrangian(&self, r: Scalar, phi: Scalar) -> Scalar {
        0.5 * self.mass * (der(r).powi(2) + r.powi(2) * der(phi).powi(2))
            + self.mass * self.gravity * r * phi.cos()
    }

    #[holonomic]
    fn rod(&self, r: Scalar, t: Time) -> Scalar {
        r - self.length - self.swing * (self.rate * t).sin()
    }

    #[force(phi)]
    fn drag(&self, r: Scalar, phi: Scalar) -> Scalar {
        -self.drag * r.powi(2) * der(phi)
    }
}

/// A charge on a sphere in a magnetic field that is not uniform, with drag.
pub(super) struct MagneticSphere {
    mass: f64,
    field: [f64; 2],
    gravity: f64,
    stiffness: f64,
    drag: f64,
}

#[lagrangian]
impl MagneticSphere {
    fn lagrangian(&self, x: Scalar, y: Scalar, z: Scalar) -> Scalar {
        0.5 * self.mass * (der(x).powi(2) + der(y).powi(2) + der(z).powi(2))
            + 0.5 * (self.field[0] + self.field[1] * z) * (x * der(y) - y * der(x))
            - self.mass * self.gravity * z
            - 0.5 * self.stiffness * x.powi(2)
    }

    #[holonomic]
    fn sphere(&self, x: Scalar, y: Scalar, z: Scalar) -> Scalar {
        x.powi(2) + y.powi(2) + z.powi(2) - 1.0
    }

    #[force(x)]
    fn drag_x(&self, x: Scalar) -> Scalar {
        -self.drag * der(x)
    }

    #[force(y)]
    fn drag_y(&self, y: Scalar) -> Scalar {
        -self.drag * der(y)
    }

    #[force(z)]
    fn drag_z(&self, z: Scalar) -> Scalar {
        -self.drag * der(z)
    }
}

/// The car axis of the test set for initial value problems.
pub(super) struct CarAxis {
    mass: f64,
    length: f64,
    rest: f64,
    bump: f64,
    rate: f64,
    gravity: f64,
}

#[lagrangian]
impl CarAxis {
    fn lagrangian(&self, xl: Scalar, yl: Scalar, xr: Scalar, yr: Scalar, t: Time) -> Scalar {
        let yb = self.bump * (self.rate * t).sin();
        let xb = (self.length.powi(2) - yb.powi(2)).sqrt();
        let (left, right) =
            ((xl.powi(2) + yl.powi(2)).sqrt(), ((xr - xb).powi(2) + (yr - yb).powi(2)).sqrt());
        0.5 * self.mass * (der(xl).powi(2) + der(yl).powi(2) + der(xr).powi(2) + der(yr).powi(2))
            - 0.5 * (left - self.rest).powi(2)
            - 0.5 * (right - self.rest).powi(2)
            - self.mass * self.gravity * (yl + yr)
    }

    #[holonomic]
    fn axis(&self, xl: Scalar, yl: Scalar, xr: Scalar, yr: Scalar, t: Time) -> Vec2 {
        let yb = self.bump * (self.rate * t).sin();
        let xb = (self.length.powi(2) - yb.powi(2)).sqrt();
        vec2(xb * xl + yb * yl, (xl - xr).powi(2) + (yl - yr).powi(2) - self.length.powi(2))
    }
}

/// A platform on three equal parallel cranks, one of which is superfluous.
pub(super) struct Platform {
    mass: f64,
    inertia: f64,
    length: f64,
    gravity: f64,
    cranks: [f64; 3],
}

impl Platform {
    pub(super) fn of(p: &[f64]) -> Self {
        Self { mass: p[0], inertia: p[1], length: p[2], gravity: p[3], cranks: [p[4], p[5], p[6]] }
    }
}

#[lagrangian]
impl Platform {
    fn lagrangian(&self, x: Scalar, y: Scalar, phi: Scalar) -> Scalar {
        0.5 * self.mass * (der(x).powi(2) + der(y).powi(2)) + 0.5 * self.inertia * der(phi).powi(2)
            - self.mass * self.gravity * y
    }

    #[holonomic]
    fn crank(&self, x: Scalar, y: Scalar, phi: Scalar) -> [Scalar; 3] {
        each(0..3, |i| {
            (x + self.cranks[i] * phi.cos() - self.cranks[i]).powi(2)
                + (y + self.cranks[i] * phi.sin()).powi(2)
                - self.length.powi(2)
        })
    }
}

/// Rods in natural coordinates: tips B₀ … B_N of rods on the ground, joined by couplers.
pub(super) struct Fourbars {
    pub(super) tips: usize,
    pub(super) gravity: f64,
}

#[lagrangian]
impl Fourbars {
    fn lagrangian(&self, tip: [Vec2; self.tips]) -> Scalar {
        let cranks = sum(0..self.tips, |i| der(tip[i]).norm_squared() / 6.0 - 0.5 * self.gravity * tip[i].y);
        let couplers = sum(0..self.tips - 1, |i| {
            (der(tip[i]).norm_squared() + der(tip[i]).dot(der(tip[i + 1])) + der(tip[i + 1]).norm_squared())
                / 6.0
                - 0.5 * self.gravity * (tip[i].y + tip[i + 1].y)
        });
        cranks + couplers
    }

    #[holonomic]
    fn crank(&self, tip: [Vec2; self.tips]) -> [Scalar; self.tips] {
        each(0..self.tips, |i| (tip[i] - vec2(i as f64, 0.0)).norm_squared() - 1.0)
    }

    #[holonomic]
    fn coupler(&self, tip: [Vec2; self.tips]) -> [Scalar; self.tips - 1] {
        each(0..self.tips - 1, |i| (tip[i + 1] - tip[i]).norm_squared() - 1.0)
    }
}

/// A closed chain of five rods in space: Bricard's linkage, whose frames turn by q about z, go along the
/// rod, and turn by ±90° about x. One of the five rows that close it follows from the others.
pub(super) struct Bricard {
    mass: f64,
    /// The weight of a rod, as a vector.
    weight: [f64; 3],
    end: [f64; 3],
    across: [[f64; 3]; 2],
}

impl Bricard {
    fn of(p: &[f64]) -> Bound<Self> {
        let three = |at: usize| [p[at], p[at + 1], p[at + 2]];
        let weight = three(11).map(|entry| p[0] * p[1] * entry);
        bound(&Self { mass: p[1], weight, end: three(2), across: [three(5), three(8)] })
    }
}

#[lagrangian]
impl Bricard {
    fn ahead(&self, x: Vec3, y: Vec3, angle: Scalar) -> Vec3 {
        angle.cos() * x + angle.sin() * y
    }

    fn aside(&self, x: Vec3, y: Vec3, angle: Scalar) -> Vec3 {
        angle.cos() * y - angle.sin() * x
    }

    /// The joints after the first, and the axis of the last frame.
    fn chain(&self, q: [Scalar; 5]) -> [Vec3; 6] {
        let (x0, y0, z0) = (vec3(1.0, 0.0, 0.0), vec3(0.0, 1.0, 0.0), vec3(0.0, 0.0, 1.0));
        let (x1, z1) = (self.ahead(x0, y0, q[0]), -self.aside(x0, y0, q[0]));
        let (x2, z2) = (self.ahead(x1, z0, q[1]), self.aside(x1, z0, q[1]));
        let (x3, z3) = (self.ahead(x2, -z1, q[2]), -self.aside(x2, -z1, q[2]));
        let x4 = self.ahead(x3, z2, q[3]);
        let (x5, z5) = (self.ahead(x4, -z3, q[4]), -self.aside(x4, -z3, q[4]));
        [x1, x1 + x2, x1 + x2 + x3, x1 + x2 + x3 + x4, x1 + x2 + x3 + x4 + x5, z5]
    }

    fn rod(&self, begin: Vec3, end: Vec3) -> Scalar {
        let (u, w) = (der(begin), der(end));
        self.mass / 6.0 * (u.norm_squared() + u.dot(w) + w.norm_squared())
            + 0.5 * vec3(self.weight).dot(begin + end)
    }

    fn lagrangian(&self, q: [Scalar; 5]) -> Scalar {
        let joints = self.chain(q);
        self.rod(Vec3::ZERO, joints[0])
            + self.rod(joints[0], joints[1])
            + self.rod(joints[1], joints[2])
            + self.rod(joints[2], joints[3])
            + self.rod(joints[3], joints[4])
    }

    #[holonomic]
    fn closed(&self, q: [Scalar; 5]) -> Vec3 {
        self.chain(q)[4] - vec3(self.end)
    }

    #[holonomic]
    fn axis(&self, q: [Scalar; 5]) -> [Scalar; 2] {
        each(0..2, |i| self.chain(q)[5].dot(vec3(self.across[i])))
    }
}
