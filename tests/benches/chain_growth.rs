//! Time a step and memory of the methods on declared chains of 10³, 10⁴ and 10⁵ links: a link should
//! cost the same in all.
//!
//! The three sizes step in turns; medians of the times and of their ratios to the next smaller size are
//! printed. The memory is held by the bound model, the penalty and the stepper; beside it stands all
//! that was allocated while they were made, an upper bound of the peak.
//!
//! `cargo bench -p least-action-tests --bench chain_growth`

#![expect(clippy::expect_used, reason = "a benchmark of runs that are known to be stable")]

use least_action::advanced::wrap::Penalized;
use least_action::binding::{Bound, Model};
use least_action::method::{
    ImplicitMidpoint, Method, Newmark, NewmarkLinearA, NewmarkLinearB, PushForwardNewmark, Rattle, Shake,
    Stepper, Verlet, ZhangSkeel, ZhangSkeelEuler, ZhangSkeelSimplified, ZhangSkeelStiff,
};
use least_action::system::{Constrained, Start};
use least_action_models::Chain;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;
use std::time::Instant;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const LINKS: [usize; 3] = [1_000, 10_000, 100_000];
/// The stiffness of the penalty.
const OMEGA: f64 = 20.0;
/// A step at which the longest chain is stable with every method.
const STEP: f64 = 0.002;
const ROUNDS: usize = 15;

fn main() {
    println!(
        "{:>24} {:>8} {:>12} {:>8} {:>14} {:>14}",
        "method", "links", "ns a link", "growth", "bytes a link", "with scratch"
    );
    penalized(&Verlet);
    penalized(&ZhangSkeel::default());
    penalized(&ZhangSkeelSimplified::default());
    penalized(&ZhangSkeelEuler::default());
    penalized(&ZhangSkeelStiff::default());
    penalized(&Newmark::default());
    penalized(&PushForwardNewmark::default());
    penalized(&NewmarkLinearA::default());
    penalized(&NewmarkLinearB::default());
    penalized(&ImplicitMidpoint::default());
    constrained(&Shake::default());
    constrained(&Rattle::default());
}

fn penalized<M: for<'s> Method<Penalized<'s, Bound<Chain>>>>(method: &M) {
    let memory = LINKS.map(|links| {
        memory(links, |chain| {
            let bound = chain.bind().expect("a chain");
            let system = Penalized::new(&bound, OMEGA).expect("a positive stiffness");
            let stepper = method.start(&system, chain.start(), STEP).expect("a regular start");
            held(stepper)
        })
    });
    let chains = LINKS.map(|links| Chain { links, ..Chain::default() });
    let bound = chains.clone().map(|chain| chain.bind().expect("a chain"));
    let systems = bound.each_ref().map(|bound| Penalized::new(bound, OMEGA).expect("a positive stiffness"));
    let mut number = 0;
    let steppers = systems.each_ref().map(|system| {
        number += 1;
        let start = chains[number - 1].start();
        method.start(system, start, STEP).expect("a regular start")
    });
    report(M::NAME, steppers, memory);
}

fn constrained<M: for<'s> Method<dyn Constrained + 's>>(method: &M) {
    let memory = LINKS.map(|links| {
        memory(links, |chain| {
            let bound = chain.bind().expect("a chain");
            let stepper =
                method.start(&bound as &dyn Constrained, chain.start(), STEP).expect("a regular start");
            held(stepper)
        })
    });
    let chains = LINKS.map(|links| Chain { links, ..Chain::default() });
    let bound = chains.clone().map(|chain| chain.bind().expect("a chain"));
    let mut number = 0;
    let steppers = bound.each_ref().map(|system| {
        number += 1;
        let start = chains[number - 1].start();
        method.start(system as &dyn Constrained, start, STEP).expect("a regular start")
    });
    report(M::NAME, steppers, memory);
}

/// The bytes that the process holds while `stepper` lives.
fn held(stepper: impl Stepper) -> usize {
    let bytes = ALLOCATOR.stats();
    drop(stepper);
    bytes.bytes_allocated - bytes.bytes_deallocated
}

/// Bytes a link: held by the result of `make`, and all allocated meanwhile, which bounds the peak.
fn memory(links: usize, make: impl FnOnce(&Chain) -> usize) -> [f64; 2] {
    let chain = Chain { links, ..Chain::default() };
    let region = Region::new(ALLOCATOR);
    let before = region.initial();
    let held = make(&chain) - (before.bytes_allocated - before.bytes_deallocated);
    [held, region.change().bytes_allocated].map(|bytes| bytes as f64 / links as f64)
}

fn report<S: Stepper>(name: &str, mut steppers: [S; 3], memory: [[f64; 2]; 3]) {
    let mut rounds = Vec::new();
    for _ in 0..ROUNDS {
        let mut times = [0.0; 3];
        for ((time, stepper), links) in times.iter_mut().zip(&mut steppers).zip(LINKS) {
            // As many links in every measurement.
            let steps = 2 * LINKS[2] / links;
            let clock = Instant::now();
            for _ in 0..steps {
                stepper.step().expect("a stable step");
            }
            *time = clock.elapsed().as_secs_f64() * 1e9 / (steps * links) as f64;
        }
        rounds.push(times);
    }
    for (size, links) in LINKS.into_iter().enumerate() {
        let time = median(rounds.iter().map(|times| times[size]));
        let growth = match size {
            0 => String::new(),
            _ => format!("{:.2}", median(rounds.iter().map(|times| times[size] / times[size - 1]))),
        };
        let [held, all] = memory[size];
        println!("{name:>24} {links:>8} {time:>12.1} {growth:>8} {held:>14.0} {all:>14.0}");
    }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
