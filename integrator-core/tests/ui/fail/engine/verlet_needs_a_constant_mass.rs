use least_action::drive::integrate;
use least_action::method::Verlet;
use least_action::prelude::*;

struct DoublePendulumAngles {
    rods: [f64; 2],
}

#[lagrangian]
impl DoublePendulumAngles {
    fn lagrangian(&self, theta: Angle, phi: Angle) -> Scalar {
        let upper = self.rods[0] * vec2(theta.sin(), -theta.cos());
        let lower = upper + self.rods[1] * vec2(phi.sin(), -phi.cos());
        0.5 * (der(upper).norm_squared() + der(lower).norm_squared()) - upper.y - lower.y
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let system = DoublePendulumAngles { rods: [1.0, 1.0] }.bind()?;
    let start = State::at_rest(vec![0.5, 1.0]);
    integrate(&system, &Verlet, start, 0.01)?.until(1.0).record()?;
    Ok(())
}
