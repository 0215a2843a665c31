//! What the route without rustc costs: the time from the text of each ready model to its binding,
//! and its first and second derivatives beside compiled code.
//!
//! `cargo bench -p least-action-declared --bench routes`; `-- chain water` measures two models alone. Then
//! whole steps beside compiled code, by RATTLE and, without constraints, by Verlet.

#![expect(clippy::expect_used, reason = "a benchmark of models that are known to bind")]

use least_action::Model;
use least_action::drive::integrate;
use least_action::emitted::v1::Declared as Text;
use least_action::expr::Oracle;
use least_action::method::{Rattle, Verlet};
use least_action::system::{Faces, Lagrangian, Start, State};
use least_action_core::binding::Dynamic;
use least_action_declared::Declared;
use least_action_models::{Chain, DoublePendulum, Liquid, Take, Water, give};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::hint::black_box;
use std::time::Instant;
use support::{file_of, source};

#[path = "../tests/support/mod.rs"]
mod support;

/// Seconds that one measurement takes.
const WHILE: f64 = 0.05;
/// The phases of the beginning are measured so often, and their medians count.
const ROUNDS: usize = 5;

/// Seconds of one call, the quickest of some rounds.
fn seconds(mut call: impl FnMut()) -> f64 {
    let begin = Instant::now();
    call();
    let calls = (WHILE / 5.0 / begin.elapsed().as_secs_f64()).clamp(1.0, 1e6) as u32;
    let round = |_| {
        let begin = Instant::now();
        (0..calls).for_each(|_| call());
        begin.elapsed().as_secs_f64() / f64::from(calls)
    };
    (0..5).map(round).fold(f64::INFINITY, f64::min)
}

/// Seconds of the first derivatives and of the second ones.
fn derivatives(system: &dyn Lagrangian, State { t, q, v }: &State) -> [f64; 2] {
    let mut gradient = vec![0.0; 2 * q.len() + 1];
    let mut hessian = vec![0.0; system.second_pattern().len()];
    let first = seconds(|| {
        system.first_derivatives(black_box(q), v, *t, &mut gradient);
    });
    let second = seconds(|| {
        system.second_derivatives(black_box(q), v, *t, &mut gradient, &mut hessian);
    });
    [first, second]
}

/// A model from its text on, and the seconds of each phase.
struct Begun {
    dynamic: Dynamic,
    parsed: f64,
    compiled: f64,
    bound: f64,
}

fn begun(name: &str) -> Begun {
    let begin = Instant::now();
    let source = source(name);
    let parsed = begin.elapsed().as_secs_f64();
    let declared = Declared::of(&source).expect("a model");
    let compiled = begin.elapsed().as_secs_f64();
    let parameters = declared.parameters(&serde_json::json!({})).expect("parameters");
    let dynamic = declared.bind(&parameters, u64::MAX).expect("a system");
    let bound = begin.elapsed().as_secs_f64();
    Begun { dynamic, parsed, compiled: compiled - parsed, bound: bound - compiled }
}

/// Measures the models of these names; all without names.
struct Measure(Vec<String>);

impl Take for Measure {
    fn take<M>(&mut self)
    where
        M: Model + Oracle + Text + Default + Serialize + DeserializeOwned + Start + 'static,
    {
        let name = file_of(&M::FACTS.name);
        if !self.0.is_empty() && !self.0.contains(&name) {
            return;
        }
        let rounds = [(); ROUNDS].map(|()| begun(&name));
        let median = |phase: fn(&Begun) -> f64| {
            let mut all: Vec<f64> = rounds.iter().map(phase).collect();
            all.sort_by(f64::total_cmp);
            1e3 * all[ROUNDS / 2]
        };
        let dynamic = &rounds[0].dynamic;
        let model = M::default();
        let system = model.bind().expect("a system");
        let (state, faces) = (model.start(), M::faces(&system));
        let [first, second] = derivatives(faces.mechanics, &state);
        let [run_first, run_second] = derivatives(dynamic.faces().mechanics, &state);
        println!(
            "{name:28} {:8.1} {:8.1} {:8.1} ms   {:10.2} µs × {:5.2}   {:10.2} µs × {:5.2}",
            median(|begun| begun.parsed),
            median(|begun| begun.compiled),
            median(|begun| begun.bound),
            1e6 * first,
            run_first / first,
            1e6 * second,
            run_second / second,
        );
    }
}

/// Seconds of so many steps, and the positions at their end.
fn run(faces: Faces<'_>, start: &State, (step, count): (f64, u64)) -> (f64, Vec<f64>) {
    let begin = Instant::now();
    let end = start.t + step * count as f64;
    let done = match faces.constrained {
        Some(system) => {
            integrate(system, &Rattle::default(), start.clone(), step).map(|run| run.until(end).run())
        }
        None => integrate(faces.natural.expect("a natural system"), &Verlet, start.clone(), step)
            .map(|run| run.until(end).run()),
    };
    let (stepper, _) = done.expect("a start").expect("a run");
    (begin.elapsed().as_secs_f64(), stepper.state().q.clone())
}

/// Prints the steps of a model by both routes, the quickest of five rounds in turns.
fn steps<M: Model + Start + Serialize>(model: &M, plan: (f64, u64)) {
    let declared = Declared::of(&source(&file_of(&M::FACTS.name))).expect("a model");
    let parameters = serde_json::to_value(model).expect("JSON");
    let parameters = declared.parameters(&parameters).expect("parameters");
    let dynamic = declared.bind(&parameters, u64::MAX).expect("a system");
    let (compiled, start) = (model.bind().expect("a system"), model.start());
    let mut best = [f64::INFINITY; 2];
    for _ in 0..5 {
        let both = [run(compiled.faces(), &start, plan), run(dynamic.faces(), &start, plan)];
        assert_eq!(both[0].1, both[1].1, "equal bits");
        best.iter_mut().zip(&both).for_each(|(best, (seconds, _))| *best = best.min(*seconds));
    }
    let each = 1e6 * best[0] / plan.1 as f64;
    println!("{:28} a step {each:10.2} µs × {:5.2}", file_of(&M::FACTS.name), best[1] / best[0]);
}

fn main() {
    println!(
        "{:28} {:>8} {:>8} {:>8}      first derivatives       second derivatives",
        "model", "parse", "compile", "bind"
    );
    give(&mut Measure(std::env::args().skip(1).filter(|name| !name.starts_with("--")).collect()));
    if std::env::args().skip(1).all(|name| name.starts_with("--")) {
        steps(&DoublePendulum::default(), (0.01, 20_000));
        steps(&Chain { links: 1000, ..Chain::default() }, (0.01, 200));
        steps(&Water { molecules: 64, ..Water::default() }, (0.01, 2000));
        steps(&Liquid::default(), (0.001, 500));
    }
}
