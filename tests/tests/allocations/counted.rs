//! The allocator of the program, which counts.

use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
pub(crate) static ALLOCATOR: &StatsAlloc<std::alloc::System> = &INSTRUMENTED_SYSTEM;

/// The number of allocations of `work`.
pub(crate) fn allocations<R>(work: impl FnOnce() -> R) -> usize {
    let region = Region::new(ALLOCATOR);
    std::hint::black_box(work());
    let change = region.change();
    change.allocations + change.reallocations
}

/// Every claim of no allocations stands on this.
pub(crate) fn counts() {
    assert!(allocations(|| vec![0_u8; 100]) > 0, "the count works");
}
