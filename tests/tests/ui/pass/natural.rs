//! The methods that fit a natural system: constant mass, a force that depends on positions only.

use integrator_core::drive::{Energy, integrate};
use integrator_core::method::{Reference, Verlet, ZhangSkeel, ZhangSkeelSimplified};
use integrator_core::prelude::*;

struct Oscillator {
    mass: f64,
}

#[lagrangian]
impl Oscillator {
    fn lagrangian(&self, x: Scalar) -> Scalar {
        0.5 * self.mass * der(x).powi(2) - 0.5 * x.powi(2)
    }
}

