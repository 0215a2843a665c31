use least_action::prelude::*;

struct Pendulum {
    mass: f64,
    rod: f64,
}

#[lagrangian]
impl Pendulum {
    fn lagrangian(&self, upper: Vec2, lower: Vec2) -> Scalar {
        0.5 * self.mass * (der(upper).norm_squared() + der(lower).norm_squared())
    }

    #[holonomic]
    fn rod(&self, lower: Vec2) -> Scalar {
        (lower - upper).norm_squared() - self.rod.powi(2)
    }
}

fn main() {
    assert!(Pendulum { mass: 1.0, rod: 1.0 }.bind().is_ok());
}
