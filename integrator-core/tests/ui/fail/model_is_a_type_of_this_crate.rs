use least_action::prelude::*;

#[lagrangian]
impl (f64, f64) {
    fn lagrangian(&self, theta: Angle) -> Scalar {
        0.5 * der(theta).powi(2)
    }
}

fn main() {}
