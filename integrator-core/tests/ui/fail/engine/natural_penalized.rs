use least_action::prelude::*;
use least_action::advanced::wrap::Penalized;

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
    let penalized = Penalized::new(&system, 100.0)?;
    println!("{}", penalized.name());
    Ok(())
}
