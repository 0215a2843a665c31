//! Published problems of optimal control, one file each: their least costs beside ours.

mod cart_pendulum;
mod mass;
mod rayleigh;
mod rendezvous;

use std::ops::ControlFlow;

use least_action::drive::{Recording, integrate};
use least_action::method::Differentiable;
use least_action::prelude::*;
use least_action::system::{Course, Signal};
use least_action_optimization::control::{Control, Controlled};
use least_action_optimization::fit::Moving;
use least_action_pages::plot::{Axis, Panel};

use crate::error::Error;
use crate::experiment::{Claim, Columns, Curves, Experiment, Known, Row, Verdict};
use crate::press::{Press, in_turn};

/// Remarks that hold for all experiments.
pub(super) const REMARKS: &[&str] = &[
    "The bounded mass: A. E. Bryson, W. F. Denham and S. E. Dreyfus, Optimal programming problems with inequality constraints I, AIAA J. 1 \
     (1963) 2544. Cart and pendulum: M. Kelly, An introduction to trajectory optimization, SIAM Rev. 59 (2017) 849, section 6, with the \
     least cost by Dymos. Rendezvous: W. H. Clohessy and R. S. Wiltshire, Terminal guidance system for satellite rendezvous, J. Aerosp. \
     Sci. 27 (1960) 653. Rayleigh's oscillator: H. Maurer and D. Augustin, Sensitivity analysis and real-time control of parametric optimal \
     control problems, in Online Optimization of Large Scale Systems, Springer 2001, with the least cost by PROPT, Tomlab Optimization.",
    "A solution is exact for the steps: one run with its inputs ends at the goal, up to rounding. Its cost J(h) tends to the least cost J at \
     the order of the method.",
    "The end of a motion has a given time, so that problems of the shortest time, such as the brachistochrone, are not here.",
];

pub(super) fn compute(press: &mut Press<'_>) -> Result<(), Error> {
    in_turn(
        press,
        &[
            ("mass from rest to rest", |_| mass::rest_to_rest()),
            ("bounded mass", mass::bounded),
            ("rendezvous", |_| rendezvous::compute()),
            ("Rayleigh's oscillator", |_| rayleigh::compute()),
            ("cart and pendulum", cart_pendulum::compute),
        ],
    )
}

/// The solution of a problem, and one run with its inputs.
struct Solved {
    found: Controlled,
    run: Recording,
}

impl Solved {
    /// The largest distance of the last state of the run from the goal.
    fn miss(&self, goal: &[f64]) -> f64 {
        let last = self.run.positions().zip(self.run.velocities()).last();
        let last = last.into_iter().flat_map(|(q, v)| q.iter().chain(v));
        last.zip(goal).map(|(found, goal)| (found - goal).abs()).fold(0.0, f64::max)
    }

    /// The first coordinates over time by their names; one without a name is left out.
    fn coordinates(&self, names: &[&str]) -> Curves {
        let named = names.iter().enumerate().filter(|(_, name)| !name.is_empty());
        let column = |k: usize| self.run.times().zip(self.run.positions().map(move |q| q[k])).collect();
        named.map(|(k, name)| ((*name).to_owned(), column(k))).collect()
    }

    /// The inputs over time.
    fn inputs(&self) -> Curves {
        let points = |signal: &Signal| -> Vec<(f64, f64)> {
            let (times, values) = (signal.times(), signal.values());
            match signal.course() {
                Course::Linear => times.iter().copied().zip(values.iter().copied()).collect(),
                Course::Constant => {
                    let pieces = times.windows(2).zip(values);
                    pieces.flat_map(|(ends, value)| [(ends[0], *value), (ends[1], *value)]).collect()
                }
            }
        };
        self.found.inputs.iter().map(|(name, signal)| (name.clone(), points(signal))).collect()
    }
}

