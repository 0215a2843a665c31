//! Memory, counted by the allocator itself: no step allocates, and chains and pairs take little.
//!
//! The program has no harness: the counts cover the process, and a harness allocates in long tests.

mod a_step_allocates_nothing;
mod chains_are_lean;
mod counted;
mod lists_allocate_when_they_grow;

fn main() {
    counted::counts();
    a_step_allocates_nothing::checked();
    lists_allocate_when_they_grow::checked();
    chains_are_lean::checked();
    println!("no step allocated, and chains are lean");
}
