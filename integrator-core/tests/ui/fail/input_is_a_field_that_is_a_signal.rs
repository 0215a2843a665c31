use least_action::prelude::*;

struct Motor {
    torque: f64,
}

#[lagrangian]
impl Motor {
    fn lagrangian(&self, angle: Angle) -> Scalar {
        0.5 * der(angle).powi(2)
    }

    #[force]
    fn motor(&self, torque: Input, speed: Input) -> Angle {
        torque - speed
    }
}

fn main() {
    assert!(Motor { torque: 1.0 }.bind().is_ok());
}
