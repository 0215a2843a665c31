//! A signal has derivatives by its values where steps average it: as the input of a force.
use least_action::prelude::*;
use least_action::system::Signal;

struct Crane {
    torque: Signal,
    trolley: Signal,
    field: Signal,
}

#[lagrangian(sensitive(torque, trolley, field))]
impl Crane {
    fn lagrangian(&self, theta: Angle, t: Time, field: Input) -> Scalar {
        let load = vec2(table(t, &self.trolley), 0.0) + vec2(theta.sin(), -theta.cos());
        0.5 * der(load).norm_squared() - 9.81 * load.y + field * load.x
    }

    #[force]
    fn motor(&self, torque: Input) -> Angle {
        torque
    }
}

fn main() {}
