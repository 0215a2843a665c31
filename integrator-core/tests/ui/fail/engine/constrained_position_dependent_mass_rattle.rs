use least_action::drive::integrate;
use least_action::method::Rattle;
use least_action::prelude::*;

struct SlidingRod {
    rod: f64,
}

#[lagrangian]
impl SlidingRod {
    fn lagrangian(&self, foot: Vec2, theta: Angle) -> Scalar {
        let top = foot + self.rod * vec2(theta.sin(), theta.cos());
        0.5 * der(foot).norm_squared() + 0.5 * der(top).norm_squared() - top.y
    }

    #[holonomic]
    fn slides(&self, foot: Vec2) -> Scalar {
        foot.y
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let system = SlidingRod { rod: 1.0 }.bind()?;
    let start = State::at_rest(vec![0.0, 0.0, 0.1]);
    integrate(&system, &Rattle::default(), start, 0.01)?.until(1.0).record()?;
    Ok(())
}
