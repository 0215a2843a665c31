//! A rod as a stiff spring: the stretch at the lowest point, and a step that does not see the vibration.

use least_action::advanced::wrap::Penalized;
use least_action::drive::integrate;
use least_action::method::{Newmark, Verlet};
use least_action::prelude::*;

/// A bob on a rod that turns about the origin. y points up. SI units.
struct Pendulum {
    mass: f64,
    rod: f64,
    gravity: f64,
}

#[lagrangian]
impl Pendulum {
    fn lagrangian(&self, bob: Vec2) -> Scalar {
        0.5 * self.mass * der(bob).norm_squared() - self.mass * self.gravity * bob.y
    }

    #[holonomic]
    fn rod(&self, bob: Vec2) -> Scalar {
        bob.norm_squared() - self.rod.powi(2)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let pendulum = Pendulum { mass: 1.0, rod: 1.0, gravity: 9.81 };
    let Pendulum { mass, rod, gravity } = pendulum;
    let constrained = pendulum.bind()?;
    let start = State::points_at_rest(Vector2::new(rod, 0.0));
    let step = 0.01;

    for omega in [20.0, 50.0, 200.0, 2000.0] {
        // V + ½ ω² g², with g = |bob|² − l²: the declaration stays as it is.
        let soft = Penalized::new(&constrained, omega)?;
        let run = integrate(&soft, &Newmark::default(), start.clone(), step)?.until(2.0).record()?;
        let bobs: Vec<Vector2<f64>> = run.path("bob", [])?;
        let stretch = bobs.iter().map(|bob| bob.norm() - rod).fold(0.0, f64::max);
        // The tension 3 m g there is the force 2 ω² g l of the penalty, and g = 2 l times the stretch.
        let by_hand = 3.0 * mass * gravity / (4.0 * rod.powi(2) * omega.powi(2));
        println!("ω = {omega:6}: largest stretch measured {stretch:.3e} m, by hand {by_hand:.3e} m");
        assert!((stretch / by_hand - 1.0).abs() < 0.05);

        // The spring vibrates with 2 ω l / √m: an explicit method needs h < 2 / (2 ω l).
        let explicit = integrate(&soft, &Verlet, start.clone(), step)?.until(2.0).record();
        let believed = explicit.is_ok_and(|run| run.verdict().doubt().is_none());
        println!(
            "           h · 2 ω l = {:5.1}: Verlet {}",
            2.0 * step * omega * rod,
            if believed { "runs" } else { "fails" }
        );
        assert_eq!(believed, step * 2.0 * omega * rod < 2.0);
    }
    Ok(())
}
