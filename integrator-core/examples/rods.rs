//! A pendulum by the place of its bob, which a rod holds: the tension of the rod beside three weights.

use least_action::drive::{ConstraintResidual, Moment, integrate};
use least_action::method::Rattle;
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

    /// Zero where the rod has its length.
    #[holonomic]
    fn rod(&self, bob: Vec2) -> Scalar {
        bob.norm_squared() - self.rod.powi(2)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let pendulum = Pendulum { mass: 2.0, rod: 1.5, gravity: 9.81 };
    let system = pendulum.bind()?;
    let start = State::points_at_rest(Vector2::new(pendulum.rod, 0.0));

    // The rod pulls the bob by λ ∂g/∂bob = 2 λ bob, so that its tension is −2 λ l.
    let mut tension = f64::NEG_INFINITY;
    let look = |moment: &Moment<'_>| {
        for lambda in moment.multipliers.into_iter().flatten() {
            tension = tension.max(-2.0 * lambda * pendulum.rod);
        }
    };
    let run = integrate(&system, &Rattle::default(), start, 1e-3)?
        .until(5.0)
        .measure(ConstraintResidual::of(&system))
        .watch(look)
        .record()?;

    let by_hand = 3.0 * pendulum.mass * pendulum.gravity;
    println!("largest tension: measured {tension:.4} N, three weights {by_hand:.4} N");
    assert!((tension - by_hand).abs() < 1e-3);

    let residual = run.column("constraint_residual").ok_or("no residual")?;
    let largest = residual.into_iter().fold(0.0, f64::max);
    println!("the rod keeps its length: l² is off by at most {largest:.1e} m²");
    assert!(largest < 1e-13);
    let bobs: Vec<Vector2<f64>> = run.path("bob", [])?;
    assert!(bobs.iter().all(|bob| bob.y < 1e-5), "it rises no higher than its start");
    Ok(())
}
