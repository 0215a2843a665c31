use integrator_core::prelude::*;
use integrator_core::wrap::Penalized;

struct Sinking {
    drag: f64,
}

#[lagrangian]
impl Sinking {
    fn lagrangian(&self, bob: Vec2) -> Scalar {
        0.5 * der(bob).norm_squared() - bob.y
    }

    #[holonomic]
    fn rod(&self, bob: Vec2) -> Scalar {
        bob.norm_squared() - 1.0
    }

    #[force]
    fn drag(&self, bob: Vec2) -> Vec2 {
        -self.drag * der(bob)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let system = Sinking { drag: 1.0 }.bind()?;
    let penalized = Penalized::new(&system, 100.0)?;
    println!("{}", penalized.name());
    Ok(())
}
