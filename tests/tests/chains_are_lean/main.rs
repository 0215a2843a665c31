//! Declared chains: binding and steps cost time and memory in proportion to the links, and steps allocate nothing. So it is with pairs.

mod binding;
mod stepping;

use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Without the usual harness: the counts are those of the whole process, and the harness allocates when a test takes long.
fn main() {
    let counted = Region::new(ALLOCATOR);
    drop(std::hint::black_box(vec![0_u8; 100]));
    assert!(counted.change().allocations > 0, "the count works");
    binding::a_chain_of_a_hundred_thousand_links();
    binding::all_pairs_of_ten_thousand_atoms();
    binding::rattle_on_two_thousand_molecules();
    binding::an_energy_of_a_thousand_atoms();
    stepping::steps_allocate_nothing_and_cost_grows_with_the_length();
    println!("chains are lean");
}
