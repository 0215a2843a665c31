//! The methods that fit constraints on a system whose mass matrix depends on coordinates.

use integrator_core::drive::{Energy, integrate};
use integrator_core::method::ReferenceConstrained;
use integrator_core::prelude::*;

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

