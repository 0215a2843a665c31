//! Declared models: no step allocates, a link holds less than a kilobyte, and the cost is linear.

#![expect(clippy::unwrap_used, reason = "helpers of tests, where a failure is a panic")]

use crate::counted::ALLOCATOR;
use least_action::advanced::wrap::Penalized;
use least_action::binding::Model;
use least_action::method::{Method, Rattle, Shake, Stepper, Verlet, ZhangSkeel, ZhangSkeelSimplified};
use least_action::system::{Constrained, Natural, Start, State};
use least_action_models::{Chain, DoublePendulum};
use stats_alloc::Region;
use std::time::Instant;

/// The allocations of twenty steps, the stepper's bytes, and the shortest time of a step in seconds.
struct Cost {
    allocations: usize,
    held: usize,
    step: f64,
}

fn cost<S: ?Sized, M: Method<S>>(method: &M, system: &S, start: State, h: f64) -> Cost {
    let made = Region::new(ALLOCATOR);
    let mut stepper = method.start(system, start, h).unwrap();
    let change = made.change();
    let stepped = Region::new(ALLOCATOR);
    let mut step = f64::INFINITY;
    for _ in 0..20 {
        let clock = Instant::now();
        stepper.step().unwrap();
        step = step.min(clock.elapsed().as_secs_f64());
    }
    assert_eq!(stepper.steps(), 20);
    let stepped = stepped.change();
    Cost {
        allocations: stepped.allocations + stepped.reallocations,
        held: change.bytes_allocated - change.bytes_deallocated,
        step,
    }
}

/// The name, the bytes in all and the time of a step of every method on a model; no step may allocate.
fn all_methods<M: Model + Start>(model: &M, h: f64) -> Vec<(&'static str, usize, f64)>
where
    least_action::binding::Bound<M>: Constrained,
{
    let before = Region::new(ALLOCATOR);
    let bound = model.bind().unwrap();
    let bytes_of_model = before.change();
    let system = Penalized::new(&bound, 20.0).unwrap();
    let bytes_of_penalized = before.change();
    let (natural, constrained) = (&system as &dyn Natural, &bound as &dyn Constrained);
    let costs = [
        ("verlet", true, cost(&Verlet, natural, model.start(), h)),
        ("zhang-skeel", true, cost(&ZhangSkeel::default(), natural, model.start(), h)),
        ("zhang-skeel-simplified", true, cost(&ZhangSkeelSimplified::default(), natural, model.start(), h)),
        ("shake", false, cost(&Shake::default(), constrained, model.start(), h)),
        ("rattle", false, cost(&Rattle::default(), constrained, model.start(), h)),
    ];
    costs
        .into_iter()
        .map(|(name, penalized, cost)| {
            assert_eq!(cost.allocations, 0, "{name}");
            let shared = if penalized { bytes_of_penalized } else { bytes_of_model };
            (name, cost.held + shared.bytes_allocated - shared.bytes_deallocated, cost.step)
        })
        .collect()
}

pub(super) fn steps_allocate_nothing_and_cost_grows_with_the_length() {
    all_methods(&DoublePendulum::default(), 0.01);
    let [short, long] = [1_000, 10_000].map(|links| {
        let costs = all_methods(&Chain { links, ..Chain::default() }, 0.005);
        for (name, held, _) in &costs {
            assert!(*held <= 1_000 * links, "{name} holds {} bytes a link", held / links);
        }
        costs
    });
    for ((name, held, step), (_, more_held, longer_step)) in short.into_iter().zip(long) {
        let (memory, time) = (more_held as f64 / held as f64, longer_step / step);
        assert!(memory < 10.5, "{name} holds {memory} times the memory for ten times the links");
        // The shortest of many times is steady; anything quadratic is a hundred times slower.
        assert!(time < 40.0, "a step of {name} takes {time} times as long with ten times the links");
    }
}
