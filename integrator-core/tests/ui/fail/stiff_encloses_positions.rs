use least_action::prelude::*;

struct Pendulum {
    mass: f64,
    rod: f64,
}

#[lagrangian]
impl Pendulum {
    fn lagrangian(&self, bob: Vec2) -> Scalar {
        let speed = der(bob);
        let kinetic = 0.5 * self.mass * speed.norm_squared();
        kinetic - stiff(self.rod * bob.norm_squared() - 0.1 * der(bob).x * bob.y + speed.y)
    }
}

fn main() {
    assert!(Pendulum { mass: 1.0, rod: 1.0 }.bind().is_ok());
}
