//! Many pendulums at once, one thread for each core: the period by the amplitude.

use least_action::drive::integrate;
use least_action::method::Verlet;
use least_action::prelude::*;
use std::f64::consts::{FRAC_PI_2, TAU};
use std::thread;

/// A bob on a rod in a plane; the angle counts from the downward vertical. SI units.
struct Pendulum {
    rod: f64,
    gravity: f64,
}

#[lagrangian]
impl Pendulum {
    fn lagrangian(&self, theta: Angle) -> Scalar {
        let bob = self.rod * vec2(theta.sin(), -theta.cos());
        0.5 * der(bob).norm_squared() - self.gravity * bob.y
    }
}

/// Four times the time from rest at this angle to the vertical.
fn period(system: &dyn Natural, amplitude: f64) -> Option<f64> {
    let run =
        integrate(system, &Verlet, State::at_rest(vec![amplitude]), 1e-3).ok()?.until(3.0).record().ok()?;
    let (times, angles) = (run.column("t")?, run.column("theta")?);
    let k = angles.iter().position(|angle| *angle <= 0.0)?;
    Some(4.0 * (times[k] - angles[k] * (times[k] - times[k - 1]) / (angles[k] - angles[k - 1])))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let pendulum = Pendulum { rod: 1.0, gravity: 9.81 };
    let system = pendulum.bind()?;
    let amplitudes: Vec<f64> = (1..=24).map(|k| 0.1 * f64::from(k)).collect();
    let cores = thread::available_parallelism()?.get();
    let share = amplitudes.len().div_ceil(cores);

    // A system is read by all threads; each thread has its own steppers.
    let periods: Option<Vec<f64>> = thread::scope(|scope| {
        let work =
            |part: &[f64]| part.iter().map(|&start| period(&system, start)).collect::<Option<Vec<_>>>();
        let threads: Vec<_> = amplitudes.chunks(share).map(|part| scope.spawn(move || work(part))).collect();
        let parts = threads.into_iter().map(|thread| thread.join().ok()?);
        parts.collect::<Option<Vec<_>>>().map(|parts| parts.concat())
    });

    let small = TAU * (pendulum.rod / pendulum.gravity).sqrt();
    for (amplitude, period) in amplitudes.iter().zip(periods.ok_or("a run failed")?) {
        // T = T₀ (1 + θ²/16 + 11 θ⁴/3072 + …): the next term is 173 θ⁶/737280.
        let series = small * (1.0 + amplitude.powi(2) / 16.0 + 11.0 * amplitude.powi(4) / 3072.0);
        println!("amplitude {amplitude:.1} rad: period {period:.4} s, by the series {series:.4} s");
        assert!(period > series - 1e-5 && period - series < small * 5e-4 * amplitude.powi(6) + 1e-5);
        assert!(*amplitude > FRAC_PI_2 || (period / series - 1.0).abs() < 5e-3);
    }
    Ok(())
}
