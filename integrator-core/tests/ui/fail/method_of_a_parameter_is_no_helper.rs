// A helper of another model is not one of this model.
use least_action::prelude::*;

#[derive(Debug, Clone, Default)]
pub struct Model {
    pub other: f64,
}

#[lagrangian]
impl Model {
    fn lagrangian(&self, x: Scalar) -> Scalar {
        0.5 * der(x).powi(2) - self.other.mid(x)
    }
}

fn main() {}
