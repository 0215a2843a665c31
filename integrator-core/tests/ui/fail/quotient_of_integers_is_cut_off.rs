// 1 / 2 is zero, also under a cast.
use least_action::prelude::*;

#[derive(Debug, Clone, Default)]
pub struct Model {
    pub mass: f64,
}

#[lagrangian]
impl Model {
    fn lagrangian(&self, x: Scalar) -> Scalar {
        (1 / 2) as f64 * self.mass * der(x).powi(2) + der(x).powi(2)
    }
}

fn main() {}
