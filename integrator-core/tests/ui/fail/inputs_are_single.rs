use least_action::prelude::*;

struct Motor {
    torque: Signal,
}

#[lagrangian]
impl Motor {
    fn lagrangian(&self, angle: Angle) -> Scalar {
        0.5 * der(angle).powi(2)
    }

    #[force]
    fn motor(&self, torque: [Input; 2], angle: Angle) -> Angle {
        torque[0] * angle
    }
}

fn main() {
    assert!(Motor { torque: Signal::default() }.bind().is_ok());
}
