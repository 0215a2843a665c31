//! Rigid water in a periodic box by Ewald's sums: a step of RATTLE, beside forces by loops by hand.
//!
//! Cutoff 0.9 nm, near pairs to erfc(3.2); one thread. Printed are the best of several runs in ns of
//! processor an atom and step: the near pairs and the waves by the engine and by hand, the whole step,
//! and its rest for solving and moving; and a step with a reaction field in place of Ewald's sums. The
//! forces are compared first.
//!
//! `cargo bench -p least-action-tests --bench water_box`; numbers of molecules after `--` pick rows.

#![expect(clippy::expect_used, reason = "a benchmark of runs that are known to be stable")]
#![expect(clippy::needless_range_loop, reason = "vectors and their indices, as in the formulas")]

mod by_hand;
mod reaction_field;

use by_hand::ByHand;
use least_action::Model;
use least_action::method::{Method, Rattle, Stepper};
use least_action::system::{Natural, Start};
use least_action_models::WaterBox;
use reaction_field::ReactionField;
use std::sync::OnceLock;
use std::time::Instant;

/// 1 fs, in ps.
const STEP: f64 = 1e-3;
/// The largest part of a force by which loop and engine may differ.
const CLOSE: f64 = 1e-10;

fn main() {
    let wanted: Vec<usize> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    println!("ns an atom and step");
    // α L grows with the edge, and the number of waves in each direction with it.
    for (molecules, waves, steps) in [(216, 7, 20), (1000, 12, 3)] {
        if wanted.is_empty() || wanted.contains(&molecules) {
            let model =
                WaterBox { molecules, on: 0.8, cutoff: 0.9, splitting: 3.55, waves, ..WaterBox::default() };
            one.install(|| compare(&model, steps));
        }
    }
}

fn compare(model: &WaterBox, steps: usize) {
    let start = now();
    let system = model.bind().expect("water");
    let binding = (now() - start) * 1e-9;
    let without_waves = WaterBox { waves: 0, ..model.clone() }.bind().expect("water");
    let mut stepper =
        Rattle::default().start(&system, model.start(), STEP).expect("a start on the constraints");
    (0..5).for_each(|_| stepper.step().expect("a stable step"));
    let q = stepper.state().q.clone();
    let places: Vec<[f64; 3]> = q.as_chunks().0.to_vec();
    let atoms = places.len();

    let mut hand = ByHand::new(model);
    let mut gradient = vec![0.0; q.len()];
    hand.pairs(&places);
    without_waves.potential_gradient(&q, 0.0, &mut gradient);
    is_close("the near pairs", &gradient, &hand.force);
    hand.waves(&places);
    system.potential_gradient(&q, 0.0, &mut gradient);
    is_close("all forces", &gradient, &hand.force);

    let pairs_by_hand = best(atoms, steps, || hand.pairs(&places));
    let waves_by_hand = best(atoms, steps, || hand.waves(&places));
    let pairs = best(atoms, steps, || without_waves.potential_gradient(&q, 0.0, &mut gradient));
    let all = best(atoms, steps, || system.potential_gradient(&q, 0.0, &mut gradient));
    let whole = best(atoms, steps, || stepper.step().expect("a stable step"));
    let mut short = Rattle::default().start(&without_waves, stepper.state().clone(), STEP).expect("a start");
    let step_of_pairs = best(atoms, steps, || short.step().expect("a stable step"));
    let reaction = ReactionField::of(model).bind().expect("water");
    let mut short = Rattle::default().start(&reaction, stepper.state().clone(), STEP).expect("a start");
    let with_reaction_field = best(atoms, steps, || short.step().expect("a stable step"));
    println!(
        "{:>5} molecules: bound in {binding:.1} s; near pairs {pairs:.0}, by hand {pairs_by_hand:.0}; waves {:.0}, by hand {waves_by_hand:.0}; a step of RATTLE {whole:.0}, \
         without waves {step_of_pairs:.0}, of which solving, moving and lists {:.0}; with a reaction field {with_reaction_field:.0}",
        model.molecules,
        all - pairs,
        step_of_pairs - pairs
    );
}

/// Refuses forces that differ from minus a gradient.
fn is_close(what: &str, gradient: &[f64], force: &[[f64; 3]]) {
    let largest = gradient.iter().fold(0.0_f64, |largest, entry| largest.max(entry.abs()));
    let apart = gradient.iter().zip(force.as_flattened()).map(|(a, b)| (a + b).abs()).fold(0.0, f64::max);
    assert!(apart < CLOSE * largest, "{what} differ by {apart:.1e} of {largest:.1e}");
}

/// The processor time of this thread in nanoseconds, where the system tells it; else the time.
fn now() -> f64 {
    static START: OnceLock<Instant> = OnceLock::new();
    let of_thread = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let used = of_thread.and_then(|text| text.split(' ').next()?.parse().ok());
    used.unwrap_or_else(|| START.get_or_init(Instant::now).elapsed().as_nanos() as f64)
}

/// The best time of five runs of some steps, in ns an atom and step.
fn best(atoms: usize, steps: usize, mut step: impl FnMut()) -> f64 {
    let run = |_| {
        let start = now();
        (0..steps).for_each(|_| step());
        (now() - start) / (steps * atoms) as f64
    };
    (0..5).map(run).fold(f64::INFINITY, f64::min)
}
