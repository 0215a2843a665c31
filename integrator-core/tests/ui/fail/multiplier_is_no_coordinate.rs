// The multiplier of a constraint is not a coordinate.
use least_action::prelude::*;

#[derive(Debug, Clone, Default)]
pub struct Model {
    pub rod: f64,
}

#[lagrangian]
impl Model {
    fn lagrangian(&self, p: Vec2, lambda: Scalar) -> Scalar {
        0.5 * der(p).norm_squared() - lambda * (p.norm_squared() - self.rod.powi(2))
    }
}

fn main() {}
