use least_action::prelude::*;

struct Pendulum {
    mass: f64,
    rod: f64,
    frequency: f64,
}

#[lagrangian(conserves(energy))]
impl Pendulum {
    fn lagrangian(&self, theta: Angle, t: Time) -> Scalar {
        let kinetic = 0.5 * self.mass * (self.rod * der(theta)).powi(2);
        kinetic + theta.cos() - (self.frequency * t).cos() * theta.sin()
    }
}

fn main() {
    assert!(Pendulum { mass: 1.0, rod: 1.0, frequency: 1.0 }.bind().is_ok());
}
