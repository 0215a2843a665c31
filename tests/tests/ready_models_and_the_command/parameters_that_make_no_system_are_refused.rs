//! Parameters with which a declaration reads what is not there are an error of binding, not a panic.

use integrator_core::prelude::*;

/// Beads seen from a moving frame, of which one is held.
struct Held {
    beads: usize,
    held: usize,
}

#[lagrangian]
impl Held {
    fn lagrangian(&self, beads: [Scalar; self.beads], frame: Scalar) -> Scalar {
        let seen = each(0..self.beads, |i| beads[i] - frame);
        let kinetic = sum(0..self.beads, |i| 0.5 * der(beads[i]).powi(2));
        kinetic + 0.5 * der(frame).powi(2) - 0.5 * seen[self.held].powi(2) - 0.5 * beads[self.held].powi(2)
    }
}

fn message(model: &Held) -> String {
    model.bind().err().map(|error| error.to_string()).unwrap_or_default()
}

#[test]
fn an_index_past_the_end_is_named() -> Result<(), Box<dyn std::error::Error>> {
    let system = Held { beads: 3, held: 2 }.bind()?;
    let energy = system.energy(&[0.0, 0.0, 3.0, 1.0], &[0.0; 4], 0.0);
    assert!((energy - (2.0 + 4.5)).abs() < 1e-15, "{energy}");

    let past = "index 3 is past the end of the `each(…)` that it reads: check the parameters of the model";
    assert_eq!(message(&Held { beads: 3, held: 3 }), past);
    Ok(())
}
