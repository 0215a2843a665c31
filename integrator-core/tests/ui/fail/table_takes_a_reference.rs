use least_action::prelude::*;

struct Motor {
    torque: Signal,
}

#[lagrangian]
impl Motor {
    fn lagrangian(&self, angle: Angle, t: Time) -> Scalar {
        0.5 * der(angle).powi(2) + table(t, self.torque) * angle
    }
}

fn main() {
    assert!(Motor { torque: Signal::default() }.bind().is_ok());
}
