use least_action::prelude::*;

struct Pendulum {
    mass: f64,
    rod: f64,
}

#[lagrangian]
impl Pendulum {
    fn lagrangian(&self, theta: Angle) -> Scalar {
        let square = |x| x * x;
        0.5 * self.mass * sqare(self.rod * der(theta)) + theta.cos()
    }
}

fn main() {
    assert!(Pendulum { mass: 1.0, rod: 1.0 }.bind().is_ok());
}