/// Solves a problem of a motion from a start until an end.
fn solve<M, D>(
    model: &mut M,
    method: &D,
    (start, end, step): (State, f64, f64),
    problem: impl FnOnce(Control) -> Control,
) -> Result<Solved, Error>
where
    M: Model + Clone,
    D: Differentiable<Bound<M>> + Clone,
{
    let motions = Moving::new(model.clone(), method.clone(), step)?;
    let control = problem(Control::from(start.clone()).until(end));
    let found = control.solve(&motions, |_, _| ControlFlow::Continue(()))?;
    model.set_parameters(&found.theta)?;
    let run = integrate(&model.bind()?, method, start, step)?.until(end).record()?;
    Ok(Solved { found, run })
}

/// Curves over time.
fn over_time(heading: &str, axis: Axis, curves: Curves) -> Panel {
    Panel::of(heading, Axis::number("t"), axis, curves)
}

/// Zero on pieces of equal length.
fn zero(end: f64, pieces: usize, course: Course) -> Result<Signal, Error> {
    let times = (0..=pieces).map(|k| end * k as f64 / pieces as f64).collect();
    Ok(match course {
        Course::Constant => Signal::constant(times, vec![0.0; pieces])?,
        Course::Linear => Signal::linear(times, vec![0.0; pieces + 1])?,
    })
}

/// Solutions of a problem with finer and finer steps.
struct Refined<M> {
    steps: Vec<usize>,
    costs: Vec<f64>,
    /// The largest distance of the end of a run from the goal.
    miss: f64,
    /// The model and the solution with the finest steps.
    model: M,
    finest: Solved,
}

impl<M> Refined<M> {
    /// Solves with each number of steps; `solved` has the model with the inputs that it finds.
    fn of(
        coarse: &[usize],
        finest: usize,
        goal: &[f64],
        solved: impl Fn(usize) -> Result<(M, Solved), Error>,
    ) -> Result<Self, Error> {
        let (mut costs, mut miss) = (Vec::new(), 0.0_f64);
        let mut kept = |solved: &Solved| {
            costs.push(solved.found.cost);
            miss = miss.max(solved.miss(goal));
        };
        for steps in coarse {
            kept(&solved(*steps)?.1);
        }
        let (model, found) = solved(finest)?;
        kept(&found);
        Ok(Self { steps: [coarse, &[finest]].concat(), costs, miss, model, finest: found })
    }

    /// The distances of the costs from the least one.
    fn errors(&self, least: f64) -> Vec<f64> {
        self.costs.iter().map(|cost| cost - least).collect()
    }

    /// The limit of the costs, by the last two and the order 2.
    fn limit(&self) -> f64 {
        self.costs.windows(2).last().map_or(f64::NAN, |pair| pair[1] + (pair[1] - pair[0]) / 3.0)
    }

    /// The costs beside the known ones, with the relative accuracy of each, and their distances from the
    /// least one.
    fn table(
        &self,
        measure: &'static str,
        [name, distance]: [&'static str; 2],
        least: f64,
        known: impl Fn(usize) -> Known,
    ) -> (Columns, Vec<Row>) {
        let names = self.steps.iter().map(|steps| format!("{steps} steps")).collect();
        let known = self.steps.iter().map(|steps| known(*steps)).collect();
        let rows =
            vec![Row { name, values: self.costs.clone(), known }, Row::of(distance, self.errors(least))];
        (Columns { measure, names }, rows)
    }

    /// The claim that a run with the finest inputs ends at the goal.
    fn ends(&self, statement: &'static str) -> Claim {
        let iterations = self.finest.found.iterations;
        let found = format!("to {:.1e}, after {iterations} iterations with the finest steps", self.miss);
        Claim { statement, found, verdict: Verdict::of(self.miss < ENDS) }
    }
}

/// The distance of the end of a run from the goal that counts as none.
const ENDS: f64 = 1e-8;

/// The order of the last of several errors, each at half the step of the one before.
fn order(errors: &[f64]) -> f64 {
    errors.windows(2).last().map_or(f64::NAN, |pair| (pair[0] / pair[1]).log2())
}
