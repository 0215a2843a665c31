use least_action::prelude::*;

struct Pendulum {
    mass: f64,
    rod: f64,
}

#[lagrangian]
impl Pendulum {
    fn kinetic(&self, speed: Scalar) -> Scalar {
        0.5 * self.mass * speed.powi(2)
    }

    fn lagrangian(&self, theta: Angle) -> Scalar {
        self.kinetic(self.rod, der(theta))
    }
}

fn main() {
    assert!(Pendulum { mass: 1.0, rod: 1.0 }.bind().is_ok());
}
