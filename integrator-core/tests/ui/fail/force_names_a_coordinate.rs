use least_action::prelude::*;

struct Pendulum {
    mass: f64,
    rod: f64,
}

#[lagrangian]
impl Pendulum {
    fn lagrangian(&self, bobs: Vec2, other: Vec2) -> Scalar {
        0.5 * self.mass * (der(bobs).norm_squared() + der(other).norm_squared())
    }

    #[force(bob)]
    fn drag(&self, bobs: Vec2) -> Vec2 {
        -self.rod * der(bobs)
    }
}

fn main() {
    assert!(Pendulum { mass: 1.0, rod: 1.0 }.bind().is_ok());
}
