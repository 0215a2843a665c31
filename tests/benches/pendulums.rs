//! Pendulums in angles, whose places are partial sums: L, its first derivatives and a step of the
//! variational midpoint rule, for each of 10² to 10⁵ pendulums, beside derivatives by loops by hand.
//!
//! One thread, ns of processor, the best of five; `cargo bench -p least-action-tests --bench pendulums`

#![expect(clippy::expect_used, reason = "a benchmark of runs that are known to succeed")]

use least_action::lanes::Width;
use least_action::method::{Method, Stepper, VariationalMidpoint};
use least_action::prelude::*;
use least_action::system::Lagrangian;
use least_action_models::Pendulums;
use std::hint::black_box;
use std::sync::OnceLock;
use std::time::Instant;

const STEP: f64 = 1e-3;
/// How long a run takes, in ns.
const LONG: f64 = 5e7;

fn main() {
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    println!("ns for each pendulum");
    for links in [100, 1000, 10_000, 100_000] {
        let model = Pendulums { links, gravity: 1.2, ..Pendulums::default() };
        one.install(|| compare(&model));
    }
}

fn compare(model: &Pendulums) {
    let n = model.links;
    let q: Vec<f64> = (0..n).map(|k| 0.4 * (0.1 * k as f64).sin()).collect();
    let v: Vec<f64> = (0..n).map(|k| 0.3 * (0.07 * k as f64).cos()).collect();
    let mut hand = ByHand { model: model.clone(), ends: vec![[0.0; 4]; n] };
    let (mut expected, mut gradient) = (vec![0.0; 2 * n + 1], vec![0.0; 2 * n + 1]);
    hand.first_derivatives(&q, &v, &mut expected);
    let by_hand = best(n, &mut || hand.first_derivatives(black_box(&q), &v, &mut expected));
    println!("{n} pendulums: first derivatives by hand {by_hand:.1}");
    for width in Width::available().into_iter().rev() {
        let system = model.bind().expect("a system").with_width(width);
        system.first_derivatives(&q, &v, 0.0, &mut gradient);
        let largest = expected.iter().fold(0.0_f64, |largest, entry| largest.max(entry.abs()));
        let is_close = gradient.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-11 * largest);
        assert!(is_close, "the loop by hand has other derivatives");
        let value = best(n, &mut || {
            black_box(system.lagrangian(black_box(&q), &v, 0.0));
        });
        let first = best(n, &mut || system.first_derivatives(black_box(&q), &v, 0.0, &mut gradient));
        let start = State::new(q.clone(), vec![0.0; n]);
        let mut stepper = VariationalMidpoint::default().start(&system, start, STEP).expect("a start");
        let step = best(n, &mut || {
            stepper.step().expect("a step");
        });
        println!(
            "  {} lanes: L {value:.1}, first derivatives {first:.1} ({:.2} of by hand), a step {step:.0}",
            width.lanes(),
            first / by_hand
        );
    }
}

/// The sums and their derivatives in one loop forwards and one backwards.
struct ByHand {
    model: Pendulums,
    /// sin θ, cos θ, and the velocity of each bob.
    ends: Vec<[f64; 4]>,
}

impl ByHand {
    fn first_derivatives(&mut self, q: &[f64], v: &[f64], gradient: &mut [f64]) {
        let Pendulums { mass, gravity, rod, .. } = self.model;
        let mut velocity = [0.0; 2];
        for ((theta, rate), end) in q.iter().zip(v).zip(&mut self.ends) {
            let (sine, cosine) = theta.sin_cos();
            velocity[0] += rod * rate * cosine;
            velocity[1] += rod * rate * sine;
            *end = [sine, cosine, velocity[0], velocity[1]];
        }
        let (by_angle, by_rate) = gradient.split_at_mut(q.len());
        let (mut momentum, mut weight) = ([0.0; 2], 0.0);
        for k in (0..q.len()).rev() {
            let [sine, cosine, x, y] = self.ends[k];
            momentum[0] += mass * x;
            momentum[1] += mass * y;
            weight += mass * gravity;
            by_rate[k] = rod * (cosine * momentum[0] + sine * momentum[1]);
            by_angle[k] = rod * (v[k] * (cosine * momentum[1] - sine * momentum[0]) - sine * weight);
        }
    }
}

/// The processor time of this thread in nanoseconds, where the system tells it; else the time.
fn now() -> f64 {
    static START: OnceLock<Instant> = OnceLock::new();
    let of_thread = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let used = of_thread.and_then(|text| text.split(' ').next()?.parse().ok());
    used.unwrap_or_else(|| START.get_or_init(Instant::now).elapsed().as_nanos() as f64)
}

/// The best time of some runs in ns, for each of `count`, in rounds for a clock of milliseconds.
fn best(count: usize, run: &mut dyn FnMut()) -> f64 {
    let begin = now();
    let mut rounds = 0;
    while now() - begin < LONG {
        run();
        rounds += 1;
    }
    let times = (0..5).map(|_| {
        let begin = now();
        (0..rounds).for_each(|_| run());
        (now() - begin) / (rounds * count) as f64
    });
    times.fold(f64::INFINITY, f64::min)
}
