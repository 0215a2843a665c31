use least_action::prelude::*;

struct Spring {
    stiffness: f64,
}

#[lagrangian(sensitive(stiffness, stiffness))]
impl Spring {
    fn lagrangian(&self, x: Scalar) -> Scalar {
        0.5 * der(x).powi(2) - self.stiffness * x.powi(2)
    }
}

fn main() {
    assert!(Spring { stiffness: 1.0 }.bind().is_ok());
}
