use least_action::prelude::*;

struct Motor {
    torque: Signal,
}

#[lagrangian]
impl Motor {
    fn lagrangian(&self, angles: [Angle; 2], t: Time) -> Scalar {
        let tables = [&self.torque; 2];
        sum(0..2, |i| 0.5 * der(angles[i]).powi(2) + table(t, &tables[i]) * angles[i])
    }
}

fn main() {
    assert!(Motor { torque: Signal::default() }.bind().is_ok());
}
