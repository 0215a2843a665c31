use least_action::prelude::*;

struct Pendulum;

trait Swing {}

#[lagrangian]
impl Swing for Pendulum {
    fn lagrangian(&self, theta: Angle) -> Scalar {
        0.5 * der(theta).powi(2) + theta.cos()
    }
}

fn main() {
    assert!(Pendulum.bind().is_ok());
}
