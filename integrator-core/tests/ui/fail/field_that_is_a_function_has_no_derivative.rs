// A closure in a field cannot be differentiated.
use least_action::prelude::*;

#[derive(Debug, Clone, Default)]
pub struct Model {
    pub potential: Option<fn(f64) -> f64>,
}

#[lagrangian]
impl Model {
    fn lagrangian(&self, x: Scalar) -> Scalar {
        0.5 * der(x).powi(2) - (self.potential)(x)
    }
}

fn main() {}
