//! Rigid water by SHAKE, RATTLE and stiff Z&Ss: the engines on the compiled model beside loops by hand.
//!
//! No cutoff, double precision, one process, in turns. Printed are medians, the median of the ratios,
//! the share of forces and (for stiff Z&Ss) of second derivatives of the penalty in a step of the
//! engine, and the rest of a step for each molecule: solving and moving, which must not grow with their
//! number.
//!
//! Engine and loop are compared after a few steps, before chaos takes over, and timed over many.
//!
//! `cargo bench -p least-action-tests --bench water`; numbers of molecules after `--` pick rows.

#![expect(clippy::expect_used, reason = "a benchmark of runs that are known to be stable")]
#![expect(clippy::needless_range_loop, reason = "matrices and their indices, as in the formulas")]

mod by_hand;

use by_hand::ByHand;
use least_action::advanced::wrap::Penalized;
use least_action::binding::Model;
use least_action::method::{Method, Rattle, Shake, Stepper, ZhangSkeelStiff};
use least_action::system::{Constrained, Start, Stiff};
use least_action_models::Water;
use std::hint::black_box;
use std::time::Instant;

/// The stiffness and the step of the paper of Tao and Owhadi.
const OMEGA: f64 = 20.0;
const H: f64 = 0.02;

/// After so many steps engine and loop are compared; they may differ a little, as their rounding does.
const COMPARED: usize = 10;
const CLOSE: f64 = 1e-11;

/// A step by hand.
type Step = fn(&mut ByHand);

fn main() {
    let wanted: Vec<usize> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    println!(
        "{:>9} {:>18} {:>12} {:>12} {:>6} {:>7} {:>9} {:>15} {:>10}",
        "molecules",
        "method",
        "by hand",
        "engine",
        "ratio",
        "forces",
        "Hessians",
        "rest/molecule",
        "differ by"
    );
    for (molecules, rounds, steps) in [(7, 101, 300), (100, 51, 4), (500, 11, 1)] {
        if wanted.is_empty() || wanted.contains(&molecules) {
            compare(molecules, rounds, steps);
        }
    }
}

fn compare(molecules: usize, rounds: usize, steps: usize) {
    let water = Water { molecules, ..Water::default() };
    let bound = water.bind().expect("water");
    // Type-erased, as the command line runs it.
    let system: &dyn Constrained = &bound;
    let penalized = Penalized::new(system, OMEGA).expect("a penalty");
    let start = water.start();

    let shake = Shake::default().start(system, start.clone(), H).expect("a start on the constraints");
    let rattle = Rattle::default().start(system, start.clone(), H).expect("a start on the constraints");
    let stiff = ZhangSkeelStiff::default().start(&penalized, start.clone(), H).expect("a start");
    let engines: [(&str, Box<dyn Stepper + '_>, Step); 3] = [
        ("SHAKE", Box::new(shake), ByHand::shake),
        ("RATTLE", Box::new(rattle), ByHand::rattle),
        ("stiff Z&Ss", Box::new(stiff), |hand| {
            hand.zhang_skeel_stiff(OMEGA, ZhangSkeelStiff::default().beta);
        }),
    ];
    for (name, mut engine, step) in engines {
        let mut hand = ByHand::new(&water, &start, H);
        for _ in 0..COMPARED {
            step(&mut hand);
            engine.step().expect("a stable step");
        }
        let positions = engine.state().q.iter().zip(hand.q.as_flattened().as_flattened());
        let apart = positions.fold(0.0_f64, |apart, (a, b)| apart.max((a - b).abs()));
        assert!(apart < CLOSE, "{name} of {molecules} molecules differs from the loop by {apart:.1e}");
        let mut gradient = vec![0.0; start.q.len()];
        let mut hessian = vec![0.0; penalized.stiff_pattern().len()];
        let mut times = Vec::new();
        for round in 0..rounds {
            let by_hand = time(steps, || step(black_box(&mut hand)));
            let whole = time(steps, || black_box(&mut engine).step().expect("a stable step"));
            let q = &engine.state().q;
            let forces = time(steps, || {
                system.potential_gradient(black_box(q), 0.0, &mut gradient);
            });
            let hessians = time(steps, || {
                if name == "stiff Z&Ss" {
                    penalized.stiff_hessian(black_box(q), 0.0, &mut hessian);
                }
            });
            // The first round warms up.
            if round > 0 {
                let rest = 1e3 * (whole - forces) / molecules as f64;
                times.push([by_hand, whole, whole / by_hand, forces / whole, hessians / whole, rest]);
            }
        }
        let [by_hand, whole, ratio, forces, hessians, rest] =
            std::array::from_fn(|column| median(times.iter().map(|time| time[column])));
        println!(
            "{molecules:>9} {name:>18} {by_hand:>9.2} us {whole:>9.2} us {ratio:>6.2} {:>5.0} % {:>7.1} % {rest:>12.0} ns {apart:>10.1e}",
            100.0 * forces,
            100.0 * hessians,
        );
    }
}

/// Microseconds a step.
fn time(steps: usize, mut step: impl FnMut()) -> f64 {
    let clock = Instant::now();
    (0..steps).for_each(|_| step());
    clock.elapsed().as_secs_f64() * 1e6 / steps as f64
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
