use least_action::prelude::*;

struct DoublePendulum {
    rod: f64,
}

#[lagrangian(mass = constant)]
impl DoublePendulum {
    fn lagrangian(&self, theta: Angle, phi: Angle) -> Scalar {
        let kinetic = der(theta).powi(2) + 0.5 * der(phi).powi(2)
            + self.rod * der(theta) * der(phi) * (theta - phi).cos();
        kinetic + 2.0 * theta.cos() + phi.cos()
    }
}

fn main() {
    assert!(DoublePendulum { rod: 1.0 }.bind().is_ok());
}
