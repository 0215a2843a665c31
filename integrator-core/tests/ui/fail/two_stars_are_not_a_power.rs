// Rust reads `x ** 2` as `x * (*2)`.
use least_action::prelude::*;

#[derive(Debug, Clone, Default)]
pub struct Model {
    pub mass: f64,
}

#[lagrangian]
impl Model {
    fn lagrangian(&self, x: Scalar) -> Scalar {
        0.5 * self.mass**2 * der(x).powi(2) - x**2
    }
}

fn main() {}
