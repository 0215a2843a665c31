//! Time a step and memory of the penalty methods on chains of 10³ to 10⁵ links: both must not grow with the number of links
//! after division by it.
//!
//! `cargo bench -p least-action-tests --bench penalty_chain`

#![expect(clippy::expect_used, reason = "a benchmark of runs that are known to be stable")]

use integrator_core::method::{Method, Stepper, Verlet, ZhangSkeel, ZhangSkeelSimplified};
use integrator_core::wrap::Penalized;
use least_action_tests::rod_chain::RodChain;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;
use std::time::Instant;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn main() {
    println!("{:>24} {:>8} {:>12} {:>14}", "method", "links", "ns a link", "bytes a link");
    for links in [1_000, 10_000, 100_000] {
        measure(&Verlet, links, 0.005);
        measure(&ZhangSkeel::default(), links, 0.05);
        measure(&ZhangSkeelSimplified::default(), links, 0.05);
    }
}

fn measure<M: for<'s> Method<Penalized<'s, RodChain>>>(method: &M, links: usize, step: f64) {
    let chain = RodChain::paper_chain(links, 1.0);
    let region = Region::new(ALLOCATOR);
    let system = Penalized::new(&chain, 20.0).expect("a positive stiffness");
    let mut stepper = method.start(&system, RodChain::paper_chain_start(links), step).expect("a regular start");
    let change = region.change();
    let bytes = (change.bytes_allocated - change.bytes_deallocated) as f64;
    let steps = (1_000_000 / links).max(1);
    let mut times: Vec<f64> = (0..9)
        .map(|_| {
            let clock = Instant::now();
            for _ in 0..steps {
                stepper.step().expect("a stable step");
            }
            clock.elapsed().as_secs_f64() * 1e9 / (steps * links) as f64
        })
        .collect();
    times.sort_by(f64::total_cmp);
    println!("{:>24} {links:>8} {:>12.1} {:>14.0}", M::NAME, times[times.len() / 2], bytes / links as f64);
}
