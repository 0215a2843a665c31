use least_action::prelude::*;

struct Pendulum {
    mass: f64,
    rod: f64,
}

#[lagrangian(mass = constant, crate = "least_action")]
impl Pendulum {
    fn lagrangian(&self, theta: Angle) -> Scalar {
        0.5 * self.mass * (self.rod * der(theta)).powi(2) + theta.cos()
    }
}

struct Particle;

#[lagrangian(crate =, conserves(energy))]
impl Particle {
    fn lagrangian(&self, place: Vec2) -> Scalar {
        0.5 * der(place).norm_squared()
    }
}

struct Bead;

#[lagrangian(crate = self::inner::least_action)]
impl Bead {
    fn lagrangian(&self, place: Scalar) -> Scalar {
        0.5 * der(place).powi(2)
    }
}

fn main() {
    assert!(Pendulum { mass: 1.0, rod: 1.0 }.bind().is_ok());
    assert!(Particle.bind().is_ok());
    assert!(Bead.bind().is_ok());
}
