use least_action::prelude::*;

fn softplus<D: least_action::expr::Number>(x: D) -> D {
    (x.exp() + 1.0).ln()
}

struct Pendulum {
    mass: f64,
    rod: f64,
}

#[lagrangian]
impl Pendulum {
    fn lagrangian(&self, bob: Vec2) -> Scalar {
        0.5 * self.mass * der(bob).norm_squared() - softplus(bob)
    }
}

fn main() {
    assert!(Pendulum { mass: 1.0, rod: 1.0 }.bind().is_ok());
}
