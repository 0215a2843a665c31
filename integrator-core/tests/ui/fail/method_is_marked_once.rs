use least_action::prelude::*;

struct Slider {
    drag: f64,
}

#[lagrangian]
impl Slider {
    fn lagrangian(&self, x: Scalar, y: Scalar) -> Scalar {
        0.5 * (der(x).powi(2) + der(y).powi(2))
    }

    #[holonomic]
    #[nonholonomic]
    fn rolls(&self, x: Scalar, y: Scalar) -> Scalar {
        self.drag * der(x) - x * der(y)
    }
}

fn main() {
    assert!(Slider { drag: 1.0 }.bind().is_ok());
}
