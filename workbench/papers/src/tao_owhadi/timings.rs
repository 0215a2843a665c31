//! The times of section 4: of a step by each method on this machine, and of a unit of time.

use std::time::Instant;

use least_action::Model;
use least_action::advanced::wrap::Penalized;
use least_action::method::{
    Method, Newmark, Rattle, Shake, Stepper as _, Verlet, ZhangSkeel, ZhangSkeelStiff,
};
use least_action::system::{Natural, Start, State};
use least_action_models::{Chain, Dna, DoublePendulum, Water};
use least_action_pages::plot::Axis;

use super::{Claim, Columns, Experiment, Rigid, Row, Verdict};
use crate::error::Error;
use crate::experiment::{Curves, picture};

/// The timed parts of a run, of which the quickest counts: other work only ever slows them down.
const PARTS: usize = 7;
/// The least seconds of a part.
const SECONDS: f64 = 2e-3;

const METHODS: [&str; 5] = ["Verlet", "Zhang–Skeel", "Newmark", "SHAKE", "RATTLE"];

/// The penalty of the pendulums and of water, and the step with which Verlet resolves it.
const OMEGA: f64 = 20.0;
const RESOLVED: f64 = 0.1 / OMEGA;

pub(super) fn compute() -> Result<Experiment, Error> {
    let pendulum = DoublePendulum::default();
    let (rods, start) = (pendulum.bind()?, pendulum.start());
    let of_pendulum = penalized(&rods, &start, 0.1)?;
    let chain = Chain::default();
    let (rods, start) = (chain.bind()?, chain.start());
    let of_chain = penalized(&rods, &start, 0.05)?;
    let water = Water::default();
    let (bound, start) = (water.bind()?, water.start());
    let molecules: &dyn Rigid = &bound;
    let soft = Penalized::new(molecules, OMEGA)?;
    let of_water = [
        f64::NAN,
        seconds(&soft, &ZhangSkeelStiff { beta: 0.4 }, &start, 0.05)?,
        f64::NAN,
        seconds(molecules, &Shake::default(), &start, 0.05)?,
        seconds(molecules, &Rattle::default(), &start, 0.05)?,
    ];
    let dna = Dna::default();
    let (bound, start) = (dna.bind()?, dna.start());
    let ring: &dyn Natural = &bound;
    let of_dna = [
        seconds(ring, &Verlet, &start, 0.2)?,
        seconds(ring, &ZhangSkeel { beta: 0.3 }, &start, 2.0)?,
        f64::NAN,
        f64::NAN,
        f64::NAN,
    ];
    // In microseconds.
    let row = |name, values: [f64; 5]| Row::of(name, values.map(|seconds| 1e6 * seconds).to_vec());
    let ratio = |resolving: f64, step: f64, of: &[f64; 5]| (of[0] / resolving) / (of[1] / step);
    let (two, ten) = (ratio(RESOLVED, 0.1, &of_pendulum), ratio(RESOLVED, 0.05, &of_chain));
    let transitions = ratio(0.2, 2.0, &of_dna);
    let claims = vec![Claim {
        statement: "A step that need not resolve the penalty saves time.",
        found: format!(
            "a unit of time of the double pendulum costs Verlet with h = 0.1/ω {two:.1} times what it costs Zhang–Skeel with h = 0.1. \
             For the chain, h = 0.05, it is {ten:.1} times, and for DNA, h = 0.2 and h = 2, {transitions:.1} times: a step that solves a \
             linear system may cost as much as the ten steps that it saves"
        ),
        verdict: Verdict::of(two > 1.0),
    }];
    let axes =
        [Axis::number("number of links").logarithmic(), Axis::of("time of a step for each link", "µs")];
    let heading = "A level line is a cost in proportion to the length";
    let picture = picture("The time of a step of the chain, for each link", heading, axes, growth()?)?;
    Ok(Experiment {
        heading: "Section 4: the time of a step on this machine".to_owned(),
        columns: Some(Columns::of("µs a step", METHODS)),
        rows: vec![
            row("double pendulum, h = 0.1 (Verlet 0.005)", of_pendulum),
            row("chain of 10 links, h = 0.05 (Verlet 0.005)", of_chain),
            row("7 molecules of water, h = 0.05", of_water),
            row("DNA, 200 base pairs, h = 2 (Verlet 0.2)", of_dna),
        ],
        claims,
        picture,
        motion: None,
    })
}

/// The time of a step for each link of the chain, as it grows.
fn growth() -> Result<Curves, Error> {
    let mut curves = METHODS.map(|name| (name.to_owned(), Vec::new())).to_vec();
    for links in [10, 100, 1000, 10_000] {
        let model = Chain { links, ..Chain::default() };
        let times = penalized(&model.bind()?, &model.start(), RESOLVED)?;
        for ((_, points), seconds) in curves.iter_mut().zip(times) {
            points.push((f64::log10(links as f64), 1e6 * seconds / links as f64));
        }
    }
    Ok(curves)
}

/// The times of a step of all methods on a system with constraints.
fn penalized(system: &dyn Rigid, start: &State, step: f64) -> Result<[f64; 5], Error> {
    let soft = Penalized::new(system, OMEGA)?;
    Ok([
        seconds(&soft, &Verlet, start, RESOLVED)?,
        seconds(&soft, &ZhangSkeel { beta: 0.4 }, start, step)?,
        seconds(&soft, &Newmark { beta: 0.4, ..Newmark::default() }, start, step)?,
        seconds(system, &Shake::default(), start, step)?,
        seconds(system, &Rattle::default(), start, step)?,
    ])
}

/// The time of a step.
fn seconds<S: ?Sized, M: Method<S>>(system: &S, method: &M, start: &State, step: f64) -> Result<f64, Error> {
    let mut quickest = f64::INFINITY;
    for _ in 0..PARTS {
        let mut stepper = method.start(system, start.clone(), step)?;
        let clock = Instant::now();
        while clock.elapsed().as_secs_f64() < SECONDS {
            for _ in 0..16 {
                stepper.step().map_err(Error::Step)?;
            }
        }
        quickest = quickest.min(clock.elapsed().as_secs_f64() / stepper.steps() as f64);
    }
    Ok(quickest)
}
