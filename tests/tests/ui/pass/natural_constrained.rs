//! The methods that fit a natural system with holonomic constraints.

use integrator_core::drive::{Energy, integrate};
use integrator_core::method::{Rattle, ReferenceConstrained, Shake, Verlet, ZhangSkeel, ZhangSkeelSimplified};
use integrator_core::prelude::*;
use integrator_core::wrap::Penalized;

struct Pendulum {
    rod: f64,
}

#[lagrangian]
impl Pendulum {
    fn lagrangian(&self, bob: Vec2) -> Scalar {
        0.5 * der(bob).norm_squared() - bob.y
    }

    #[holonomic]
    fn hangs(&self, bob: Vec2) -> Scalar {
        bob.norm_squared() - self.rod.powi(2)
    }
}

