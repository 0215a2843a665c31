//! Members of an ensemble side by side and alone: 10⁵ double pendulums by RATTLE, 10⁵ springs by Verlet.
//!
//! Each member has its own parameters and start. Both ways are measured in turns, on one thread, batch
//! by batch, with the bits of all final states compared; the time of a step is for one member. Starting,
//! which is alike for both, is measured apart.
//!
//! `cargo bench -p least-action-tests --bench members`; a number after `--` gives the members.

#![expect(clippy::expect_used, reason = "a benchmark of runs that are known to be stable")]

use least_action::binding::{Bound, Members, Model};
use least_action::method::{Method, Rattle, Stepper, StepsMembers, Verlet};
use least_action::prelude::*;
use least_action::system::{Constrained, Natural, Start};
use least_action_models::{Chain, DoublePendulum, SpringChain};
use std::time::{Duration, Instant};

/// Members that are bound at a time.
const BATCH: usize = 64;
/// The steps of each.
const STEPS: usize = 300;

fn main() {
    let count = std::env::args().find_map(|argument| argument.parse().ok()).unwrap_or(100_000);
    println!(
        "{:>22} {:>8} {:>10} {:>12} {:>12} {:>6} {:>8}   {:>9} {:>9}",
        "model", "method", "members", "one by one", "side by side", "ratio", "alone", "bind+start", "start"
    );
    let spread = |k: usize| 0.5 + (k as f64 * 0.618_033_988_749_895).fract();
    for h in [0.01, 0.05] {
        let pendulum =
            |k: usize| DoublePendulum { masses: [spread(k), spread(k + 7)], ..DoublePendulum::default() };
        compare::<DoublePendulum, _>("rattle", count, h, pendulum, &Rattle::default(), constrained);
    }
    let chain = |k: usize| Chain { links: 10, mass: spread(k), ..Chain::default() };
    compare::<Chain, _>("rattle", count / 10, 0.01, chain, &Rattle::default(), constrained);
    let springs = |_: usize| SpringChain::default();
    compare::<SpringChain, _>("verlet", count / 10, 0.001, springs, &Verlet, natural);
}

fn constrained<M: Model>(bound: &Bound<M>, state: State, h: f64) -> Box<dyn Stepper + '_> {
    let system: &dyn Constrained = M::constrained(bound).expect("a constrained system");
    Box::new(Rattle::default().start(system, state, h).expect("a start"))
}

fn natural<M: Model>(bound: &Bound<M>, state: State, h: f64) -> Box<dyn Stepper + '_> {
    let system: &dyn Natural = M::natural(bound).expect("a natural system");
    Box::new(Verlet.start(system, state, h).expect("a start"))
}

/// Steps all members in both ways.
fn compare<M: Model + Start, S: StepsMembers>(
    name: &str,
    count: usize,
    h: f64,
    member: impl Fn(usize) -> M,
    method: &S,
    alone: impl for<'a> Fn(&'a Bound<M>, State, f64) -> Box<dyn Stepper + 'a>,
) {
    let [mut one_by_one, mut side_by_side, mut binding, mut starting] = [Duration::ZERO; 4];
    let mut by_themselves = 0;
    for first in (0..count).step_by(BATCH) {
        let begin = Instant::now();
        let models: Vec<M> = (first..count.min(first + BATCH)).map(&member).collect();
        let bound: Vec<Bound<M>> = models.iter().map(|model| model.bind().expect("a model")).collect();
        let starts: Vec<State> = models.iter().map(Start::start).collect();
        let members = match Members::bind(&bound) {
            Ok(members) => members,
            Err(error) => return println!("{error}"),
        };
        let begin_start = Instant::now();
        let mut run = match method.start_members(&members, starts.clone(), &vec![h; bound.len()]) {
            Ok(run) => run,
            Err(error) => return println!("{error}"),
        };
        (binding, starting) = (binding + begin.elapsed(), starting + begin_start.elapsed());
        let mut each: Vec<_> =
            bound.iter().zip(starts).map(|(bound, start)| alone(bound, start, h)).collect();

        let begin = Instant::now();
        for run in &mut each {
            for _ in 0..STEPS {
                run.step().expect("a stable step");
            }
        }
        one_by_one += begin.elapsed();
        let begin = Instant::now();
        for _ in 0..STEPS {
            run.step();
        }
        side_by_side += begin.elapsed();
        for (member, alone) in each.iter().enumerate() {
            assert_eq!(run.state(member), alone.state(), "member {member} has other bits alone");
            by_themselves += run.steps_alone(member);
        }
    }
    let nanoseconds = |time: Duration, parts: usize| time.as_nanos() as f64 / parts as f64;
    let steps = count * STEPS;
    let [alone, together] = [one_by_one, side_by_side].map(|time| nanoseconds(time, steps));
    println!(
        "{:>22} {name:>8} {count:>10} {alone:>9.1} ns {together:>9.1} ns {:>6.2} {:>7.3}%   {:>6.1} µs {:>6.1} µs",
        M::NAME,
        alone / together,
        100.0 * by_themselves as f64 / steps as f64,
        nanoseconds(binding, count) / 1e3,
        nanoseconds(starting, count) / 1e3,
    );
}
