use integrator_core::prelude::*;

struct Motor {
    torque: Signal,
}

#[lagrangian]
impl Motor {
    fn lagrangian(&self, angle: Angle) -> Scalar {
        0.5 * der(angle).powi(2)
    }

    #[holonomic]
    fn crank(&self, angle: Angle, torque: Input) -> Scalar {
        angle - torque
    }
}

fn main() {
    assert!(Motor { torque: Signal::default() }.bind().is_ok());
}
