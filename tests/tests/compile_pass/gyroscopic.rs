//! The methods that fit a constant mass and a force that depends on velocity.

use super::drift;
use least_action::drive::integrate;
use least_action::method::Reference;
use least_action::prelude::*;

struct ChargedBead {
    mass: f64,
    field: f64,
}

#[lagrangian]
impl ChargedBead {
    fn lagrangian(&self, bead: Vec2) -> Scalar {
        0.5 * self.mass * der(bead).norm_squared() + 0.5 * self.field * bead.cross(der(bead))
    }
}

#[test]
fn the_reference_runs() -> Result<(), Box<dyn std::error::Error>> {
    let system = ChargedBead { mass: 1.0, field: 2.0 }.bind()?;
    let start = State::new(vec![1.0, 0.0], vec![0.0, 1.0]);
    assert!(drift(&system, integrate(&system, &Reference::default(), start.clone(), 0.001)?)? < 1e-10);
    // The bead turns by the field over the mass: half a radian.
    let (stepper, _) = integrate(&system, &Reference::default(), start, 0.25)?.run()?;
    let v = &stepper.state().v;
    assert!((v[0].atan2(v[1]).abs() - 0.5).abs() < 1e-10, "{v:?}");
    Ok(())
}
