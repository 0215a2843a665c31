//! The methods that fit a natural system with holonomic constraints.

use super::drift;
use least_action::advanced::wrap::Penalized;
use least_action::drive::integrate;
use least_action::method::{
    ExplicitConstrained, ProjectedRungeKutta, Rattle, Reference, Shake, SlowManifold, Verlet, ZhangSkeel,
    ZhangSkeelSimplified,
};
use least_action::prelude::*;

struct Pendulum {
    rod: f64,
}

#[lagrangian]
impl Pendulum {
    fn lagrangian(&self, bob: Vec2) -> Scalar {
        0.5 * der(bob).norm_squared() - bob.y
    }

    #[holonomic]
    fn hangs(&self, bob: Vec2) -> Scalar {
        bob.norm_squared() - self.rod.powi(2)
    }
}

#[test]
fn methods_for_constrained_systems_run() -> Result<(), Box<dyn std::error::Error>> {
    let system = Pendulum { rod: 1.0 }.bind()?;
    let start = State::at_rest(vec![1.0, 0.0]);
    assert!(drift(&system, integrate(&system, &Shake::default(), start.clone(), 0.001)?)? < 1e-6);
    assert!(drift(&system, integrate(&system, &Rattle::default(), start.clone(), 0.001)?)? < 1e-6);
    assert!(drift(&system, integrate(&system, &Reference::default(), start.clone(), 0.001)?)? < 1e-10);
    // The penalty of |p|² − L² oscillates with 2 L ω.
    let manifold = SlowManifold { micro_steps: 18, ..SlowManifold::default() };
    let stages = ProjectedRungeKutta { manifold };
    let explicit = ExplicitConstrained { method: stages, omega: 1e4 };
    assert!(drift(&system, integrate(&system, &explicit, start.clone(), 0.001)?)? < 1e-6);
    let penalized = Penalized::new(&system, 10.0)?;
    assert!(drift(&penalized, integrate(&penalized, &Verlet, start.clone(), 0.001)?)? < 1e-3);
    assert!(drift(&penalized, integrate(&penalized, &ZhangSkeel::default(), start.clone(), 0.001)?)? < 1e-3);
    assert!(
        drift(&penalized, integrate(&penalized, &ZhangSkeelSimplified::default(), start.clone(), 0.001)?)?
            < 1e-3
    );
    assert!(drift(&penalized, integrate(&penalized, &Reference::default(), start.clone(), 0.001)?)? < 1e-10);
    let stiff = Penalized::new(&system, 1e4)?;
    integrate(&stiff, &stages, start, 0.001)?.run()?;
    Ok(())
}
