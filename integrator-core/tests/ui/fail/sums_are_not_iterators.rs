// A sum over coordinates is written with `sum`.
use least_action::prelude::*;

#[derive(Debug, Clone, Default)]
pub struct Model {
    pub mass: f64,
}

#[lagrangian]
impl Model {
    fn lagrangian(&self, p: [Vec2; 3]) -> Scalar {
        0.5 * self.mass * p.iter().map(|q| der(q).norm_squared()).sum()
    }
}

fn main() {}
