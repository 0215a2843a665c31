//! Systems with nonholonomic constraints, written by hand: a declared one, and its rows declared as constraints on (q, v).

use super::problems::bound;
use integrator_core::lagrangian;
use integrator_core::sparse::{RowPattern, SymmetricPattern};
use integrator_core::system::{Forced, Holonomic, Lagrangian, Layout, Nonholonomic, System};

/// A system, and constraints g(q, w) = 0 of another one with the positions (q, w), which stand for c(q, v) = 0.
pub(super) struct Rolling {
    pub(super) system: Box<dyn Lagrangian>,
    pub(super) rows: Box<dyn Holonomic>,
}

impl Rolling {
    fn both(q: &[f64], v: &[f64]) -> Vec<f64> {
        [q, v].concat()
    }
}

impl System for Rolling {
    fn name(&self) -> &str {
        self.system.name()
    }

    fn layout(&self) -> &Layout {
        self.system.layout()
    }

    fn holonomic(&self) -> Option<&dyn Holonomic> {
        self.system.holonomic()
    }

    fn nonholonomic(&self) -> Option<&dyn Nonholonomic> {
        Some(self)
    }

    fn forced(&self) -> Option<&dyn Forced> {
        self.system.forced()
    }

    fn mechanics(&self) -> Option<&dyn Lagrangian> {
        Some(self)
    }
}

impl Lagrangian for Rolling {
    fn lagrangian(&self, q: &[f64], v: &[f64], t: f64) -> f64 {
        self.system.lagrangian(q, v, t)
    }

    fn energy(&self, q: &[f64], v: &[f64], t: f64) -> f64 {
        self.system.energy(q, v, t)
    }

    fn first_derivatives(&self, q: &[f64], v: &[f64], t: f64, gradient: &mut [f64]) {
        self.system.first_derivatives(q, v, t, gradient);
    }

    fn second_pattern(&self) -> &SymmetricPattern {
        self.system.second_pattern()
    }

    fn second_derivatives(&self, q: &[f64], v: &[f64], t: f64, gradient: &mut [f64], hessian: &mut [f64]) {
        self.system.second_derivatives(q, v, t, gradient, hessian);
    }
}

impl Nonholonomic for Rolling {
    fn nonholonomic_rows(&self) -> usize {
        self.rows.constraints()
    }

    fn nonholonomic_name(&self, row: usize) -> String {
        self.rows.constraint_name(row)
    }

    fn nonholonomic_pattern(&self) -> &RowPattern {
        self.rows.jacobian_pattern()
    }

    fn nonholonomic_values(&self, q: &[f64], v: &[f64], t: f64, values: &mut [f64]) {
        self.rows.constraint_values(&Self::both(q, v), t, values);
    }

    fn nonholonomic_derivatives(
        &self,
        q: &[f64],
        v: &[f64],
        t: f64,
        values: &mut [f64],
        derivatives: &mut [f64],
    ) {
        self.rows.jacobian(&Self::both(q, v), t, values, derivatives);
    }

    fn nonholonomic_time_derivative(&self, q: &[f64], v: &[f64], t: f64, rate: &mut [f64]) {
        self.rows.constraint_rate(&Self::both(q, v), t, rate);
    }
}

/// The system of a problem with nonholonomic constraints, by its name and its parameters.
pub(super) fn rolling(name: &str, p: &[f64]) -> Option<Rolling> {
    let (system, rows): (Box<dyn Lagrangian>, Box<dyn Holonomic>) = match name {
        "chaplygin_sleigh" => (
            Box::new(bound(&Sleigh { mass: p[0], inertia: p[1], ahead: p[2] })),
            Box::new(bound(&Blade { unused: 1.0 })),
        ),
        "vertical_coin" => (
            Box::new(bound(&Coin { mass: p[0], roll: p[1], turn: p[2] })),
            Box::new(bound(&Wheel { radius: p[3] })),
        ),
        "vertical_coin_by_its_direction" => (
            Box::new(bound(&DirectedCoin { mass: p[0], roll: p[1], turn: p[2] })),
            Box::new(bound(&DirectedWheel { radius: p[3] })),
        ),
        "contact_oscillator" | "nonholonomic_particle" => {
            let stiffness = if name == "contact_oscillator" { 1.0 } else { 0.0 };
            (Box::new(bound(&Point { stiffness })), Box::new(bound(&Contact { unused: 1.0 })))
        }
        "cvt_perturbed" => {
            (Box::new(bound(&Gear { perturbation: p[0] })), Box::new(bound(&Belt { unused: 1.0 })))
        }
        "snakeboard" => (
            Box::new(bound(&Snakeboard {
                mass: p[0],
                radius: p[1],
                rotor: p[2],
                wheels: p[3],
                torques: [p[4], p[5]],
                rates: [p[6], p[7]],
            })),
            Box::new(bound(&Wheels { radius: p[1] })),
        ),
        "ball_on_turntable" | "ball_on_tilted_turntable" => (
            Box::new(bound(&Ball { mass: p[0], inertia: p[1] * p[2].powi(2), slope: p[3] })),
            Box::new(bound(&Table { radius: p[2], rate: p[4] })),
        ),
        _ => return None,
    };
    Some(Rolling { system, rows })
}

