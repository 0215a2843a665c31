//! Steps of whole models from a crate outside: the program that `run` builds against two trees.
//!
//! `ROW STEPS` makes so many steps and prints the nanoseconds of one.
//! Without arguments it prints the names of the rows.

use least_action::binding::{Bound, Model};
use least_action::method::{
    Composition, Method, PushForwardNewmark, Rattle, Reference, Shake, Stepper, VariationalMidpoint, Verlet,
    ZhangSkeel,
};
use least_action::system::Start;
use least_action::advanced::wrap::Penalized;
use least_action_models::{Chain, DoublePendulum, DoublePendulumAngles, Kepler, LennardJones, Water};
use std::hint::black_box;
use std::time::Instant;

/// The rows, and the steps of a round that take some ten milliseconds.
const ROWS: [(&str, u64); 17] = [
    ("kepler-verlet", 200_000),
    ("kepler-composition", 10_000),
    ("kepler-reference", 2_000),
    ("pendulum-rattle", 30_000),
    ("pendulum-shake", 30_000),
    ("angles-midpoint", 8_000),
    ("pendulum-zhang-skeel", 20_000),
    ("pendulum-push-forward", 15_000),
    ("chain-10-rattle", 15_000),
    ("chain-100-rattle", 2_500),
    ("chain-1000-rattle", 250),
    ("water-7-rattle", 4_000),
    ("water-100-rattle", 100),
    ("water-500-rattle", 5),
    ("pairs-13-verlet", 50_000),
    ("pairs-500-verlet", 60),
    ("pairs-1000-verlet", 15),
];

pub(crate) fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [row, steps] = &arguments[..] else {
        ROWS.iter().for_each(|(row, steps)| println!("{row} {steps}"));
        return;
    };
    let (kind, method) = row.rsplit_once('-').expect("a row");
    let (kind, size) = kind.split_once('-').unwrap_or((kind, "0"));
    let (size, steps) = (size.parse().unwrap_or(0), steps.parse().expect("a number of steps"));
    match (kind, method) {
        ("kepler", "composition") => {
            run(&Kepler::default(), &Composition::of(Verlet, 8), 0.05, steps);
        }
        ("kepler", "reference") => run(&Kepler::default(), &Reference { tolerance: 1e-10 }, 0.1, steps),
        ("kepler", _) => run(&Kepler::default(), &Verlet, 0.002, steps),
        ("pendulum", "rattle") => run(&DoublePendulum::default(), &Rattle::default(), 0.01, steps),
        ("pendulum", "shake") => run(&DoublePendulum::default(), &Shake::default(), 0.01, steps),
        ("angles", _) => run(&DoublePendulumAngles::default(), &VariationalMidpoint::default(), 0.01, steps),
        ("pendulum", kind) => {
            let model = DoublePendulum::default();
            let bound = model.bind().expect("a pendulum");
            let soft = Penalized::new(&bound, 20.0).expect("a penalty");
            let (beta, start) = (0.4, model.start());
            if kind == "skeel" {
                time(ZhangSkeel { beta }.start(&soft, start, 0.01).expect("a start"), steps);
            } else {
                let method = PushForwardNewmark { beta, ..PushForwardNewmark::default() };
                time(method.start(&soft, start, 0.01).expect("a start"), steps);
            }
        }
        ("chain", _) => {
            let h = if size > 10 { 0.01 } else { 0.05 };
            run(&Chain { links: size, ..Chain::default() }, &Rattle::default(), h, steps);
        }
        ("water", _) => run(&Water { molecules: size, ..Water::default() }, &Rattle::default(), 0.02, steps),
        _ => run(&LennardJones { atoms: size, ..LennardJones::default() }, &Verlet, 1e-5, steps),
    }
}

fn run<M: Model + Start>(model: &M, method: &impl Method<Bound<M>>, h: f64, steps: u64) {
    let bound = model.bind().expect("a model");
    time(method.start(&bound, model.start(), h).expect("a start"), steps);
}

fn time(mut run: impl Stepper, steps: u64) {
    let clock = Instant::now();
    for _ in 0..steps {
        black_box(&mut run).step().expect("a stable step");
    }
    println!("{}", clock.elapsed().as_secs_f64() * 1e9 / steps as f64);
}
