//! A pendulum with a damper and a motor: the amplitude at resonance, and the impulse of a push.

use least_action::drive::{Balance, integrate};
use least_action::method::Verlet;
use least_action::prelude::*;
use std::f64::consts::TAU;

/// A pendulum with friction in its joint. A motor and a push turn it. SI units.
#[derive(Clone)]
struct Driven {
    mass: f64,
    rod: f64,
    gravity: f64,
    damping: f64,
    motor: f64,
    frequency: f64,
    push: Signal,
}

#[lagrangian]
impl Driven {
    fn lagrangian(&self, theta: Angle) -> Scalar {
        let bob = self.rod * vec2(theta.sin(), -theta.cos());
        0.5 * self.mass * der(bob).norm_squared() - self.mass * self.gravity * bob.y
    }

    /// Half of the power that the joint takes.
    #[dissipation]
    fn joint(&self, theta: Angle) -> Scalar {
        0.5 * self.damping * der(theta).powi(2)
    }

    /// A torque by the time.
    #[force(theta)]
    fn motor(&self, t: Time) -> Scalar {
        self.motor * (self.frequency * t).cos()
    }

    /// A torque from a table.
    #[force(theta)]
    fn push(&self, push: Input) -> Scalar {
        push
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (mass, rod, gravity, damping) = (1.0, 1.0, 9.81, 0.3);
    let natural = f64::sqrt(gravity / rod);
    let quiet =
        Driven { mass, rod, gravity, damping, motor: 0.0, frequency: natural, push: Signal::steady(0.0)? };

    // Small swings: A = τ / √((m g l − m l² Ω²)² + (c Ω)²), at resonance τ / (c Ω).
    for part in [0.8, 1.0, 1.2] {
        let (motor, frequency) = (0.01, part * natural);
        let system = Driven { motor, frequency, ..quiet.clone() }.bind()?;
        let period = TAU / frequency;
        let run = integrate(&system, &Verlet, State::at_rest(vec![0.0]), period / 400.0)?
            .until(40.0 * period)
            .measure(Balance::of_energy(&system))
            .record()?;
        let angles = run.column("theta").ok_or("no angles")?;
        // The last of forty periods, when the motion from the start has died away.
        let measured =
            angles[angles.len() - 400..].iter().fold(0.0, |most: f64, angle| most.max(angle.abs()));
        let stiffness = mass * gravity * rod - mass * rod.powi(2) * frequency.powi(2);
        let by_hand = motor / stiffness.hypot(damping * frequency);
        println!("{part:.1} of resonance: amplitude measured {measured:.5}, by hand {by_hand:.5} rad");
        assert!((measured / by_hand - 1.0).abs() < 5e-3);
        let balance = run.column("energy_balance").ok_or("no balance")?;
        assert!(balance.iter().all(|value| value.abs() < 1e-6), "motor and joint account for the energy");
    }

    // A push of 5 N·m for 0.01 s at the lowest point has the impulse 0.05 N·m·s, whatever the step.
    let push = Signal::constant(vec![0.0, 0.01, 1.0], vec![5.0, 0.0])?;
    let system = Driven { push, damping: 0.0, ..quiet }.bind()?;
    let run = integrate(&system, &Verlet, State::at_rest(vec![0.0]), 0.02)?.until(1.0).record()?;
    let swing = run.column("theta").ok_or("no angles")?.into_iter().fold(0.0, f64::max);
    let by_hand = 0.05 / (mass * rod.powi(2) * natural);
    println!("after the push: swing measured {swing:.5}, by hand {by_hand:.5} rad");
    assert!((swing / by_hand - 1.0).abs() < 5e-3);
    Ok(())
}