/// A sleigh on a blade, its centre of mass ahead of it.
struct Sleigh {
    mass: f64,
    inertia: f64,
    ahead: f64,
}

#[lagrangian]
impl Sleigh {
    fn lagrangian(&self, x: Scalar, y: Scalar, phi: Scalar) -> Scalar {
        let centre = vec2(x, y) + self.ahead * vec2(phi.cos(), phi.sin());
        0.5 * self.mass * der(centre).norm_squared() + 0.5 * self.inertia * der(phi).powi(2)
    }
}

struct Blade {
    unused: f64,
}

#[lagrangian]
impl Blade {
    fn lagrangian(&self, q: [Scalar; 3], w: [Scalar; 3]) -> Scalar {
        sum(0..3, |i| self.unused * (der(q[i]).powi(2) + der(w[i]).powi(2)))
    }

    #[holonomic]
    fn blade(&self, q: [Scalar; 3], w: [Scalar; 3]) -> Scalar {
        w[1] * q[2].cos() - w[0] * q[2].sin()
    }
}

/// A coin that rolls upright: x, y, the angle that it has rolled, and its heading.
struct Coin {
    mass: f64,
    roll: f64,
    turn: f64,
}

#[lagrangian]
impl Coin {
    fn lagrangian(&self, x: Scalar, y: Scalar, theta: Scalar, phi: Scalar) -> Scalar {
        0.5 * self.mass * (der(x).powi(2) + der(y).powi(2))
            + 0.5 * self.roll * der(theta).powi(2)
            + 0.5 * self.turn * der(phi).powi(2)
    }
}

struct Wheel {
    radius: f64,
}

#[lagrangian]
impl Wheel {
    fn lagrangian(&self, q: [Scalar; 4], w: [Scalar; 4]) -> Scalar {
        sum(0..4, |i| der(q[i]).powi(2) + der(w[i]).powi(2))
    }

    #[holonomic]
    fn rolls(&self, q: [Scalar; 4], w: [Scalar; 4]) -> Vec2 {
        vec2(w[0] - self.radius * q[3].cos() * w[2], w[1] - self.radius * q[3].sin() * w[2])
    }
}

/// The same coin with its heading as a unit vector.
struct DirectedCoin {
    mass: f64,
    roll: f64,
    turn: f64,
}

#[lagrangian]
impl DirectedCoin {
    fn lagrangian(&self, x: Scalar, y: Scalar, theta: Scalar, heading: Vec2) -> Scalar {
        0.5 * self.mass * (der(x).powi(2) + der(y).powi(2))
            + 0.5 * self.roll * der(theta).powi(2)
            + 0.5 * self.turn * der(heading).norm_squared()
    }

    #[holonomic]
    fn unit(&self, heading: Vec2) -> Scalar {
        heading.norm_squared() - 1.0
    }
}

struct DirectedWheel {
    radius: f64,
}

#[lagrangian]
impl DirectedWheel {
    fn lagrangian(&self, q: [Scalar; 5], w: [Scalar; 5]) -> Scalar {
        sum(0..5, |i| der(q[i]).powi(2) + der(w[i]).powi(2))
    }

    #[holonomic]
    fn rolls(&self, q: [Scalar; 5], w: [Scalar; 5]) -> Vec2 {
        vec2(w[0] - self.radius * q[3] * w[2], w[1] - self.radius * q[4] * w[2])
    }
}

/// A point in space, bound to the origin or free.
struct Point {
    stiffness: f64,
}

#[lagrangian]
impl Point {
    fn lagrangian(&self, x: Scalar, y: Scalar, z: Scalar) -> Scalar {
        0.5 * (der(x).powi(2) + der(y).powi(2) + der(z).powi(2))
            - 0.5 * self.stiffness * (x.powi(2) + y.powi(2) + z.powi(2))
    }
}

