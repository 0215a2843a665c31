//! Gradients: (run + way back)/run, in time and in instructions, and the numbers that long motions keep.
//!
//! The run steps without records; the gradient takes its states from memory, or by two levels.
//! Times are medians of ratios in turns; cachegrind counts instructions, where valgrind is found.
//! It has AVX2 at most, so that the two may differ on a processor with AVX-512.
//! It counts each round of `rep movsb` and `rep stosb`, which copy and clear vectors from 2 kB on, so
//! that counts of the longest chain are too large.
//!
//! `cargo bench -p least-action-tests --bench gradients`; names of rows after `--` pick them.
//! `ROW WAY STEPS` there, with the way `run`, `stored` or `levels`, runs and no more.

#![expect(clippy::expect_used, reason = "a benchmark of runs that are known to be stable")]

#[path = "../small/rows/counted.rs"]
mod counted;

use least_action::drive::gradient::{Loss, Observed, differentiate};
use least_action::method::{Differentiable, Rattle, Stepper, VariationalMidpoint, Verlet};
use least_action::prelude::*;
use least_action::system::{Start, System};
use least_action_models::{Chain, DoublePendulumAngles, LennardJones};
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};
use std::time::Instant;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<std::alloc::System> = &INSTRUMENTED_SYSTEM;

/// The ways through a motion.
const WAYS: [&str; 3] = ["run", "stored", "levels"];
/// Rounds of the ways in turns, with so many seconds for a run.
const ROUNDS: usize = 21;
const ROUND: f64 = 0.02;

