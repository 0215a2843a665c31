//! Copper: the time of a step of velocity Verlet with exact lists beside a scalar loop by hand, and of
//! each evaluation, for atoms held by the electrons of all others: sums over near pairs inside of
//! functions.
//!
//! At 300 K, with a step of 2 fs. Printed are the best of several runs, in ns an atom and step.
//!
//! `cargo bench -p least-action-tests --bench copper [-- most atoms]`

#![expect(clippy::expect_used, reason = "a benchmark, where a failure is a panic")]

mod by_hand;

use by_hand::ByHand;
use least_action::lanes::Width;
use least_action::method::{Method, Stepper, Verlet};
use least_action::prelude::*;
use least_action::system::Start;
use least_action_models::Copper;
use std::sync::OnceLock;
use std::time::Instant;

const STEP: f64 = 0.002;
/// The skin of the loop by hand.
const SKIN: f64 = 1.0;

/// The processor time of this thread in nanoseconds, where the system tells it; else the time.
fn now() -> f64 {
    static START: OnceLock<Instant> = OnceLock::new();
    let of_thread = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let used = of_thread.and_then(|text| text.split(' ').next()?.parse().ok());
    used.unwrap_or_else(|| START.get_or_init(Instant::now).elapsed().as_nanos() as f64)
}

/// The best time of some runs, in ns an atom and step.
fn best(atoms: usize, steps: usize, mut step: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let start = now();
        (0..steps).for_each(|_| step());
        best = best.min((now() - start) / (steps * atoms) as f64);
    }
    best
}

fn main() {
    let most = std::env::args().filter_map(|word| word.parse::<usize>().ok()).next_back().unwrap_or(108_000);
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    one.install(|| run(most));
}

fn run(most: usize) {
    for cells in [6, 14, 30] {
        let atoms = 4 * cells * cells * cells;
        if atoms > most {
            continue;
        }
        let model = Copper { atoms, ..Copper::default() };
        let system = model.bind().expect("a crystal");
        let mut start = Verlet.start(&system, model.start(), STEP).expect("a start");
        (0..200).for_each(|_| start.step().expect("a step"));
        let state = start.state().clone();
        let mass = system.mass().values[0];
        let steps = (500_000 / atoms).clamp(5, 500);
        let mut hand = ByHand::new(&model, mass, SKIN, &state.q, &state.v);
        let mut gradient = vec![0.0; state.q.len()];
        system.potential_gradient(&state.q, 0.0, &mut gradient);
        let largest = gradient.iter().fold(0.0_f64, |most, entry| most.max(entry.abs()));
        let apart = gradient.iter().zip(hand.force.as_flattened());
        let apart = apart.fold(0.0_f64, |most, (gradient, force)| most.max((gradient + force).abs()));
        assert!(apart < 1e-11 * largest, "the loops by hand are another potential");
        let listed = hand.listed();
        let by_hand = best(atoms, steps, || hand.step(STEP));
        let forces = best(atoms, steps, || hand.find_forces());
        println!("{atoms} atoms: by hand {by_hand:.0}, its forces {forces:.0} ({listed:.0} neighbours)");
        for width in Width::available().into_iter().rev() {
            let system = model.bind().expect("a crystal").with_width(width);
            let mut stepper = Verlet.start(&system, state.clone(), STEP).expect("a start");
            let of_step = best(atoms, steps, || stepper.step().expect("a step"));
            let mut vector = vec![0.0; state.q.len()];
            let gradient = best(atoms, steps, || system.potential_gradient(&state.q, 0.0, &mut vector));
            let value = best(atoms, steps, || {
                std::hint::black_box(system.potential(&state.q, 0.0));
            });
            let product =
                best(atoms, steps, || system.potential_product(&state.q, 0.0, &state.v, &mut vector));
            let third = best(atoms, steps, || system.potential_third(&state.q, 0.0, &state.v, &mut vector));
            println!(
                "  {} lanes: a step {of_step:.0}; gradient {gradient:.0} ({:.2} of by hand), value {value:.0}, product {product:.0} \
                 ({:.2} gradients), third {third:.0} ({:.2})",
                width.lanes(),
                gradient / forces,
                product / gradient,
                third / gradient
            );
        }
    }
}
