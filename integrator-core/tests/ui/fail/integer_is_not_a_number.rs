use least_action::prelude::*;

struct Pendulum {
    mass: f64,
    rod: f64,
}

#[lagrangian]
impl Pendulum {
    fn lagrangian(&self, theta: Angle) -> Scalar {
        0.5 * self.mass * (self.rod * der(theta)).powi(2) - 2 * theta.cos()
    }
}

fn main() {
    assert!(Pendulum { mass: 1.0, rod: 1.0 }.bind().is_ok());
}
