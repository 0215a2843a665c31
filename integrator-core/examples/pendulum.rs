//! A pendulum by its angle: its period beside the elliptic integral.

use least_action::drive::{Energy, integrate};
use least_action::method::Verlet;
use least_action::prelude::*;
use std::f64::consts::TAU;

/// A bob on a rod in a plane. y points up; the angle counts from the downward vertical. SI units.
struct Pendulum {
    mass: f64,
    rod: f64,
    gravity: f64,
}

#[lagrangian]
impl Pendulum {
    fn lagrangian(&self, theta: Angle) -> Scalar {
        let bob = self.rod * vec2(theta.sin(), -theta.cos());
        0.5 * self.mass * der(bob).norm_squared() - self.mass * self.gravity * bob.y
    }
}

impl Pendulum {
    /// T = 2π √(l/g) / M(1, cos ½θ₀), with the arithmetic-geometric mean M.
    fn period(&self, amplitude: f64) -> f64 {
        let (mut a, mut b) = (1.0, (0.5 * amplitude).cos());
        for _ in 0..5 {
            (a, b) = (0.5 * (a + b), f64::sqrt(a * b));
        }
        TAU * (self.rod / self.gravity).sqrt() / a
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let pendulum = Pendulum { mass: 1.0, rod: 1.0, gravity: 9.81 };
    let (amplitude, system) = (2.0, pendulum.bind()?);
    let start = State::at_rest(vec![amplitude]);
    let run = integrate(&system, &Verlet, start, 1e-3)?.until(10.0).measure(Energy::of(&system)).record()?;

    // Downward passages of the vertical, on the straight line between two recorded moments.
    let times = run.column("t").ok_or("no times")?;
    let angles = run.column("theta").ok_or("no angles")?;
    let passages: Vec<f64> = (1..times.len())
        .filter(|&k| angles[k - 1] > 0.0 && angles[k] <= 0.0)
        .map(|k| times[k] - angles[k] * (times[k] - times[k - 1]) / (angles[k] - angles[k - 1]))
        .collect();
    let [first, .., last] = passages[..] else { return Err("fewer than two swings".into()) };
    let measured = (last - first) / (passages.len() - 1) as f64;
    let exact = pendulum.period(amplitude);
    println!("period: measured {measured:.5} s, by the integral {exact:.5} s");
    assert!((measured - exact).abs() < 1e-5);

    let energy = run.column("energy").ok_or("no energy")?;
    let change = energy.iter().fold(0.0, |most: f64, value| most.max((value - energy[0]).abs()));
    println!("energy: {:.5} J, changed by at most {change:.1e} J", energy[0]);
    assert!(change < 1e-4);
    Ok(())
}
