use least_action::prelude::*;

struct Pendulum {
    mass: f64,
    rod: f64,
}

#[lagrangian]
impl Pendulum {
    fn lagrangian(&self, left: Vec2, right: Vec2) -> Scalar {
        0.5 * self.mass * (der(left).norm_squared() + der(right).norm_squared())
    }

    #[force]
    fn drag(&self, left: Vec2) -> Vec2 {
        -self.rod * der(left)
    }
}

fn main() {
    assert!(Pendulum { mass: 1.0, rod: 1.0 }.bind().is_ok());
}
