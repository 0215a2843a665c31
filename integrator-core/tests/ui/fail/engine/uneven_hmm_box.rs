use least_action::drive::integrate;
use least_action::method::multiscale::{Asynchronous, BoxFilter, Hmm, LeapFrog};
use least_action::prelude::*;

struct Shaken {
    omega: f64,
}

#[lagrangian]
impl Shaken {
    fn lagrangian(&self, q: Angle, theta: Phase) -> Scalar {
        0.5 * der(q).powi(2) - self.omega * (theta.cos() + (2.0 * theta).sin()) * q.cos()
    }

    #[frequency]
    fn frequency(&self) -> f64 {
        self.omega
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let system = Shaken { omega: 1e4 }.bind()?;
    let method = Hmm::new(LeapFrog, Asynchronous, BoxFilter::default());
    integrate(&system, &method, State::at_rest(vec![0.5]), 0.01)?.until(1.0).record()?;
    Ok(())
}
