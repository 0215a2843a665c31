// A velocity is not an argument.
use least_action::prelude::*;

#[derive(Debug, Clone, Default)]
pub struct Model {
    pub mass: f64,
}

#[lagrangian]
impl Model {
    fn lagrangian(&self, theta: Angle, theta_dot: Scalar) -> Scalar {
        0.5 * self.mass * (der(theta).powi(2) + theta_dot * theta_dot)
    }
}

fn main() {}
