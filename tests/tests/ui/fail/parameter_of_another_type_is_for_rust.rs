use integrator_core::prelude::*;

struct Pendulum {
    name: String,
    mass: f64,
}

#[lagrangian]
impl Pendulum {
    fn lagrangian(&self, theta: Angle) -> Scalar {
        0.5 * self.mass * der(theta).powi(2) + self.name * theta.cos()
    }
}

fn main() {
    assert!(Pendulum { name: String::new(), mass: 1.0 }.bind().is_ok());
}
