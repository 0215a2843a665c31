// `return` has no meaning in a formula.
use least_action::prelude::*;

#[derive(Debug, Clone, Default)]
pub struct Model {
    pub free: bool,
}

#[lagrangian]
impl Model {
    fn lagrangian(&self, x: Scalar) -> Scalar {
        if self.free {
            return 0.5 * der(x).powi(2);
        }
        0.5 * der(x).powi(2) - x
    }
}

fn main() {}
