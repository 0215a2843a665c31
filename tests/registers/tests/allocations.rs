//! No step allocates in registers either: buffers for elements, sets and members exist from the start.

#[path = "../../tests/allocations/a_step_allocates_nothing/mod.rs"]
mod a_step_allocates_nothing;
#[path = "../../tests/allocations/counted.rs"]
mod counted;
#[path = "../../tests/allocations/lists_allocate_when_they_grow.rs"]
mod lists_allocate_when_they_grow;

fn main() {
    counted::counts();
    a_step_allocates_nothing::checked();
    lists_allocate_when_they_grow::checked();
    println!("no step allocated");
}
