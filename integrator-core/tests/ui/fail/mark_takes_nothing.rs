use least_action::prelude::*;

struct Slider {
    drag: f64,
}

#[lagrangian]
impl Slider {
    fn lagrangian(&self, x: Scalar, y: Scalar) -> Scalar {
        0.5 * (der(x).powi(2) + der(y).powi(2))
    }

    #[dissipation(x)]
    fn losses(&self, x: Scalar) -> Scalar {
        0.5 * self.drag * der(x).powi(2)
    }
}

fn main() {
    assert!(Slider { drag: 1.0 }.bind().is_ok());
}