/// z' = y x'.
struct Contact {
    unused: f64,
}

#[lagrangian]
impl Contact {
    fn lagrangian(&self, q: [Scalar; 3], w: [Scalar; 3]) -> Scalar {
        sum(0..3, |i| self.unused * (der(q[i]).powi(2) + der(w[i]).powi(2)))
    }

    #[holonomic]
    fn contact(&self, q: [Scalar; 3], w: [Scalar; 3]) -> Scalar {
        w[2] - q[1] * w[0]
    }
}

/// The continuously variable transmission of Modin and Verdier, perturbed.
struct Gear {
    perturbation: f64,
}

#[lagrangian]
impl Gear {
    fn lagrangian(&self, x: Scalar, y: Scalar, xi: Scalar) -> Scalar {
        0.5 * (der(x).powi(2) + der(y).powi(2) + der(xi).powi(2)) - 0.5 * (x.powi(2) + y.powi(2)) - xi.cos()
            + 0.5 * self.perturbation * (2.0 * xi).sin()
    }
}

struct Belt {
    unused: f64,
}

#[lagrangian]
impl Belt {
    fn lagrangian(&self, q: [Scalar; 3], w: [Scalar; 3]) -> Scalar {
        sum(0..3, |i| self.unused * (der(q[i]).powi(2) + der(w[i]).powi(2)))
    }

    #[holonomic]
    fn belt(&self, q: [Scalar; 3], w: [Scalar; 3]) -> Scalar {
        w[1] + q[2].sin() * w[0]
    }
}

/// A board with a rotor on two pairs of wheels that are steered.
struct Snakeboard {
    mass: f64,
    radius: f64,
    rotor: f64,
    wheels: f64,
    torques: [f64; 2],
    rates: [f64; 2],
}

#[lagrangian]
impl Snakeboard {
    fn lagrangian(&self, x: Scalar, y: Scalar, theta: Scalar, psi: Scalar, phi: Scalar) -> Scalar {
        0.5 * self.mass * (der(x).powi(2) + der(y).powi(2) + self.radius.powi(2) * der(theta).powi(2))
            + 0.5 * self.rotor * der(psi).powi(2)
            + self.rotor * der(psi) * der(theta)
            + self.wheels * der(phi).powi(2)
    }

    #[force(psi)]
    fn rotor_torque(&self, t: Time) -> Scalar {
        self.torques[0] * (self.rates[0] * t).cos()
    }

    #[force(phi)]
    fn steering(&self, t: Time) -> Scalar {
        self.torques[1] * (self.rates[1] * t).cos()
    }
}

struct Wheels {
    radius: f64,
}

#[lagrangian]
impl Wheels {
    fn lagrangian(&self, q: [Scalar; 5], w: [Scalar; 5]) -> Scalar {
        sum(0..5, |i| der(q[i]).powi(2) + der(w[i]).powi(2))
    }

    #[holonomic]
    fn wheels(&self, q: [Scalar; 5], w: [Scalar; 5]) -> Vec2 {
        let (front, back) = (q[2] + q[4], q[2] - q[4]);
        let turn = self.radius * q[4].cos() * w[2];
        vec2(-front.sin() * w[0] + front.cos() * w[1] - turn, -back.sin() * w[0] + back.cos() * w[1] + turn)
    }
}

/// A ball on a table that turns: its place, and the angles whose rates are its angular velocity.
struct Ball {
    mass: f64,
    inertia: f64,
    slope: f64,
}

#[lagrangian]
impl Ball {
    fn lagrangian(&self, x: Scalar, y: Scalar, a: Scalar, b: Scalar) -> Scalar {
        0.5 * self.mass * (der(x).powi(2) + der(y).powi(2))
            + 0.5 * self.mass * self.inertia * (der(a).powi(2) + der(b).powi(2))
            + self.mass * self.slope * x
    }
}

struct Table {
    radius: f64,
    rate: f64,
}

#[lagrangian]
impl Table {
    fn lagrangian(&self, q: [Scalar; 4], w: [Scalar; 4]) -> Scalar {
        sum(0..4, |i| der(q[i]).powi(2) + der(w[i]).powi(2))
    }

    #[holonomic]
    fn rolls(&self, q: [Scalar; 4], w: [Scalar; 4]) -> Vec2 {
        vec2(w[0] - self.radius * w[3] + self.rate * q[1], w[1] + self.radius * w[2] - self.rate * q[0])
    }
}
