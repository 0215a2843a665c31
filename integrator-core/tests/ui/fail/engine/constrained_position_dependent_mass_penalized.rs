use integrator_core::prelude::*;
use integrator_core::wrap::Penalized;

struct SlidingRod {
    rod: f64,
}

#[lagrangian]
impl SlidingRod {
    fn lagrangian(&self, foot: Vec2, theta: Angle) -> Scalar {
        let top = foot + self.rod * vec2(theta.sin(), theta.cos());
        0.5 * der(foot).norm_squared() + 0.5 * der(top).norm_squared() - top.y
    }

    #[holonomic]
    fn slides(&self, foot: Vec2) -> Scalar {
        foot.y
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let system = SlidingRod { rod: 1.0 }.bind()?;
    let penalized = Penalized::new(&system, 100.0)?;
    println!("{}", penalized.name());
    Ok(())
}