/// The name of a row, the bars of its two ratios, and its motion in a way, over so many steps.
type Row = (&'static str, [f64; 2], fn(&str, u64));

const ROWS: [Row; 9] = [
    ("pairs-13", PAIRS, |way, steps| pairs(13, way, steps)),
    ("pairs-55", PAIRS, |way, steps| pairs(55, way, steps)),
    ("pairs-200", PAIRS, |way, steps| pairs(200, way, steps)),
    ("pairs-55-by-field", PAIRS, fields),
    ("rattle-10", RODS, |way, steps| rods((10, 0.05), way, steps)),
    ("rattle-100", RODS, |way, steps| rods((100, 0.02), way, steps)),
    ("rattle-1000", RODS, |way, steps| rods((1000, 0.02), way, steps)),
    ("angles-midpoint", VARIATIONAL, angles),
    ("chain-10-midpoint", VARIATIONAL, midpoint),
];

const PAIRS: [f64; 2] = [2.5, 3.7];
const RODS: [f64; 2] = [2.3, 2.9];
const VARIATIONAL: [f64; 2] = [1.8, 2.6];

fn pairs(atoms: usize, way: &str, steps: u64) {
    let model = LennardJones { atoms, ..LennardJones::default() };
    let system = model.bind().expect("a model");
    go(&system, &Verlet, (model.start(), 0.005), (way, steps));
}

/// [`LennardJones`] with sensitive parameters.
struct Argon {
    atoms: usize,
    epsilon: f64,
    sigma: f64,
}

#[lagrangian(sensitive(epsilon, sigma))]
impl Argon {
    fn lagrangian(&self, atoms: [Vec3; self.atoms]) -> Scalar {
        let potential = sum(pairs(self.atoms), |(i, j)| {
            let attraction = (self.sigma.powi(2) / (atoms[i] - atoms[j]).norm_squared()).powi(3);
            4.0 * self.epsilon * (attraction.powi(2) - attraction)
        });
        sum(0..self.atoms, |i| 0.5 * der(atoms[i]).norm_squared()) - potential
    }
}

fn fields(way: &str, steps: u64) {
    let start = LennardJones { atoms: 55, ..LennardJones::default() }.start();
    let system = Argon { atoms: 55, epsilon: 1.0, sigma: 1.0 }.bind().expect("a model");
    go(&system, &Verlet, (start, 0.005), (way, steps));
}

fn rods((links, h): (usize, f64), way: &str, steps: u64) {
    let model = Chain { links, ..Chain::default() };
    let system = model.bind().expect("a model");
    go(&system, &Rattle::default(), (model.start(), h), (way, steps));
}

fn angles(way: &str, steps: u64) {
    let model = DoublePendulumAngles::default();
    let system = model.bind().expect("a model");
    go(&system, &VariationalMidpoint::default(), (model.start(), 0.01), (way, steps));
}

fn midpoint(way: &str, steps: u64) {
    let model = Chain { links: 10, ..Chain::default() };
    let system = model.bind().expect("a model");
    go(&system, &VariationalMidpoint::default(), (model.start(), 0.01), (way, steps));
}

/// Goes through a motion.
fn go<S: System, M: Differentiable<S>>(
    system: &S,
    method: &M,
    (start, h): (State, f64),
    (way, steps): (&str, u64),
) {
    let n = start.q.len();
    if way == WAYS[0] {
        let mut run = method.start(system, start, h).expect("a start");
        return (0..steps).for_each(|_| run.step().expect("a stable step"));
    }
    let memory = if way == WAYS[1] { u64::MAX } else { two_levels(n, steps) };
    gradient(system, method, (start, h, steps), memory, &mut Last::default());
}

fn gradient<S: System, M: Differentiable<S>>(
    system: &S,
    method: &M,
    (start, h, steps): (State, f64, u64),
    memory: u64,
    loss: &mut dyn Loss,
) {
    let motion = differentiate(system, method, start, h).expect("a start");
    motion.until(steps as f64 * h).within(memory).gradient(loss).expect("a gradient");
}

/// The bytes of all (q, v): too few for all states, and more than two levels take.
fn two_levels(n: usize, steps: u64) -> u64 {
    16 * n as u64 * steps
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    if let [name, way, steps] = &words[..]
        && let (Some(row), Ok(steps)) = (ROWS.iter().find(|row| row.0 == name), steps.parse())
    {
        return row.2(way, steps);
    }
    println!(
        "{:<18} {:>10}   {:>6} {:>6}   {:>6} {:>6}   {:>5} {:>5}",
        "(run + back)/run", "us a step", "stored", "levels", "stored", "levels", "bars", ""
    );
    for row in ROWS.iter().filter(|row| words.is_empty() || words.iter().any(|name| name == row.0)) {
        ratios(row);
    }
    if words.is_empty() {
        memory();
    }
}

fn ratios((name, bars, go): &Row) {
    let seconds = |way: &str, steps| {
        let clock = Instant::now();
        go(way, steps);
        clock.elapsed().as_secs_f64()
    };
    let steps = (200.0 * ROUND / seconds(WAYS[0], 200)).ceil() as u64;
    let rounds: Vec<[f64; 3]> = (0..ROUNDS).map(|_| WAYS.map(|way| seconds(way, steps))).collect();
    let median = |number: &dyn Fn(&[f64; 3]) -> f64| {
        let mut numbers: Vec<f64> = rounds.iter().map(number).collect();
        numbers.sort_by(f64::total_cmp);
        numbers[ROUNDS / 2]
    };
    let [run, stored, levels] = WAYS.map(|way| counted::instructions(name, way).unwrap_or(f64::NAN));
    println!(
        "{name:<18} {:>10.3}   {:>6.2} {:>6.2}   {:>6.2} {:>6.2}   {:>5.1} {:>5.1}",
        1e6 * median(&|round| round[0]) / steps as f64,
        median(&|round| round[1] / round[0]),
        median(&|round| round[2] / round[0]),
        stored / run,
        levels / run,
        bars[0],
        bars[1],
    );
}

/// The numbers that gradients of longer and longer motions keep, at the beginning of the way back.
fn memory() {
    println!(
        "\n{:<18} {:>10} {:>12} {:>12} {:>12}",
        "numbers kept", "steps", "all", "two levels", "three levels"
    );
    let model = Chain { links: 10, ..Chain::default() };
    let (system, n) = (model.bind().expect("a model"), model.start().q.len());
    for steps in [1_000, 10_000, 100_000, 1_000_000] {
        let [two, three] = [two_levels(n, steps), 0].map(|memory| {
            let mut last = Last { bytes: bytes(), kept: 0 };
            gradient(&system, &Rattle::default(), (model.start(), 0.05, steps), memory, &mut last);
            last.kept / 8
        });
        println!("{:<18} {steps:>10} {:>12} {two:>12} {three:>12}", "rattle-10", two_levels(n, steps) / 8);
    }
}

/// The last position at the end of a motion, which looks at the memory.
#[derive(Default)]
struct Last {
    /// The bytes in use before the motion, and the growth until the way back.
    bytes: usize,
    kept: usize,
}

impl Loss for Last {
    fn sees(&self, step: u64, of: u64) -> bool {
        step == of
    }

    fn add(&mut self, at: &Observed<'_>, of_q: &mut [f64], _: &mut [f64]) -> f64 {
        self.kept = bytes() - self.bytes;
        let last = at.q.len() - 1;
        of_q[last] += 1.0;
        at.q[last]
    }
}

/// The bytes in use.
fn bytes() -> usize {
    let stats = ALLOCATOR.stats();
    stats.bytes_allocated - stats.bytes_deallocated
}
