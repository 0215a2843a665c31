use least_action::prelude::*;

struct Wheel {
    radius: f64,
}

#[lagrangian]
impl Wheel {
    fn lagrangian(&self, x: Scalar, theta: Angle, y: Scalar) -> Scalar {
        0.5 * (der(x).powi(2) + der(theta).powi(2) + der(y).powi(2))
    }

    #[nonholonomic]
    fn rolls(&self, x: Scalar, theta: Angle) -> Scalar {
        x - self.radius * theta
    }

    #[nonholonomic]
    fn rows(&self, x: Scalar, y: Scalar, theta: Angle) -> [Scalar; 2] {
        [der(x) * theta.cos() - der(y), x * y]
    }
}

fn main() {
    assert!(Wheel { radius: 1.0 }.bind().is_ok());
}
