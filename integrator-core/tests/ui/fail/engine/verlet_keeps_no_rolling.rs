use least_action::method::{Method, Verlet};
use least_action::prelude::*;

struct Skate {
    mass: f64,
}

#[lagrangian]
impl Skate {
    fn lagrangian(&self, p: Vec2, phi: Angle) -> Scalar {
        0.5 * self.mass * der(p).norm_squared() + 0.5 * der(phi).powi(2)
    }

    #[nonholonomic]
    fn skate(&self, p: Vec2, phi: Angle) -> Scalar {
        der(p.x) * phi.sin() - der(p.y) * phi.cos()
    }
}

fn main() {
    let system = Skate { mass: 1.0 }.bind().unwrap();
    let state = State::new(vec![0.0; 3], vec![0.0; 3]);
    let _ = Verlet.start(&system, state, 0.1);
}
