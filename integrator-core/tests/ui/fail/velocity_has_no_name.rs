// The velocity of `theta` is `der(theta)`.
use least_action::prelude::*;

#[derive(Debug, Clone, Default)]
pub struct Model {
    pub mass: f64,
}

#[lagrangian]
impl Model {
    fn lagrangian(&self, theta: Angle) -> Scalar {
        0.5 * self.mass * theta_dot.powi(2) - theta.sin()
    }
}

fn main() {}
