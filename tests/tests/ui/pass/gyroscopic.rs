//! The methods that fit a constant mass and a force that depends on velocity.

use integrator_core::drive::{Energy, integrate};
use integrator_core::method::Reference;
use integrator_core::prelude::*;

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

