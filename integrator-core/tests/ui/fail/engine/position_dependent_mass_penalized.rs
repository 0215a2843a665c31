use integrator_core::prelude::*;
use integrator_core::wrap::Penalized;

struct DoublePendulumAngles {
    rods: [f64; 2],
}

#[lagrangian]
impl DoublePendulumAngles {
    fn lagrangian(&self, theta: Angle, phi: Angle) -> Scalar {
        let upper = self.rods[0] * vec2(theta.sin(), -theta.cos());
        let lower = upper + self.rods[1] * vec2(phi.sin(), -phi.cos());
        0.5 * (der(upper).norm_squared() + der(lower).norm_squared()) - upper.y - lower.y
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let system = DoublePendulumAngles { rods: [1.0, 1.0] }.bind()?;
    let penalized = Penalized::new(&system, 100.0)?;
    println!("{}", penalized.name());
    Ok(())
}
