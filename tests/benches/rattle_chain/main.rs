//! RATTLE on the declared chain: the engine on the compiled model against a loop by hand.
//!
//! Both solve to one tolerance, in one process, in turns; medians of the times and ratios are printed.
//!
//! Then the chain in a medium, with a drag on each bob, beside the engine without it.
//!
//! `cargo bench -p least-action-tests --bench rattle_chain`; numbers of links after `--` pick rows.

#![expect(clippy::expect_used, reason = "a benchmark of runs that are known to be stable")]

mod by_hand;

use by_hand::ByHand;
use least_action::binding::Model;
use least_action::prelude::*;

use least_action::method::{Method, Rattle, Stepper};
use least_action::system::{Constrained, Start};
use least_action_models::Chain;
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
    println!("\n{:>7} {:>6} {:>13} {:>8} {:>8}   iterations", "links", "h", "undamped", "linear", "cubic");
    for (links, h, rounds, steps) in [(10, 0.01, 101, 1000), (1_000, 0.01, 101, 10), (1_000, 0.002, 101, 10)]
    {
        if wanted.is_empty() || wanted.contains(&links) {
            damp(links, h, rounds, steps);
        }
    }
}

/// The chain in a medium that slows each of its bobs: linearly, and with the third power of its speed.
struct Damped {
    links: usize,
    drag: f64,
    quadratic: f64,
}

#[lagrangian]
impl Damped {
    fn lagrangian(&self, bobs: [Vec2; self.links]) -> Scalar {
        sum(0..self.links, |i| 0.5 * der(bobs[i]).norm_squared() - bobs[i].y)
    }

    #[holonomic]
    fn rods(&self, bobs: [Vec2; self.links]) -> [Scalar; self.links] {
        each(0..self.links, |i| {
            let pivot = if i == 0 { Vec2::ZERO } else { bobs[i - 1] };
            (bobs[i] - pivot).norm_squared() - 5.0
        })
    }

    #[force]
    fn medium(&self, bobs: [Vec2; self.links]) -> [Vec2; self.links] {
        each(0..self.links, |i| -(self.drag + self.quadratic * der(bobs[i]).norm_squared()) * der(bobs[i]))
    }
}

/// The chain with a linear drag alone.
struct InAir {
    links: usize,
    drag: f64,
}

#[lagrangian]
impl InAir {
    fn lagrangian(&self, bobs: [Vec2; self.links]) -> Scalar {
        sum(0..self.links, |i| 0.5 * der(bobs[i]).norm_squared() - bobs[i].y)
    }

    #[holonomic]
    fn rods(&self, bobs: [Vec2; self.links]) -> [Scalar; self.links] {
        each(0..self.links, |i| {
            let pivot = if i == 0 { Vec2::ZERO } else { bobs[i - 1] };
            (bobs[i] - pivot).norm_squared() - 5.0
        })
    }

    #[force]
    fn air(&self, bobs: [Vec2; self.links]) -> [Vec2; self.links] {
        each(0..self.links, |i| -self.drag * der(bobs[i]))
    }
}

/// The times of a step with drag and without it, in turns.
fn damp(links: usize, h: f64, rounds: usize, steps: usize) {
    let chain = Chain { links, ..Chain::default() };
    let free = chain.bind().expect("a chain");
    let linear = InAir { links, drag: 0.1 }.bind().expect("a chain");
    let quadratic = Damped { links, drag: 0.1, quadratic: 0.1 }.bind().expect("a chain");
    let mut engines = [&free as &dyn Constrained, &linear, &quadratic]
        .map(|system| Rattle::default().start(system, chain.start(), h).expect("a start on the constraints"));
    let mut times = Vec::new();
    for _ in 0..rounds {
        let [free, linear, quadratic] = engines
            .each_mut()
            .map(|engine| time(steps, || black_box(&mut *engine).step().expect("a stable step")));
        times.push((free, linear / free, quadratic / free));
    }
    let iterations =
        engines.map(|engine| engine.report().evaluations.iterations as f64 / (rounds * steps) as f64);
    println!(
        "{links:>7} {h:>6} {:>10.3} us {:>8.2} {:>8.2}   {iterations:>7.2?}",
        median(times.iter().map(|time| time.0)),
        median(times.iter().map(|time| time.1)),
        median(times.iter().map(|time| time.2)),
    );
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
