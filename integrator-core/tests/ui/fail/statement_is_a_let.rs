use least_action::prelude::*;

struct Pendulum {
    mass: f64,
    rod: f64,
}

#[lagrangian]
impl Pendulum {
    fn lagrangian(&self, theta: Angle) -> Scalar {
        let mut energy = 0.5 * self.mass * (self.rod * der(theta)).powi(2);
        energy += theta.cos();
        for _ in 0..3 {
            energy += theta.sin();
        }
        energy
    }
}

fn main() {
    assert!(Pendulum { mass: 1.0, rod: 1.0 }.bind().is_ok());
}
