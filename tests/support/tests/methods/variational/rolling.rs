//! Systems with nonholonomic constraints: blades, wheels, balls and gears.

use super::problems::bound;
use least_action::lagrangian;
use least_action::system::Lagrangian;

/// The system of a problem with nonholonomic constraints, by its name and its parameters.
pub(super) fn rolling(name: &str, p: &[f64]) -> Option<Box<dyn Lagrangian>> {
    Some(match name {
        "chaplygin_sleigh" => Box::new(bound(&Sleigh { mass: p[0], inertia: p[1], ahead: p[2] })),
        "vertical_coin" => Box::new(bound(&Coin { mass: p[0], roll: p[1], turn: p[2], radius: p[3] })),
        "vertical_coin_by_its_direction" => {
            Box::new(bound(&DirectedCoin { mass: p[0], roll: p[1], turn: p[2], radius: p[3] }))
        }
        "contact_oscillator" => Box::new(bound(&Point { stiffness: 1.0 })),
        "nonholonomic_particle" => Box::new(bound(&Point { stiffness: 0.0 })),
        "cvt_perturbed" => Box::new(bound(&Gear { perturbation: p[0] })),
        "snakeboard" => Box::new(bound(&Snakeboard {
            mass: p[0],
            radius: p[1],
            rotor: p[2],
            wheels: p[3],
            torques: [p[4], p[5]],
            rates: [p[6], p[7]],
        })),
        "ball_on_turntable" | "ball_on_tilted_turntable" => Box::new(bound(&Ball {
            mass: p[0],
            inertia: p[1] * p[2].powi(2),
            radius: p[2],
            slope: p[3],
            rate: p[4],
        })),
        _ => return None,
    })
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

    #[nonholonomic]
    fn blade(&self, x: Scalar, y: Scalar, phi: Scalar) -> Scalar {
        der(y) * phi.cos() - der(x) * phi.sin()
    }
}

/// A coin that rolls upright: x, y, the angle that it has rolled, and its heading.
struct Coin {
    mass: f64,
    roll: f64,
    turn: f64,
    radius: f64,
}

#[lagrangian]
impl Coin {
    fn lagrangian(&self, x: Scalar, y: Scalar, theta: Scalar, phi: Scalar) -> Scalar {
        0.5 * self.mass * (der(x).powi(2) + der(y).powi(2))
            + 0.5 * self.roll * der(theta).powi(2)
            + 0.5 * self.turn * der(phi).powi(2)
    }

    #[nonholonomic]
    fn rolls(&self, x: Scalar, y: Scalar, theta: Scalar, phi: Scalar) -> Vec2 {
        der(vec2(x, y)) - self.radius * der(theta) * vec2(phi.cos(), phi.sin())
    }
}

/// The same coin with its heading as a unit vector.
struct DirectedCoin {
    mass: f64,
    roll: f64,
    turn: f64,
    radius: f64,
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

    #[nonholonomic]
    fn rolls(&self, x: Scalar, y: Scalar, theta: Scalar, heading: Vec2) -> Vec2 {
        der(vec2(x, y)) - self.radius * der(theta) * heading
    }
}

/// A point in space with z' = y x', bound to the origin or free.
struct Point {
    stiffness: f64,
}

#[lagrangian]
impl Point {
    fn lagrangian(&self, x: Scalar, y: Scalar, z: Scalar) -> Scalar {
        0.5 * (der(x).powi(2) + der(y).powi(2) + der(z).powi(2))
            - 0.5 * self.stiffness * (x.powi(2) + y.powi(2) + z.powi(2))
    }

    #[nonholonomic]
    fn contact(&self, x: Scalar, y: Scalar, z: Scalar) -> Scalar {
        der(z) - y * der(x)
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

    #[nonholonomic]
    fn belt(&self, x: Scalar, y: Scalar, xi: Scalar) -> Scalar {
        der(y) + xi.sin() * der(x)
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

    #[nonholonomic]
    fn wheels(&self, x: Scalar, y: Scalar, theta: Scalar, phi: Scalar) -> Vec2 {
        let (front, back) = (theta + phi, theta - phi);
        let turn = self.radius * phi.cos() * der(theta);
        vec2(
            -front.sin() * der(x) + front.cos() * der(y) - turn,
            -back.sin() * der(x) + back.cos() * der(y) + turn,
        )
    }
}

/// A ball on a table that turns: its place, and the angles whose rates are its angular velocity.
struct Ball {
    mass: f64,
    inertia: f64,
    radius: f64,
    slope: f64,
    rate: f64,
}

#[lagrangian]
impl Ball {
    fn lagrangian(&self, x: Scalar, y: Scalar, a: Scalar, b: Scalar) -> Scalar {
        0.5 * self.mass * (der(x).powi(2) + der(y).powi(2))
            + 0.5 * self.mass * self.inertia * (der(a).powi(2) + der(b).powi(2))
            + self.mass * self.slope * x
    }

    #[nonholonomic]
    fn rolls(&self, x: Scalar, y: Scalar, a: Scalar, b: Scalar) -> [Scalar; 2] {
        [der(x) - self.radius * der(b) + self.rate * y, der(y) + self.radius * der(a) - self.rate * x]
    }
}
