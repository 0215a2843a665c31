//! A step of a liquid allocates only where a list grows; counted by the allocator itself.

#![expect(clippy::expect_used, reason = "a test, where a failure is a panic")]

#[path = "../../../integrator-core/benches/liquid/model.rs"]
mod model;

use crate::counted::ALLOCATOR;
use least_action::Model;
use least_action::method::{Method, Stepper, Verlet};
use least_action::system::{Natural, State};
use model::Liquid;
use stats_alloc::Region;

pub(super) fn checked() {
    let (atoms, edge) = (1000, 10.58);
    let q: Vec<f64> = (0..atoms)
        .flat_map(|atom| [atom / 100, atom / 10 % 10, atom % 10].map(|k| k as f64 * edge / 10.0))
        .collect();
    let v = (0..3 * atoms).map(|k| ((k + 1) as f64 * 0.754_877_666_246_692_8).fract() - 0.5).collect();
    let system = Liquid { atoms, edge, cutoff: 2.5 }.bind().expect("a liquid");
    let mut stepper = Verlet.start(&system, State { q, v, t: 0.0 }, 0.005).expect("a start");
    (0..200).for_each(|_| stepper.step().expect("a step"));

    // One state again and again: the list holds.
    let q = stepper.state().q.clone();
    let mut gradient = vec![0.0; q.len()];
    system.potential_gradient(&q, 0.0, &mut gradient);
    let region = Region::new(ALLOCATOR);
    for _ in 0..20 {
        system.potential_gradient(&q, 0.0, &mut gradient);
    }
    let change = region.change();
    assert_eq!((change.allocations, change.reallocations), (0, 0), "evaluations allocate: {change:?}");

    // Hundreds of steps build tens of lists, in memory that has been large enough for long.
    let region = Region::new(ALLOCATOR);
    (0..200).for_each(|_| stepper.step().expect("a step"));
    let change = region.change();
    let count = change.allocations + change.reallocations;
    assert!(count <= 10, "steps allocate: {change:?}");
}
