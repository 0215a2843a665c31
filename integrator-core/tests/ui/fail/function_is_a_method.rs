// `sin(theta)` is written `theta.sin()`.
use least_action::prelude::*;

#[derive(Debug, Clone, Default)]
pub struct Model {
    pub mass: f64,
}

#[lagrangian]
impl Model {
    fn lagrangian(&self, theta: Angle) -> Scalar {
        0.5 * self.mass * der(theta).powi(2) - sin(theta)
    }
}

fn main() {}
