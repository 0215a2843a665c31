//! The inverted pendulum to t = 1 at ω = 10³ … 10⁸: the multiscale method with a plain mean over one period beside Verlet through every
//! period, at the same error of the angle (that of the multiscale method, or what 1/ω leaves of it), and an accurate solution.
//!
//! `cargo bench -p integrator-core --bench multiscale`

#![expect(clippy::expect_used, reason = "a benchmark whose runs are known to succeed")]

use integrator_core::method::multiscale::{Asynchronous, BoxFilter, Hmm, LeapFrog};
use integrator_core::method::{Method, Reference, Stepper, Verlet};
use integrator_core::prelude::*;
use std::time::Instant;

/// The pendulum of Calvo and Sanz-Serna.
struct Pendulum {
    omega: f64,
}

#[lagrangian]
impl Pendulum {
    fn lagrangian(&self, q: Angle, theta: Phase) -> Scalar {
        let gravity = 9.8 + 4.0 * self.omega * theta.cos();
        0.5 * 0.2_f64.powi(2) * der(q).powi(2) - gravity * 0.2 * q.cos()
    }

    #[frequency]
    fn frequency(&self) -> f64 {
        self.omega
    }
}

/// Its slow motion as ω grows.
struct Slow {}

#[lagrangian]
impl Slow {
    fn lagrangian(&self, q: Angle) -> Scalar {
        0.5 * der(q).powi(2) - (49.0 * q.cos() + 100.0 * q.sin().powi(2))
    }
}

/// Beyond this frequency the true motion takes too long to follow in a benchmark: its cost grows with ω, and is extrapolated.
const FOLLOWED: f64 = 1e6;

/// The macro-steps of a run.
const STEPS: u64 = 160;

fn main() {
    let slow = Slow {}.bind().expect("a model");
    let limit = angle(&slow, &Reference::default(), STEPS);
    println!(
        "{:>8} {:>12} {:>12} {:>14} {:>12} {:>16} {:>10}",
        "ω", "HMM", "error", "Verlet", "error", "reference", "ratio"
    );
    for omega in [1e3, 1e4, 1e5, 1e6, 1e7, 1e8] {
        let system = Pendulum { omega }.bind().expect("a model");
        let method = Hmm::new(LeapFrog, Asynchronous, BoxFilter::default());
        let seconds = quickest(20, || {
            angle(&system, &method, STEPS);
        });
        let error = (angle(&system, &method, STEPS) - limit).abs();
        // Eight steps in a period: the error is then that of 1/ω and of the same size as above.
        let followed = omega.min(FOLLOWED);
        let direct = Pendulum { omega: followed }.bind().expect("a model");
        let steps = (8.0 * followed / std::f64::consts::TAU).ceil() as u64;
        let mut found = 0.0;
        let by_verlet = quickest(3, || found = angle(&direct, &Verlet, steps)) * omega / followed;
        let verlet_error = (found - limit).abs();
        let accurate = if followed <= 1e4 {
            let reference = Reference { tolerance: 1e-9 };
            quickest(1, || {
                angle(&direct, &reference, 1);
            }) * omega
                / followed
        } else {
            f64::NAN
        };
        println!(
            "{omega:>8.0e} {:>9.3} ms {error:>12.1e} {:>11.3} ms {verlet_error:>12.1e} {:>13.3} ms {:>10.1}{}",
            1e3 * seconds,
            1e3 * by_verlet,
            1e3 * accurate,
            by_verlet / seconds,
            if omega > FOLLOWED { "  (extrapolated)" } else { "" }
        );
    }
}

/// The angle at t = 1.
fn angle<S, M: Method<S>>(system: &S, method: &M, steps: u64) -> f64 {
    let mut stepper =
        method.start(system, State::at_rest(vec![0.5]), 1.0 / steps as f64).expect("a start that fits");
    for _ in 0..steps {
        stepper.step().expect("a stable step");
    }
    stepper.state().q[0]
}

/// The shortest of some times, in seconds.
fn quickest(repetitions: usize, mut work: impl FnMut()) -> f64 {
    let times = (0..repetitions).map(|_| {
        let clock = Instant::now();
        work();
        clock.elapsed().as_secs_f64()
    });
    times.fold(f64::INFINITY, f64::min)
}
