use least_action::drive::integrate;
use least_action::method::EnergyStepping;
use least_action::prelude::*;

struct Sinking {
    mass: f64,
}

#[lagrangian]
impl Sinking {
    fn lagrangian(&self, height: Scalar) -> Scalar {
        0.5 * self.mass * der(height).powi(2) - height
    }

    #[force]
    fn drag(&self, height: Scalar) -> Scalar {
        -der(height)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let system = Sinking { mass: 1.0 }.bind()?;
    let start = State::new(vec![1.0], vec![0.5]);
    integrate(&system, &EnergyStepping::default(), start, 0.01)?.until(1.0).record()?;
    Ok(())
}
