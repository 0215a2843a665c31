//! A skate on a slope: it turns, and does not slide down.

use least_action::drive::{ConstraintResidual, integrate};
use least_action::method::VariationalMidpoint;
use least_action::prelude::*;

/// A skate on an inclined plane, x down the slope. Its blade is below its centre of mass. SI units.
struct Skate {
    mass: f64,
    inertia: f64,
    gravity: f64,
    /// Angle of the slope.
    slope: f64,
}

#[lagrangian]
impl Skate {
    fn lagrangian(&self, place: Vec2, heading: Angle) -> Scalar {
        let kinetic = 0.5 * self.mass * der(place).norm_squared() + 0.5 * self.inertia * der(heading).powi(2);
        kinetic + self.mass * self.gravity * self.slope.sin() * place.x
    }

    /// The blade does not move sideways.
    #[nonholonomic]
    fn blade(&self, place: Vec2, heading: Angle) -> Scalar {
        der(place).dot(vec2(-heading.sin(), heading.cos()))
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let skate = Skate { mass: 60.0, inertia: 2.0, gravity: 9.81, slope: 0.1 };
    let (spin, system) = (1.5, skate.bind()?);
    let start = State::new(vec![0.0, 0.0, 0.0], vec![0.0, 0.0, spin]);
    let run = integrate(&system, &VariationalMidpoint::default(), start, 0.01)?
        .until(20.0)
        .measure(ConstraintResidual::of_velocities(&system))
        .record()?;

    // x = a sin²(ω t) / (2 ω²), y = a (ω t − ½ sin 2ω t) / (2 ω²), with a = g sin α: a cycloid.
    let pull = skate.gravity * skate.slope.sin();
    let places: Vec<Vector2<f64>> = run.path("place", [])?;
    let lowest = places.iter().map(|place| place.x).fold(0.0, f64::max);
    let by_hand = pull / (2.0 * spin.powi(2));
    println!("farthest down the slope: measured {lowest:.5} m, by hand {by_hand:.5} m");
    assert!((lowest - by_hand).abs() < 1e-4);

    let across = places.last().ok_or("no places")?.y;
    let turned = spin * 20.0;
    let by_hand = pull * (turned - 0.5 * (2.0 * turned).sin()) / (2.0 * spin.powi(2));
    println!("across the slope after 20 s: measured {across:.4} m, by hand {by_hand:.4} m");
    assert!((across - by_hand).abs() < 1e-3);
    Ok(())
}
