//! A step of SHAKE or RATTLE allocates nothing, whatever the structure of its linear system.

#![expect(clippy::unwrap_used, reason = "in a test file, helpers fail as tests do")]

use integrator_core::method::{Langevin, Method, Rattle, Shake, Stepper};
use integrator_core::sparse::{SymmetricMatrix, SymmetricPattern};
use integrator_core::system::State;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;
use test_support::linkage::Linkage;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// The allocations of twenty steps after the first: the least of several runs, since the thread that waits for the test to end
/// allocates now and then and is counted too.
fn allocations<M: Method<Linkage>>(method: &M, system: &Linkage, start: &State, h: f64) -> usize {
    let of_run = |_| {
        let mut stepper = method.start(system, start.clone(), h).unwrap();
        stepper.step().unwrap();
        let region = Region::new(ALLOCATOR);
        for _ in 0..20 {
            stepper.step().unwrap();
        }
        let change = region.change();
        change.allocations + change.reallocations
    };
    (0..5).map(of_run).min().unwrap()
}

// One test in one file: a second thread would be counted too.
#[test]
fn steps_allocate_nothing() {
    let (chain, start) = Linkage::paper_chain(50, 1.0);
    let pattern = SymmetricPattern::new(100, (1..100).map(|i| (i, i - 1)));
    let values = pattern.entries().map(|(i, j)| if i == j { 2.0 } else { 0.5 }).collect();
    let coupled = chain.clone().with_mass(SymmetricMatrix { pattern, values });
    let (triangle, tumbling) = Linkage::triangle();
    let (triangles, all_tumbling, _) = Linkage::triangles(11);
    for (system, start) in
        [(&chain, &start), (&triangle, &tumbling), (&triangles, &all_tumbling), (&coupled, &start)]
    {
        assert_eq!(allocations(&Rattle::default(), system, start, 0.02), 0);
        assert_eq!(allocations(&Shake::default(), system, start, 0.02), 0);
    }
    for (system, start) in [(&chain, &start), (&triangle, &tumbling)] {
        assert_eq!(allocations(&Langevin::around(Rattle::default()), system, start, 0.02), 0);
        assert_eq!(allocations(&Langevin::around(Shake::default()), system, start, 0.02), 0);
    }
    assert!(Rattle::default().start(&chain, start, 0.02).is_ok());
    let region = Region::new(ALLOCATOR);
    drop(std::hint::black_box(vec![0_u8; 100]));
    assert!(region.change().allocations > 0, "the counter counts");
}
