use integrator_core::prelude::*;
use integrator_core::wrap::Penalized;

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
    let penalized = Penalized::new(&system, 100.0)?;
    println!("{}", penalized.name());
    Ok(())
}
