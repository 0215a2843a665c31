// A vector has no square root.
use least_action::prelude::*;

#[derive(Debug, Clone, Default)]
pub struct Model {
    pub mass: f64,
}

#[lagrangian]
impl Model {
    fn lagrangian(&self, p: Vec2) -> Scalar {
        0.5 * self.mass * der(p).norm_squared() - p.sqrt()
    }
}

fn main() {}
