use least_action::drive::integrate;
use least_action::method::Shake;
use least_action::prelude::*;

struct Oscillator {
    mass: f64,
}

#[lagrangian]
impl Oscillator {
    fn lagrangian(&self, x: Scalar) -> Scalar {
        0.5 * self.mass * der(x).powi(2) - 0.5 * x.powi(2)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let system = Oscillator { mass: 1.0 }.bind()?;
    let start = State::at_rest(vec![1.0]);
    integrate(&system, &Shake::default(), start, 0.01)?.until(1.0).record()?;
    Ok(())
}
