// A literal in single precision.
use least_action::prelude::*;

#[derive(Debug, Clone, Default)]
pub struct Model {
    pub mass: f64,
}

#[lagrangian]
impl Model {
    fn lagrangian(&self, x: Scalar) -> Scalar {
        0.5f32 * self.mass * der(x).powi(2)
    }
}

fn main() {}
