use least_action::drive::integrate;
use least_action::method::Verlet;
use least_action::prelude::*;

struct ChargedBead {
    mass: f64,
    field: f64,
}

#[lagrangian]
impl ChargedBead {
    fn lagrangian(&self, bead: Vec2) -> Scalar {
        0.5 * self.mass * der(bead).norm_squared() + 0.5 * self.field * bead.cross(der(bead))
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let system = ChargedBead { mass: 1.0, field: 2.0 }.bind()?;
    let start = State::at_rest(vec![1.0, 0.0]);
    integrate(&system, &Verlet, start, 0.01)?.until(1.0).record()?;
    Ok(())
}
