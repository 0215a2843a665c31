// A constraint without its attribute leaves the system free.
use least_action::prelude::*;

#[derive(Debug, Clone, Default)]
pub struct Model {
    pub rod: f64,
}

#[lagrangian]
impl Model {
    fn lagrangian(&self, p: Vec2) -> Scalar {
        0.5 * der(p).norm_squared()
    }

    fn rods(&self, p: Vec2) -> Scalar {
        p.norm_squared() - self.rod.powi(2)
    }
}

fn main() {}
