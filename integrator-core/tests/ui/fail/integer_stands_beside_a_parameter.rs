// An integer beside a parameter.
use least_action::prelude::*;

#[derive(Debug, Clone, Default)]
pub struct Model {
    pub n: usize,
}

#[lagrangian]
impl Model {
    fn lagrangian(&self, x: Scalar) -> Scalar {
        0.5 * der(x).powi(2) - (self.n / 2) * x
    }
}

fn main() {}
