//! RATTLE on the declared chain: the engine on the compiled model against a loop written by hand for this one system.
//!
//! Both solve to the same tolerance, in one process, in turns; printed are the medians of the times and of the ratios.
//!
//! `cargo bench -p least-action-tests --bench rattle_chain`; numbers of links after `--` pick rows of the table.

#![expect(clippy::expect_used, reason = "a benchmark of runs that are known to be stable")]

mod by_hand;

use by_hand::ByHand;
use integrator_core::binding::Model;

use integrator_core::method::{Method, Rattle, Stepper};
use integrator_core::system::{Constrained, Start};
use models::Chain;
use std::hint::black_box;
use std::time::Instant;

fn main() {
    let wanted: Vec<usize> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    println!(
        "{:>7} {:>6} {:>13} {:>13} {:>6}   {:>7} {:>10} {:>14} {:>9}",
        "links", "h", "by hand", "engine", "ratio", "solves", "iterations", "factorizations", "differ by"
    );
    for (links, h, rounds, steps) in [
        (10, 0.05, 101, 1000),
        (10, 0.01, 101, 1000),
        (100, 0.02, 101, 100),
        (1_000, 0.02, 101, 10),
        (1_000, 0.01, 101, 10),
        (1_000, 0.002, 101, 10),
        (10_000, 0.01, 11, 10),
        (100_000, 0.002, 5, 4),
    ] {
        if wanted.is_empty() || wanted.contains(&links) {
            compare(links, h, rounds, steps);
        }
    }
}

fn compare(links: usize, h: f64, rounds: usize, steps: usize) {
    let chain = Chain { links, ..Chain::default() };
    let system = chain.bind().expect("a chain");
    // Type-erased, as the command line runs it.
    let system: &dyn Constrained = &system;
    let mut hand = ByHand::new(&chain.start(), h);
    let mut engine = Rattle::default().start(system, chain.start(), h).expect("a start on the constraints");
    let mut times = Vec::new();
    for _ in 0..rounds {
        let by_hand = time(steps, || black_box(&mut hand).step());
        let ours = time(steps, || black_box(&mut engine).step().expect("a stable step"));
        times.push((by_hand, ours, ours / by_hand));
    }
    let positions = engine.state().q.iter().zip(hand.p.as_flattened());
    let apart = positions.fold(0.0_f64, |apart, (a, b)| apart.max((a - b).abs()));
    let done = (rounds * steps) as f64;
    println!(
        "{links:>7} {h:>6} {:>10.3} us {:>10.3} us {:>6.2}   {:>7.2} {:>10.2} {:>14.2} {apart:>9.1e}",
        median(times.iter().map(|time| time.0)),
        median(times.iter().map(|time| time.1)),
        median(times.iter().map(|time| time.2)),
        hand.solves as f64 / done,
        engine.report().evaluations.iterations as f64 / done,
        engine.report().evaluations.factorizations as f64 / done,
    );
}

/// Microseconds a step.
fn time(steps: usize, mut step: impl FnMut()) -> f64 {
    let clock = Instant::now();
    (0..steps).for_each(|_| step());
    clock.elapsed().as_secs_f64() * 1e6 / steps as f64
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
