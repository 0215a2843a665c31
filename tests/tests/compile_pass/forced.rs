//! The method that fits a system with forces that no potential gives.

use least_action::drive::integrate;
use least_action::method::Reference;
use least_action::prelude::*;

struct Sinking {
    mass: f64,
}

#[lagrangian]
impl Sinking {
    fn lagrangian(&self, height: Scalar) -> Scalar {
        0.5 * self.mass * der(height).powi(2) - height
    }

    #[force]
    fn drag(&self, height: Scalar) -> Scalar {
        -der(height)
    }
}

#[test]
fn the_reference_includes_forces() -> Result<(), Box<dyn std::error::Error>> {
    let system = Sinking { mass: 1.0 }.bind()?;
    let start = State::at_rest(vec![1.0]);
    let recording = integrate(&system, &Reference::default(), start, 0.5)?.until(1.0).record()?;
    let fallen = recording.positions().last().ok_or("positions are recorded")?[0];
    // 1 − (t − 1 + exp(−t)) at t = 1.
    assert!((fallen - (1.0 - f64::exp(-1.0))).abs() < 1e-10);
    Ok(())
}
