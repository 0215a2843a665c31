//! The methods that fit a natural system: constant mass, a force that depends on positions only.

use super::drift;
use least_action::drive::integrate;
use least_action::method::{Reference, Verlet, ZhangSkeel, ZhangSkeelSimplified};
use least_action::prelude::*;

struct Oscillator {
    mass: f64,
}

#[lagrangian]
impl Oscillator {
    fn lagrangian(&self, x: Scalar) -> Scalar {
        0.5 * self.mass * der(x).powi(2) - 0.5 * x.powi(2)
    }
}

#[test]
fn methods_for_natural_systems_run() -> Result<(), Box<dyn std::error::Error>> {
    let system = Oscillator { mass: 1.0 }.bind()?;
    let start = State::at_rest(vec![1.0]);
    assert!(drift(&system, integrate(&system, &Verlet, start.clone(), 0.001)?)? < 1e-6);
    assert!(drift(&system, integrate(&system, &ZhangSkeel::default(), start.clone(), 0.001)?)? < 1e-6);
    assert!(
        drift(&system, integrate(&system, &ZhangSkeelSimplified::default(), start.clone(), 0.001)?)? < 1e-6
    );
    assert!(drift(&system, integrate(&system, &Reference::default(), start.clone(), 0.001)?)? < 1e-10);
    Ok(())
}
