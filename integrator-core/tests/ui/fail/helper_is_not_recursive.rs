use least_action::prelude::*;

struct Pendulum {
    mass: f64,
    rod: f64,
}

#[lagrangian]
impl Pendulum {
    fn tower(&self, x: Scalar) -> Scalar {
        self.tower(x.exp())
    }

    fn lagrangian(&self, theta: Angle) -> Scalar {
        0.5 * self.mass * (self.rod * der(theta)).powi(2) - self.tower(theta)
    }
}

fn main() {
    assert!(Pendulum { mass: 1.0, rod: 1.0 }.bind().is_ok());
}
