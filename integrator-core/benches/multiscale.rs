//! The inverted pendulum to t = 1 at ω = 10³ … 10⁸: the multiscale method with a plain mean over one
//! period, its fast motion by Verlet as in the paper and by Nyström's method, the latter with the
//! macro-steps for an error of 1.5·10⁻³; beside Verlet through every period with the steps for that
//! error, and an accurate solution.
//!
//! `cargo bench -p least-action --bench multiscale`

#![expect(clippy::expect_used, reason = "a benchmark whose runs are known to succeed")]

use least_action::method::multiscale::{Asynchronous, BoxFilter, Hmm, LeapFrog, Nystrom};
use least_action::method::{Method, Reference, Stepper, Verlet};
use least_action::prelude::*;
use least_action::system::Natural;
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

/// The limit of the slow motion for ω → ∞.
struct Slow {}

#[lagrangian]
impl Slow {
    fn lagrangian(&self, q: Angle) -> Scalar {
        0.5 * der(q).powi(2) - (49.0 * q.cos() + 100.0 * q.sin().powi(2))
    }
}

/// Up to this frequency an accurate solution gives the true motion; beyond, its limit, about 13/ω away.
const ACCURATE: f64 = 1e5;

/// Beyond this frequency Verlet takes too long for a benchmark: its cost, linear in ω, is extrapolated.
const FOLLOWED: f64 = 1e6;

/// The macro-steps of the paper; as many micro-steps a period with Verlet, their root with Nyström.
const STEPS: u64 = 160;

/// The error that is asked for.
const ERROR: f64 = 1.5e-3;

fn main() {
    let slow = Slow {}.bind().expect("a model");
    let limit = angle(&slow, &Reference::default(), STEPS);
    println!(
        "{:>8} {:>12} {:>10} {:>12} {:>10} {:>6} {:>14} {:>10} {:>14} {:>14} {:>10}",
        "ω",
        "HMM",
        "error",
        "by Nyström",
        "error",
        "steps",
        "Verlet",
        "error",
        "steps/period",
        "reference",
        "ratio"
    );
    for omega in [1e3, 1e4, 1e5, 1e6, 1e7, 1e8] {
        let system = Pendulum { omega }.bind().expect("a model");
        let (mut truth, mut accurate) = (limit, "-".to_owned());
        if omega <= ACCURATE {
            let clock = Instant::now();
            truth = angle(&system, &Reference { tolerance: 1e-9 }, 1);
            accurate = format!("{:.1} ms", 1e3 * clock.elapsed().as_secs_f64());
        }
        let paper = Hmm::new(LeapFrog, Asynchronous, BoxFilter::default());
        let quick = paper.with_micro_solver(Nystrom);
        let of_paper = (angle(&system, &paper, STEPS) - truth).abs();
        let (macro_steps, error) = fewest(|steps| (angle(&system, &quick, steps) - truth).abs());
        let as_published = quickest(20, || {
            angle(&system, &paper, STEPS);
        });
        let seconds = quickest(20, || {
            angle(&system, &quick, macro_steps);
        });
        let followed = omega.min(FOLLOWED);
        let direct = Pendulum { omega: followed }.bind().expect("a model");
        let (per_period, found) = as_accurate(&direct, followed, truth, error);
        let steps = steps(followed, per_period);
        let by_verlet = quickest(3, || {
            angle(&direct, &Verlet, steps);
        }) * omega
            / followed;
        println!(
            "{omega:>8.0e} {:>9.4} ms {of_paper:>10.1e} {:>9.4} ms {error:>10.1e} {macro_steps:>6} {:>11.3} ms {found:>10.1e} {per_period:>14} {accurate:>14} {:>10.1}{}",
            1e3 * as_published,
            1e3 * seconds,
            1e3 * by_verlet,
            by_verlet / seconds,
            if omega > FOLLOWED { "  (extrapolated)" } else { "" }
        );
    }
}

/// The fewest macro-steps, a multiple of five, from which two runs in a row err little enough; the
/// error.
///
/// The error changes its sign where the errors of step and averaging cancel; one good run would be luck.
fn fewest(error: impl Fn(u64) -> f64) -> (u64, f64) {
    let mut steps = 20;
    loop {
        let found = error(steps);
        if (found <= ERROR && error(steps + 5) <= ERROR) || steps >= 4 * STEPS {
            return (steps, found);
        }
        steps += 5;
    }
}

/// The fewest steps in a period, a power of two, with which Verlet errs at most by `error`; its error.
fn as_accurate(system: &impl Natural, omega: f64, truth: f64, error: f64) -> (u64, f64) {
    let mut per_period = 8;
    loop {
        let found = (angle(system, &Verlet, steps(omega, per_period)) - truth).abs();
        if found <= error || per_period >= 256 {
            return (per_period, found);
        }
        per_period *= 2;
    }
}

/// The steps to t = 1.
fn steps(omega: f64, per_period: u64) -> u64 {
    (per_period as f64 * omega / std::f64::consts::TAU).ceil() as u64
}

/// The angle at t = 1.
fn angle<S: ?Sized, M: Method<S>>(system: &S, method: &M, steps: u64) -> f64 {
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
