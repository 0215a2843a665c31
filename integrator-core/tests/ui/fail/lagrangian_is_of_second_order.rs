// A velocity that is only linear gives no mass.
use least_action::prelude::*;

#[derive(Debug, Clone, Default)]
pub struct Model {
    pub strength: f64,
}

#[lagrangian]
impl Model {
    fn lagrangian(&self, p: Vec2) -> Scalar {
        self.strength * p.x * der(p.y) - p.norm_squared()
    }
}

fn main() {}
