use least_action::prelude::*;

struct Pendulum {
    mass: f64,
    teeth: usize,
}

#[lagrangian]
impl Pendulum {
    fn lagrangian(&self, theta: Angle) -> Scalar {
        0.5 * self.mass * der(theta).powi(2) - (self.teeth * theta).cos()
    }
}

fn main() {
    assert!(Pendulum { mass: 1.0, teeth: 12 }.bind().is_ok());
}
