// What an element reads cannot depend on time.
use least_action::prelude::*;

#[derive(Debug, Clone, Default)]
pub struct Model {
    pub table: Vec<f64>,
}

#[lagrangian]
impl Model {
    fn lagrangian(&self, x: Scalar, t: Time) -> Scalar {
        0.5 * der(x).powi(2) - self.table[t as usize] * x
    }
}

fn main() {}
