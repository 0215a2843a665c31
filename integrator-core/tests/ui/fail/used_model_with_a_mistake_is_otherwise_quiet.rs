use least_action::drive::integrate;
use least_action::method::{Rattle, Reference, Shake, Verlet, ZhangSkeel, ZhangSkeelSimplified};
use least_action::prelude::*;
use least_action::advanced::wrap::Penalized;

#[derive(Debug, Clone, Default)]
struct Pendulum {
    mass: f64,
    rod: f64,
}

#[lagrangian]
impl Pendulum {
    /// The period of small oscillations.
    pub fn period(&self) -> f64 {
        std::f64::consts::TAU * self.rod.sqrt()
    }

    fn lagrangian(&self, bob: Vec2) -> Scalar {
        0.5 * self.mass * der(bob).norm_squared() - self.mass * bop.y
    }

    #[holonomic]
    fn hangs(&self, bob: Vec2) -> Scalar {
        bob.norm_squared() - self.rod.powi(2)
    }
}

impl Start for Pendulum {
    fn start(&self) -> State {
        State::at_rest(vec![self.rod, 0.0])
    }
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let model = Pendulum { mass: 1.0, rod: 2.0 };
    let system: Bound<Pendulum> = model.bind()?;
    let step = model.period() / 100.0;
    integrate(&system, &Verlet, model.start(), step)?.until(1.0).record()?;
    integrate(&system, &ZhangSkeelSimplified::default(), model.start(), step)?.record()?;
    integrate(&system, &Shake::default(), model.start(), step)?.record()?;
    integrate(&system, &Rattle::default(), model.start(), step)?.record()?;
    integrate(&system, &Reference::default(), model.start(), step)?.record()?;
    let penalized = Penalized::new(&system, 100.0)?;
    integrate(&penalized, &ZhangSkeel::default(), model.start(), step)?.record()?;
    let fields = (system.potential(&[0.0, 1.0], 0.0), system.constraints(), system.stiff_pattern().len());
    println!("{fields:?}");
    Ok(())
}

fn main() {
    assert!(run().is_ok());
}
