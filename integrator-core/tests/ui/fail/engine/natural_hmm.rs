use least_action::drive::integrate;
use least_action::method::multiscale::{Asynchronous, BoxFilter, Hmm, LeapFrog};
use least_action::prelude::*;

struct Spring {
    stiffness: f64,
}

#[lagrangian]
impl Spring {
    fn lagrangian(&self, x: Scalar) -> Scalar {
        0.5 * der(x).powi(2) - 0.5 * self.stiffness * x.powi(2)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let system = Spring { stiffness: 2.0 }.bind()?;
    let method = Hmm::new(LeapFrog, Asynchronous, BoxFilter::default());
    integrate(&system, &method, State::at_rest(vec![1.0]), 0.01)?.until(1.0).record()?;
    Ok(())
}
