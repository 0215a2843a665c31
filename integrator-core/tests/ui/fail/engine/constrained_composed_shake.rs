use least_action::drive::integrate;
use least_action::method::{Composition, Shake};
use least_action::prelude::*;

struct Pendulum {
    gravity: f64,
}

#[lagrangian]
impl Pendulum {
    fn lagrangian(&self, bob: Vec2) -> Scalar {
        0.5 * der(bob).norm_squared() - self.gravity * bob.y
    }

    #[holonomic]
    fn rod(&self, bob: Vec2) -> Scalar {
        bob.norm_squared() - 1.0
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let system = Pendulum { gravity: 1.0 }.bind()?;
    let method = Composition::of(Shake::default(), 4);
    integrate(&system, &method, State::at_rest(vec![0.0, -1.0]), 0.01)?.until(1.0).record()?;
    Ok(())
}
