// A parameter is a number unless it is wrapped.
use least_action::prelude::*;

#[derive(Debug, Clone, Default)]
pub struct Model {
    pub b: [f64; 3],
}

#[lagrangian]
impl Model {
    fn lagrangian(&self, x: Vec3) -> Scalar {
        0.5 * der(x).norm_squared() - self.b.dot(x)
    }
}

fn main() {}
