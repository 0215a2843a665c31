//! The methods that fit constraints on a system whose mass matrix depends on coordinates.

use super::drift;
use least_action::drive::integrate;
use least_action::method::Reference;
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

#[test]
fn the_reference_runs() -> Result<(), Box<dyn std::error::Error>> {
    let system = SlidingRod { rod: 1.0 }.bind()?;
    let start = State::at_rest(vec![0.0, 0.0, 0.1]);
    assert!(drift(&system, integrate(&system, &Reference::default(), start.clone(), 0.001)?)? < 1e-10);
    Ok(())
}
