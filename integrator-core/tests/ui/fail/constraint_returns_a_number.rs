use least_action::prelude::*;

struct Pendulum {
    mass: f64,
    rod: f64,
}

#[lagrangian]
impl Pendulum {
    fn lagrangian(&self, bob: Vec2) -> Scalar {
        0.5 * self.mass * der(bob).norm_squared() - self.mass * bob.y
    }

    #[holonomic]
    fn hangs(&self, bob: Vec2) -> f64 {
        bob.norm_squared() - self.rod.powi(2)
    }
}

fn main() {
    assert!(Pendulum { mass: 1.0, rod: 1.0 }.bind().is_ok());
}
